import type { CallFacts } from './calls.ts';
import { type CallItem, type Entry, type Item, isPrompt, type SessionRecord, tracePath } from './record.ts';

/** Entries that are kept whatever they hold: a host can go back to any of them. */
const RECENT = 400;
const FULL_TURNS = 12;
const MOST_TURNS = 240;
/** Tool calls are needed up to as many as there are messages; some may be taken back. */
const SPARE = 3;

/** After how many records the record is made smaller again. */
export const computeSlimLimit = (limit: number): number => Math.max(400, limit * 20);

/**
 * Leaves out of a record what only the newest part of a conversation is asked for: tool calls and remarks of the agent
 * but for the last `limit` and for those that the person reacted to, facts that newer ones replace, and old turns.
 */
export function slimRecord(record: SessionRecord, limit: number): void {
  if (limit === Number.POSITIVE_INFINITY) return;

  const { entries } = record;
  const recent = new Set(entries.slice(-RECENT));
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

    if (item.type === 'did') return turn < FULL_TURNS || dropReplacedFacts(item, seen);

    if (isPrompt(item)) answered = false;

    return true;
  };

  for (const at of tracePath(record).reverse()) {
    const entry = entries[at];
    if (entry === undefined) continue;

    const begins = entry.items.some(isPrompt);
    entry.items = entry.items.toReversed().filter(isWanted).reverse();
    if (entry.items.length > 0 && turn < MOST_TURNS) recent.add(entry);
    if (begins) turn += 1;
  }

  keepOnly(record, recent);
}

/** Whether a call did something that is told of later. */
export const isTelling = (facts: CallFacts): boolean =>
  Object.values(facts).some((fact) => fact !== undefined);

/** Leaves of an old call what no newer one has replaced. @returns whether anything is left */
function dropReplacedFacts({ facts }: CallItem, seen: { edits: Set<string>; listed: boolean }): boolean {
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
