import { redactEnd, redactSecrets, redactStart, withTexts } from '../base/safety/index.ts';
import { cutMiddle, digestText, formatCount } from '../base/text/strings.ts';
import type { CallFacts } from './calls.ts';
import type {
  Call,
  EventPlace,
  Facts,
  PersonMessageEvent,
  RowStart,
  SessionEvent,
  TakeBack,
} from './event.ts';
import type { CustomEntry, SkippedRows } from './types.ts';

export interface CallItem extends EventPlace {
  type: 'did';
  facts: CallFacts;
}

/** One part of the conversation. It is replaced, never changed, so that it is made safe to store only once. */
export type Item = Readonly<Extract<SessionEvent, { id: string; at: number }> | CallItem>;

/** One row of the file that has a place in the conversation. */
export interface TreeNode {
  /** The abbreviated id of the row; empty if it has none. */
  id: string;
  /** Index of the node that it continues; null for the first. */
  up: number | null;
  items: Item[];
}

/** All that is known of a session, read forward once: the one thing that stages, hand-over and hooks ask. */
export interface SessionRecord {
  format: string;
  facts: Omit<Facts, 'type'>;
  title?: { text: string; by: 'person' | 'host' };
  /** The nodes of a tree: those that were taken back stay until they are old, because a host may return to them. */
  entries: TreeNode[];
  /** Index of the newest node of the conversation; null if nothing was said, or all was taken back. */
  leaf: number | null;
  pending: Call[];
  /** Our own entries in the file. */
  ours: CustomEntry[];
  skipped: SkippedRows[];
  /** Length of the conversation in estimated tokens: words, plus a tenth of everything else. */
  talkTokens: number;
  /** The last rewinds, by places in the file: at `at`, everything after `to` was taken back. */
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
export const describeSkipped = ({ count, reason }: SkippedRows): string =>
  formatCount(count, reason, reason.replace(/\b(?:line|event|record|timestamp|message)\b/, '$&s'));

/** Indices of the nodes of the conversation, oldest first, without those that were taken back. */
export function tracePath({ entries, leaf }: Pick<SessionRecord, 'entries' | 'leaf'>): number[] {
  const path: number[] = [];
  for (let index = leaf; index !== null; index = entries[index]?.up ?? null) path.push(index);
  return path.reverse();
}

/** Without the turns of timers, of which only what was done counts. */
export function listItems(record: SessionRecord): Item[] {
  let isTimerTurn = false;
  return tracePath(record)
    .flatMap((index) => record.entries[index]?.items ?? [])
    .filter((item) => {
      if (isTimer(item)) isTimerTurn = true;
      else if (isPrompt(item)) isTimerTurn = false;
      return !isTimerTurn || item.type === 'did' || item.type === 'compacted';
    });
}

export const isTimer = (item: Item): boolean => item.type === 'host' && item.isTimer === true;

/** The items by turns: each prompt of the person with what follows it. */
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

/** `Object.assign` that leaves a member as it is where the new value is undefined. */
export function assignDefined<Target extends object>(target: Target, values: Partial<Target>): void {
  for (const [key, value] of Object.entries(values))
    if (value !== undefined) Object.assign(target, { [key]: value });
}

/** Most UTF-16 units of a text, and of a summary, that are stored. */
const LONGEST_TEXT = 6000;
const LONGEST_SUMMARY = 30_000;
const TEXT_MEMBERS: ReadonlySet<string> = new Set(['text', 'summary', 'kept', 'answers', 'input', 'facts']);

const preparedItems = new WeakSet<Item>();

/** Marks the items of a record from the store, which were made safe before. */
export function markStored(record: SessionRecord): void {
  for (const { items } of record.entries) for (const item of items) preparedItems.add(item);
}

/** Takes out secrets before any text is cut. @param hasResults what tools answered, too, which nobody is told */
export function prepareRecord(record: SessionRecord, hasResults = true): SessionRecord {
  for (const node of record.entries)
    node.items = node.items.map((item) => (item.type === 'result' && !hasResults ? item : cleanItem(item)));
  const { title } = record;
  const safeTitle = title && { ...title, text: clean(title.text, LONGEST_TEXT) };
  return { ...record, title: safeTitle, pending: record.pending.map(cleanFields) };
}

function cleanItem(item: Item): Item {
  if (preparedItems.has(item)) return item;
  const safeItem = cleanFields(item);
  preparedItems.add(safeItem);
  return safeItem;
}

function cleanFields<Given extends Item | Call>(item: Given): Given {
  const longest = item.type === 'compacted' ? LONGEST_SUMMARY : LONGEST_TEXT;
  const entries = Object.entries(item).map(([key, value]) => [
    key,
    TEXT_MEMBERS.has(key) ? withTexts(value, (text) => clean(text, longest)) : value,
  ]);
  return Object.fromEntries(entries) as Given;
}

const clean = (text: string, most: number): string =>
  text.length <= most ? redactSecrets(text) : cutMiddle(text, most, redactStart, redactEnd);

const MOST_REWINDS = 20;
/** How far, in nodes, the parts of one answer, or the forms of one message, can be from each other. */
export const NEAR = 400;

/** The conversation of a record, as a path in the tree of its nodes. */
export class Conversation {
  readonly #record: SessionRecord;
  readonly #indicesById = new Map<string, number>();
  #path: number[];
  #node: TreeNode | undefined;
  /** Place in the file of the row in hand. */
  #position = 0;

  constructor(record: SessionRecord) {
    this.#record = record;
    this.#path = tracePath(record);
    for (const [index, { id }] of record.entries.entries()) if (id !== '') this.#indicesById.set(id, index);
  }

