import { redactSecrets, withTexts } from '../base/safety/index.ts';
import type { CallFacts } from './calls/index.ts';
import type { Call } from './event.ts';
import { type Did, type Item, isPrompt, pathOf, type SessionRecord, type Turn } from './record.ts';

/** Turns that keep the ids of their records: a host can go back so far. */
const WITH_IDS = 60;
/** Turns with all that the agent did in them. */
const WITH_ALL = 12;
/** Turns of a conversation that are kept; besides, the first ones. */
const MOST_TURNS = 240;
const FIRST_TURNS = 5;
/** Tool calls are needed up to as many as there are messages; some may be taken back. */
const SPARE = 3;
/** Longest texts that are stored, in UTF-16 units: of most kinds, of some, and of old turns. */
const LENGTH = 4000;
const LENGTHS: Readonly<Record<string, number>> = {
  person: 8000,
  agent: 6000,
  error: 500,
  compacted: 30_000,
};
const OLD_LENGTH = 2000;
/** What of an item is text, and no id or time. */
const TEXTS: ReadonlySet<string> = new Set(['text', 'summary', 'answers', 'input', 'facts']);

/** After how many records the record is made smaller again. */
export const slimAt = (limit: number): number => Math.max(400, limit * 20);

/**
 * Leaves out of a record what only the newest part of a conversation is asked for: tool calls and remarks of the agent
 * but for the last `limit` and for those that the person reacted to, and facts that newer ones replace.
 */
export function slim(record: SessionRecord, limit: number): void {
  const path = pathOf(record);
  const onPath = new Set(path.map(({ turn }) => turn));
  const seen: Seen = { tools: 0, spoken: 0, edits: new Set(), checked: false, listed: false };
  for (const [age, { turn }] of path.toReversed().entries()) thin(turn, age, seen, limit);
  for (const turn of record.turns) {
    if (!onPath.has(turn))
      thin(turn, WITH_ALL, { ...seen, edits: new Set(), checked: false, listed: false }, limit);
  }
  for (const turn of record.turns.slice(0, -WITH_IDS)) turn.ids = [];
  dropTurns(record, onPath);
}

/** What newer turns hold. */
interface Seen {
  tools: number;
  spoken: number;
  edits: Set<string>;
  checked: boolean;
  listed: boolean;
}

function thin(turn: Turn, age: number, seen: Seen, limit: number): void {
  let answered = false;
  const kept: Item[] = [];
  for (const item of turn.items.toReversed()) {
    if (item.type === 'call' || item.type === 'result') {
      if (++seen.tools > limit * SPARE) continue;
    } else if (item.type === 'agent' || item.type === 'host') {
      const isAnswer = item.type === 'agent' && !answered;
      answered ||= item.type === 'agent';
      if (++seen.spoken > limit * SPARE && !isAnswer) continue;
    } else if (item.type === 'did') {
      if (!isTelling(item.facts)) continue;
      if (age >= WITH_ALL && !reduce(item, seen)) continue;
    } else if (isPrompt(item)) answered = false;
    kept.push(item);
  }
  turn.items = kept.reverse();
}

const TELLING: readonly (keyof CallFacts)[] = [
  'tasks',
  'changed',
  'plan',
  'check',
  'commits',
  'pullRequest',
  'refused',
  'failed',
  'worked',
];

const isTelling = (facts: CallFacts): boolean =>
  facts.edits.length > 0 || TELLING.some((key) => facts[key] !== undefined);

/** Of an old call, what no newer one has replaced. @returns whether anything is left */
function reduce(item: Did, seen: Seen): boolean {
  const { facts } = item;
  facts.edits = facts.edits.filter(({ path }) => !seen.edits.has(path));
  for (const { path } of facts.edits) seen.edits.add(path);
  if (seen.checked) delete facts.check;
  seen.checked ||= facts.check !== undefined;
  if (seen.listed) delete facts.tasks;
  seen.listed ||= facts.tasks !== undefined;
  delete facts.command;
  return isTelling(facts);
}

/** Drops old turns in the middle of a long conversation, and old ones that were taken back. */
function dropTurns(record: SessionRecord, onPath: ReadonlySet<Turn>): void {
  const { turns } = record;
  if (turns.length <= MOST_TURNS + FIRST_TURNS) return;
  const recent = turns.length - MOST_TURNS;
  const keep = turns.map((turn, index) => index >= recent || (index < FIRST_TURNS && onPath.has(turn)));
  const moved = new Map<number, number>();
  for (const [index, kept] of keep.entries()) if (kept) moved.set(index, moved.size);
  const follow = (after: Turn['after']): Turn['after'] => {
    for (let at = after; at !== null; at = turns[at.turn]?.after ?? null) {
      const turn = moved.get(at.turn);
      if (turn !== undefined) return { turn, upTo: at.upTo };
    }
    return null;
  };
  const kept = turns.filter((_, index) => keep[index]);
  const after = kept.map((turn) => follow(turn.after));
  record.leaf = follow(record.leaf);
  for (const [index, turn] of kept.entries()) turn.after = after[index] ?? null;
  record.turns = kept;
}

const safe = new WeakSet<Item>();

/** The texts of a record that was read from the store have been made safe before. */
export function markStored(record: SessionRecord): void {
  for (const { items } of record.turns) for (const item of items) safe.add(item);
}

/** Makes a record ready to be stored: long texts cut in their middle, secrets taken out. */
export function forStore(record: SessionRecord, limit: number): SessionRecord {
  slim(record, limit);
  const recent = record.turns.length - WITH_IDS;
  for (const [index, turn] of record.turns.entries())
    turn.items = turn.items.map((item) =>
      stored(item, index < recent ? OLD_LENGTH : Number.POSITIVE_INFINITY),
    );
  const { opening } = record;
  return {
    ...record,
    pending: record.pending.map((call) => cleaned(call, LENGTH)),
    opening: opening && clean(opening, OLD_LENGTH),
  };
}

function stored(item: Item, most: number): Item {
  if (safe.has(item) && most === Number.POSITIVE_INFINITY) return item;
  const done = cleaned(item, most);
  safe.add(done);
  return done;
}

function cleaned<Given extends Item | Call>(item: Given, most: number): Given {
  const longest = Math.min(most, LENGTHS[item.type] ?? LENGTH);
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
