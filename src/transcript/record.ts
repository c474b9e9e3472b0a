import { redactSecrets, withTexts } from '../base/safety/index.ts';
import type { CallFacts } from './calls.ts';
import type { Call, EventPlace, Facts, SessionEvent } from './event.ts';
import type { CustomEntry, Skipped } from './types.ts';

export interface Did extends EventPlace {
  type: 'did';
  facts: CallFacts;
}

export type Item = Extract<SessionEvent, { id: string; at: number }> | Did;

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
  /** The host's id, the model, the branch and so on, as last said. */
  facts: Omit<Facts, 'type'>;
  /** The person's first words, if they are before what was read. */
  opening?: string;
  title?: { text: string; by: 'person' | 'host' };
  /** A tree: what was taken back stays until it is old, because a host may return to it. */
  entries: Entry[];
  /** Position of the newest entry of the conversation; null if nothing was said, or all was taken back. */
  leaf: number | null;
  pending: Call[];
  /** What an agent stored for us in the file. */
  ours: CustomEntry[];
  /** How often the latest words were written in each form, if a host writes them several times. */
  copies: { key: string; messages: number; ways: Record<string, number> }[];
  skipped: Skipped[];
  /** Length of the conversation in estimated tokens: words, plus a tenth of everything else. */
  talk: number;
  /** The last times something was taken back, by where in the file: what was after `to` went at `at`. */
  rewinds: { at: number; to: number; time?: string }[];
  /** Times of the first and the last event, ISO 8601. */
  began?: string;
  updated?: string;
  /** Bytes at the start of the file that were not read. */
  unread: number;
}

export function newRecord(format: string): SessionRecord {
  return {
    format,
    facts: {},
    entries: [],
    leaf: null,
    pending: [],
    ours: [],
    copies: [],
    skipped: [],
    talk: 0,
    rewinds: [],
    unread: 0,
  };
}

/** Positions of the entries of the conversation as it stands, oldest first: what was taken back is left out. */
export function pathOf({ entries, leaf }: Pick<SessionRecord, 'entries' | 'leaf'>): number[] {
  const path: number[] = [];
  for (let at = leaf; at !== null; at = entries[at]?.up ?? null) path.push(at);
  return path.reverse();
}

export const itemsOf = (record: SessionRecord): Item[] =>
  pathOf(record).flatMap((at) => record.entries[at]?.items ?? []);

/** The same by turns: what follows each prompt of the person, up to the next one. */
export function turnsOf(record: SessionRecord): Item[][] {
  const turns: Item[][] = [];
  for (const item of itemsOf(record)) {
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

/** Entries that are kept whatever they hold: a host can go back to any of them. */
const RECENT = 400;
/** Turns with all that the agent did in them. */
const WITH_ALL = 12;
const MOST_TURNS = 240;
/** Tool calls are needed up to as many as there are messages; some may be taken back. */
const SPARE = 3;
/** Longest text that is stored, in UTF-16 units, and longest summary. */
const LENGTH = 6000;
const SUMMARY_LENGTH = 30_000;
const TEXTS: ReadonlySet<string> = new Set(['text', 'summary', 'answers', 'input', 'facts']);

/** After how many records the record is made smaller again. */
export const slimAt = (limit: number): number => Math.max(400, limit * 20);

/**
 * Leaves out of a record what only the newest part of a conversation is asked for: tool calls and remarks of the agent
 * but for the last `limit` and for those that the person reacted to, facts that newer ones replace, and old turns.
 */
export function slim(record: SessionRecord, limit: number): void {
  if (limit === Number.POSITIVE_INFINITY) return;
  const { entries } = record;
  const kept = new Set(entries.slice(-RECENT));
  const seen = { tools: 0, spoken: 0, edits: new Set<string>(), listed: false };
  let turn = 0;
  let answered = false;
  const isWanted = (item: Item): boolean => {
    if (item.type === 'call' || item.type === 'result') return ++seen.tools <= limit * SPARE;
    if (item.type === 'agent' || item.type === 'host') {
      const isAnswer = item.type === 'agent' && !answered;
      answered ||= isAnswer;
      return ++seen.spoken <= limit * SPARE || isAnswer;
    }
    if (item.type === 'did') return turn < WITH_ALL || reduce(item, seen);
    if (isPrompt(item)) answered = false;
    return true;
  };
  for (const at of pathOf(record).reverse()) {
    const entry = entries[at];
    if (entry === undefined) continue;
    const begins = entry.items.some(isPrompt);
    entry.items = entry.items.toReversed().filter(isWanted).reverse();
    if (entry.items.length > 0 && turn < MOST_TURNS) kept.add(entry);
    if (begins) turn += 1;
  }
  keepOnly(record, kept);
}

/** Whether a call did something that is told of later. */
export const isTelling = (facts: CallFacts): boolean =>
  Object.values(facts).some((fact) => fact !== undefined);

/** Of an old call, what no newer one has replaced. @returns whether anything is left */
function reduce({ facts }: Did, seen: { edits: Set<string>; listed: boolean }): boolean {
  const edits = (facts.edits ?? []).filter((path) => !seen.edits.has(path));
  for (const path of edits) seen.edits.add(path);
  facts.edits = edits.length === 0 ? undefined : edits;
  if (seen.listed) facts.tasks = undefined;
  seen.listed ||= facts.tasks !== undefined;
  return isTelling(facts);
}

function keepOnly(record: SessionRecord, kept: ReadonlySet<Entry>): void {
  const { entries } = record;
  const moved = new Map<number, number>();
  for (const [index, entry] of entries.entries()) if (kept.has(entry)) moved.set(index, moved.size);
  const follow = (up: number | null): number | null => {
    for (let at = up; at !== null; at = entries[at]?.up ?? null) {
      const to = moved.get(at);
      if (to !== undefined) return to;
    }
    return null;
  };
  record.leaf = follow(record.leaf);
  record.entries = entries.flatMap((entry) => (kept.has(entry) ? { ...entry, up: follow(entry.up) } : []));
}

const safe = new WeakSet<Item>();

/** The texts of a record that was read from the store have been made safe before. */
export function markStored(record: SessionRecord): void {
  for (const { items } of record.entries) for (const item of items) safe.add(item);
}

/** Makes a record ready to be stored: long texts cut in their middle, secrets taken out. */
export function forStore(record: SessionRecord, limit: number): SessionRecord {
  slim(record, limit);
  for (const entry of record.entries) entry.items = entry.items.map(stored);
  const { opening } = record;
  return {
    ...record,
    pending: record.pending.map(cleaned),
    opening: opening && clean(opening, LENGTH),
  };
}

function stored(item: Item): Item {
  if (safe.has(item)) return item;
  const done = cleaned(item);
  safe.add(done);
  return done;
}

function cleaned<Given extends Item | Call>(item: Given): Given {
  const longest = item.type === 'compacted' ? SUMMARY_LENGTH : LENGTH;
  const entries = Object.entries(item).map(([key, value]) => [
    key,
    TEXTS.has(key) ? withTexts(value, (text) => clean(text, longest)) : value,
  ]);
  return Object.fromEntries(entries) as Given;
}

const clean = (text: string, most: number): string => redactSecrets(cutMiddle(text, most));

/** A text of bounded length: its beginning and its end, which people use most. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil(most * 0.6);
  const left = text.length - most;
  return `${text.slice(0, head).toWellFormed()}\n[… ${left} characters left out …]\n${text.slice(head - most).toWellFormed()}`;
}