  /** The newest item that matches, among those of the last `NEAR` nodes. */
  findLast(matches: (item: Item) => boolean): Item | undefined {
    for (const index of this.#path.slice(-NEAR).reverse()) {
      const found = this.#itemsOf(index).findLast(matches);
      if (found !== undefined) return found;
    }

    return undefined;
  }

  findItems(id: string | undefined): Item[] | undefined {
    const index = this.#findIndex(id);
    return index === undefined ? undefined : this.#itemsOf(index);
  }

  /**
   * Begins a row: in a node of its own, in that of the version that it replaces, or, if it is aside, in none.
   * @param at where it begins in the file
   * @returns whether it is a copy of a row that is known, and the items that it replaces
   */
  begin(start: RowStart, at: number): { isCopy: boolean; replaced?: Item[] } {
    this.#position = at;
    const index = this.#findIndex(start.id);
    if (index !== undefined && start.replaces !== true) return { isCopy: true };

    if (index !== undefined && this.#path.includes(index)) {
      this.#node = this.#record.entries[index];
      return { isCopy: false, replaced: this.#itemsOf(index).splice(0) };
    }

    if (start.aside !== true) {
      this.#continueFrom(start);
      this.append(start.id);
    }

    return { isCopy: false };
  }

  append(id: string | undefined, items: Item[] = []): void {
    const { entries } = this.#record;
    const own = id === undefined ? '' : abbreviateId(id);
    this.#node = { id: own, up: this.#record.leaf, items };
    if (own !== '') this.#indicesById.set(own, entries.length);
    this.#path.push(entries.length);
    this.#record.leaf = entries.length;
    entries.push(this.#node);
  }

  put(item: Item): void {
    if (this.#node === undefined) this.append(undefined);
    this.#node?.items.push(item);
  }

  replace(item: Item, newItem: Item): void {
    for (const items of this.#path.slice(-NEAR).map(this.#itemsOf)) {
      const index = items.indexOf(item);
      if (index !== -1) items[index] = newItem;
    }
  }

  /** Takes out words that were typed while the agent worked: they are written again when the model gets them. */
  withdraw(text: string): void {
    this.#remove((item) => item.voice === 'queued' && item.text.trim() === text.trim());
  }

  #remove(isIt: (item: PersonMessageEvent) => boolean): void {
    for (const items of this.#path.slice(-NEAR).map(this.#itemsOf)) {
      const index = items.findIndex((item) => item.type === 'person' && isIt(item));
      if (index !== -1) items.splice(index, 1);
    }
  }

  takeBack(event: TakeBack, at: number): void {
    this.#position = at;
    const { queued, call } = event;
    if (queued !== undefined) this.withdraw(queued);
    else if (call !== undefined) this.#remove((item) => item.call === call);
    else {
      const leaf = this.#findLeafAfter(event);
      if (leaf !== undefined) this.#leaveAfter(leaf);
    }
  }

  /** Index of the node that is the newest after something was taken back; `undefined` if nothing changes. */
  #findLeafAfter({ turns, from, to }: TakeBack): number | null | undefined {
    if (turns !== undefined) {
      const prompts = this.#path.filter((index) => this.#itemsOf(index).some(isPrompt));
      const first = turns > 0 ? (prompts.at(-turns) ?? prompts[0]) : undefined;
      return first === undefined ? undefined : this.#before(first);
    }

    if (from === undefined) return to === null ? null : this.#findIndex(to);

    const index = this.#findIndex(from);
    // Without the first row that was taken back, nothing before it counts.
    if (index === undefined) return null;
    return this.#path.includes(index) ? this.#before(index) : undefined;
  }

  /** Begins the conversation anew after the node in hand, with the nodes from one row on. */
  restart(keepFrom: string | undefined): void {
    const first = this.#path.indexOf(this.#findIndex(keepFrom) ?? -1);
    const remaining = first === -1 ? [] : this.#path.slice(first);
    const own = this.#node?.id;

    this.#leaveAfter(null);
    for (const index of remaining) this.append(this.#record.entries[index]?.id, [...this.#itemsOf(index)]);
    this.append(own);
  }

  /** The host writes the whole conversation again. @param write adds its nodes */
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

  #findIndex(id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#indicesById.get(abbreviateId(id));
  }

  #leaveAfter(index: number | null): void {
    const before = this.#items();
    this.#goTo(index);
    this.#noteRewind(before);
  }

  #goTo(index: number | null): void {
    this.#record.leaf = index;
    this.#path = tracePath(this.#record);
  }

  #noteRewind(before: readonly Item[]): void {
    const now = new Set(this.#items().map(({ id }) => id));
    // The summary of a compaction is written anew after the rest.
    const lost = before.findIndex(({ id, type }) => type !== 'compacted' && !now.has(id));
    if (lost === -1) return;

    const newest = before[lost - 1];
    const rewind = { at: this.#position, to: newest?.at ?? -1, time: newest?.timestamp };
    this.#record.rewinds = [...this.#record.rewinds.slice(1 - MOST_REWINDS), rewind];
  }

  #continueFrom({ parent, onlyWithPrompt }: RowStart): void {
    if (parent === undefined) return;

    const index = parent === null ? null : this.#findIndex(parent);
    // The line of the parent was lost: the row continues the newest one, as the host itself does.
    if (index === undefined || index === this.#record.leaf) return;

    const isOnPath = index === null || this.#path.includes(index);
    if (onlyWithPrompt === true && isOnPath && !this.#items(index ?? -1).some(isPrompt)) return;

    this.#leaveAfter(index);
  }
}

/** An id short enough to store, which tells the rows of one session apart. */
const abbreviateId = (id: string): string => (id.length > 16 ? digestText(id) : id);
