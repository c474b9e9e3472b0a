import type { CallFacts } from './calls.ts';
import { type CallItem, type Entry, type Item, isPrompt, type SessionRecord, tracePath } from './record.ts';

/** The newest entries, which are all kept: a host can go back to any of them. */
const RECENT = 400;
const FULL_TURNS = 12;
const MOST_TURNS = 240;
/** Factor by which more items than `limit` are kept, because some may be taken back. */
const SPARE = 3;

/** After how many records of the file the session's record is made smaller again. */
export const computeSlimLimit = (limit: number): number => Math.max(400, limit * 20);

/**
 * Drops what is needed only of the newest part of a conversation: tool calls and remarks of the agent, except the last
 * `limit` and those that the person reacted to; facts that newer ones replace; and old turns.
 */
export function slimRecord(record: SessionRecord, limit: number): void {
  if (limit === Number.POSITIVE_INFINITY) return;

  const { entries } = record;
  const wantedEntries = new Set(entries.slice(-RECENT));
  const newer = { tools: 0, spoken: 0, edits: new Set<string>(), listed: false };
  let turn = 0;
  let answered = false;
  const isWanted = (item: Item): boolean => {
    if (item.type === 'call' || item.type === 'result') return ++newer.tools <= limit * SPARE;

    if (item.type === 'agent' || item.type === 'host') {
      const isAnswer = item.type === 'agent' && !answered;
      answered ||= isAnswer;
      return ++newer.spoken <= limit * SPARE || isAnswer;
    }

    if (item.type === 'did') return turn < FULL_TURNS || dropReplacedFacts(item, newer);

    if (isPrompt(item)) answered = false;

    return true;
  };

  for (const index of tracePath(record).reverse()) {
    const entry = entries[index];
    if (entry === undefined) continue;

    const beginsTurn = entry.items.some(isPrompt);
    entry.items = entry.items.toReversed().filter(isWanted).reverse();
    if (entry.items.length > 0 && turn < MOST_TURNS) wantedEntries.add(entry);
    if (beginsTurn) turn += 1;
  }

  keepOnly(record, wantedEntries);
}

/** Whether a call did something that is reported later. */
export const hasFacts = (facts: CallFacts): boolean =>
  Object.values(facts).some((fact) => fact !== undefined);

/** Removes the facts of an old call that a newer one has replaced. @returns whether any are left */
function dropReplacedFacts({ facts }: CallItem, newer: { edits: Set<string>; listed: boolean }): boolean {
  const edits = (facts.edits ?? []).filter((path) => !newer.edits.has(path));
  for (const path of edits) newer.edits.add(path);
  facts.edits = edits.length === 0 ? undefined : edits;
  if (newer.listed) facts.tasks = undefined;
  newer.listed ||= facts.tasks !== undefined;

  return hasFacts(facts);
}

function keepOnly(record: SessionRecord, wanted: ReadonlySet<Entry>): void {
  const { entries } = record;
  const newIndices = new Map<number, number>();
  for (const [index, entry] of entries.entries())
    if (wanted.has(entry)) newIndices.set(index, newIndices.size);
  /** The new index of the nearest entry, from an old index upward, that is kept. */
  const mapIndex = (start: number | null): number | null => {
    for (let index = start; index !== null; index = entries[index]?.up ?? null) {
      const newIndex = newIndices.get(index);
      if (newIndex !== undefined) return newIndex;
    }

    return null;
  };

  record.leaf = mapIndex(record.leaf);
  record.entries = entries.flatMap((entry) =>
    wanted.has(entry) ? { ...entry, up: mapIndex(entry.up) } : [],
  );
}
