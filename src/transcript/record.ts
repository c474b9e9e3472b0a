import { redactSecrets, withTexts } from '../base/safety/index.ts';
import { digestText, formatCount } from '../base/text/strings.ts';
import type { CallFacts } from './calls.ts';
import type {
  Call,
  EventPlace,
  Facts,
  PersonMessageEvent,
  RecordStart,
  SessionEvent,
  TakeBack,
} from './event.ts';
import type { CustomEntry, SkippedRecords } from './types.ts';

export interface CallItem extends EventPlace {
  type: 'did';
  facts: CallFacts;
}

/** It is replaced, never changed: one that was made safe to store is not looked at again. */
export type Item = Readonly<Extract<SessionEvent, { id: string; at: number }> | CallItem>;

/** One record of the file, as far as it has a place in the conversation. */
export interface Entry {
  /** Its short id; empty if it has none. */
  id: string;
  /** Position of the entry that it continues; null for the first. */
  up: number | null;
  items: Item[];
}

/** All that is known of a session, read forward once: the one thing that stages, hand-over and hooks ask. */
export interface SessionRecord {
  format: string;
  facts: Omit<Facts, 'type'>;
  title?: { text: string; by: 'person' | 'host' };
  /** A tree: what was taken back stays until it is old, because a host may return to it. */
  entries: Entry[];
  /** Position of the newest entry of the conversation; null if nothing was said, or all was taken back. */
  leaf: number | null;
  pending: Call[];
  ours: CustomEntry[];
  skipped: SkippedRecords[];
  /** Length of the conversation in estimated tokens: words, plus a tenth of everything else. */
  talkTokens: number;
  /** The last times something was taken back, by where in the file: what was after `to` went at `at`. */
  rewinds: { at: number; to: number; time?: string }[];
  /** Times of the first and the last event, ISO 8601. */
  began?: string;
  updated?: string;
}

export function createRecord(format: string): SessionRecord {
  return {
    format,
    facts: {},
    entries: [],
    leaf: null,
    pending: [],
    ours: [],
    skipped: [],
    talkTokens: 0,
    rewinds: [],
  };
}

/** `2 broken lines`. */
export const describeSkipped = ({ count, reason }: SkippedRecords): string =>
  formatCount(count, reason, reason.replace(/\b(?:line|event|record|timestamp|message)\b/, '$&s'));

/** Positions of the entries of the conversation as it stands, oldest first: what was taken back is left out. */
export function tracePath({ entries, leaf }: Pick<SessionRecord, 'entries' | 'leaf'>): number[] {
  const path: number[] = [];
  for (let at = leaf; at !== null; at = entries[at]?.up ?? null) path.push(at);
  return path.reverse();
}

export const listItems = (record: SessionRecord): Item[] =>
  tracePath(record).flatMap((at) => record.entries[at]?.items ?? []);

/** The same by turns: what follows each prompt of the person, up to the next one. */
export function listTurns(record: SessionRecord): Item[][] {
  const turns: Item[][] = [];
  for (const item of listItems(record)) {
    const turn = isPrompt(item) ? undefined : turns.at(-1);
    if (turn === undefined) turns.push([item]);
    else turn.push(item);
  }

  return turns;
}

export const isPrompt = (event: { type: string; voice?: string }): boolean =>
  event.type === 'plan' || (event.type === 'person' && event.voice === 'prompt');

export function assignGiven<Target extends object>(target: Target, values: Partial<Target>): void {
  for (const [key, value] of Object.entries(values))
    if (value !== undefined) Object.assign(target, { [key]: value });
}

/** Longest text that is stored, in UTF-16 units, and longest summary. */
const LENGTH = 6000;
const SUMMARY_LENGTH = 30_000;
const TEXTS: ReadonlySet<string> = new Set(['text', 'summary', 'kept', 'answers', 'input', 'facts']);

const safe = new WeakSet<Item>();

/** The texts of a record that was read from the store have been made safe before. */
export function markStored(record: SessionRecord): void {
  for (const { items } of record.entries) for (const item of items) safe.add(item);
}

/** Makes a record ready to be stored: long texts cut in their middle, secrets taken out. */
export function prepareRecord(record: SessionRecord): SessionRecord {
  for (const entry of record.entries) entry.items = entry.items.map(cleanItem);
  const { title } = record;
  const safeTitle = title && { ...title, text: clean(title.text, LENGTH) };
  return { ...record, title: safeTitle, pending: record.pending.map(cleanFields) };
}

function cleanItem(item: Item): Item {
  if (safe.has(item)) return item;
  const done = cleanFields(item);
  safe.add(done);
  return done;
}

function cleanFields<Given extends Item | Call>(item: Given): Given {
  const longest = item.type === 'compacted' ? SUMMARY_LENGTH : LENGTH;
  const entries = Object.entries(item).map(([key, value]) => [
    key,
    TEXTS.has(key) ? withTexts(value, (text) => clean(text, longest)) : value,
  ]);
  return Object.fromEntries(entries) as Given;
}

const clean = (text: string, most: number): string => redactSecrets(cutMiddle(text, most));

/** A text of bounded length: its beginning and its end, which people use most. */
function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil(most * 0.6);
  const left = text.length - most;
  return `${text.slice(0, head).toWellFormed()}\n[… ${left} characters left out …]\n${text.slice(head - most).toWellFormed()}`;
}

const MOST_REWINDS = 20;
/** How far back the parts of one answer, or the forms of one message, can be from each other, in entries. */
const NEAR = 400;

export class Conversation {
  readonly #record: SessionRecord;
  readonly #places = new Map<string, number>();
  #path: number[];
  #entry: Entry | undefined;
  #at = 0;

  constructor(record: SessionRecord) {
    this.#record = record;
    this.#path = tracePath(record);
    for (const [index, { id }] of record.entries.entries()) if (id !== '') this.#places.set(id, index);
  }

  findLast(isIt: (item: Item) => boolean): Item | undefined {
    for (const index of this.#path.slice(-NEAR).reverse()) {
      const found = this.#itemsOf(index).findLast(isIt);
      if (found !== undefined) return found;
    }

    return undefined;
  }

  itemsAt(id: string | undefined): Item[] | undefined {
    const index = this.#findPlace(id);
    return index === undefined ? undefined : this.#itemsOf(index);
  }

  /**
   * Begins an entry where it belongs.
   * @param at where it begins in the file
   * @returns the items of an earlier version that it replaces, or `'known'` if it is a copy
   */
  begin(start: RecordStart, at: number): Item[] | 'known' {
    this.#at = at;
    const startPlace = this.#findPlace(start.id);
    if (startPlace !== undefined && start.replaces !== true) return 'known';

    if (startPlace !== undefined && this.#path.includes(startPlace)) {
      this.#entry = this.#record.entries[startPlace];
      return this.#itemsOf(startPlace).splice(0);
    }

    if (start.aside === true) return [];

    this.#continueFrom(start);
    this.append(start.id);

    return [];
  }

  append(id: string | undefined, items: Item[] = []): void {
    const { entries } = this.#record;
    const own = id === undefined ? '' : abbreviateId(id);
    this.#entry = { id: own, up: this.#record.leaf, items };
    if (own !== '') this.#places.set(own, entries.length);
    this.#path.push(entries.length);
    this.#record.leaf = entries.length;
    entries.push(this.#entry);
  }

  put(item: Item): void {
    if (this.#entry === undefined) this.append(undefined);
    this.#entry?.items.push(item);
  }

  replace(item: Item, newItem: Item): void {
    for (const items of this.#path.slice(-NEAR).map(this.#itemsOf)) {
      const at = items.indexOf(item);
      if (at !== -1) items[at] = newItem;
    }
  }

  /** Takes out words that were typed while the agent worked: they are written again when the model gets them. */
  withdraw(text: string): void {
    this.#remove((item) => item.voice === 'queued' && item.text.trim() === text.trim());
  }

  #remove(isIt: (item: PersonMessageEvent) => boolean): void {
    for (const items of this.#path.slice(-NEAR).map((index) => this.#itemsOf(index))) {
      const at = items.findIndex((item) => item.type === 'person' && isIt(item));
      if (at !== -1) items.splice(at, 1);
    }
  }

  takeBack({ turns, from, to, queued, call }: TakeBack, at: number): void {
    this.#at = at;
    if (queued !== undefined) this.withdraw(queued);
    else if (call !== undefined) this.#remove((item) => item.call === call);
    else if (turns !== undefined) {
      const prompts = this.#path.filter((index) => this.#itemsOf(index).some(isPrompt));
      const first = turns > 0 ? (prompts.at(-turns) ?? prompts[0]) : undefined;
      if (first !== undefined) this.#leaveAfter(this.#before(first));
    } else if (from !== undefined) {
      const place = this.#findPlace(from);
      // What it took back first is not there: nothing before it counts.
      if (place === undefined) this.#leaveAfter(null);
      else if (this.#path.includes(place)) this.#leaveAfter(this.#before(place));
    } else {
      const place = to === null ? null : this.#findPlace(to);
      if (place !== undefined) this.#leaveAfter(place);
    }
  }

  /** The conversation begins anew after the entry in hand, with what came from a place on. */
  beginAnew(keepFrom: string | undefined): void {
    const first = this.#path.indexOf(this.#findPlace(keepFrom) ?? -1);
    const remaining = first === -1 ? [] : this.#path.slice(first);
    const own = this.#entry?.id;

    this.#leaveAfter(null);
    for (const index of remaining) this.append(this.#record.entries[index]?.id, [...this.#itemsOf(index)]);
    this.append(own);
  }

  /** The host writes the whole conversation again. @param write adds its entries */
  rewrite(write: () => void): void {
    const before = this.#items();
    this.#goTo(null);
    write();
    this.append(undefined);
    this.#noteRewind(before);
  }

  #itemsOf = (index: number): Item[] => this.#record.entries[index]?.items ?? [];

  #before = (index: number): number | null => this.#record.entries[index]?.up ?? null;

  #items = (after = -1): Item[] => this.#path.filter((index) => index > after).flatMap(this.#itemsOf);

  #findPlace(id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#places.get(abbreviateId(id));
  }

  #leaveAfter(place: number | null): void {
    const before = this.#items();
    this.#goTo(place);
    this.#noteRewind(before);
  }

  #goTo(place: number | null): void {
    this.#record.leaf = place;
    this.#path = tracePath(this.#record);
  }

  #noteRewind(before: readonly Item[]): void {
    const now = new Set(this.#items().map(({ id }) => id));
    // The summary of a compaction is written anew after the rest.
    const lost = before.findIndex(({ id, type }) => type !== 'compacted' && !now.has(id));
    if (lost === -1) return;

    const newest = before[lost - 1];
    const rewind = { at: this.#at, to: newest?.at ?? -1, time: newest?.timestamp };
    this.#record.rewinds = [...this.#record.rewinds.slice(1 - MOST_REWINDS), rewind];
  }

  #continueFrom({ parent, soft }: RecordStart): void {
    if (parent === undefined) return;

    const place = parent === null ? null : this.#findPlace(parent);
    // A line of the file was lost: the record continues what is the newest, as the host itself does.
    if (place === undefined || place === this.#record.leaf) return;

    const isOn = place === null || this.#path.includes(place);
    if (soft === true && isOn && !this.#items(place ?? -1).some(isPrompt)) return;

    this.#leaveAfter(place);
  }
}

/** Enough of an id to tell the records of one session apart. */
const abbreviateId = (id: string): string => (id.length > 16 ? digestText(id) : id);
