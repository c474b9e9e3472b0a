import type { CallFacts } from './calls.ts';
import {
  type CallItem,
  type Item,
  isPrompt,
  NEAR,
  type SessionRecord,
  type TreeNode,
  tracePath,
} from './record.ts';

const FULL_TURNS = 12;
const MOST_TURNS = 240;
/** Factor by which more items than `limit` are kept, because some may be taken back. */
const SPARE = 3;

/** After how many rows of the file the session's record is made smaller again. */
export const computeSlimLimit = (limit: number): number => Math.max(NEAR, limit * 20);

/**
 * Drops what is needed only of the newest part of a conversation: tool calls and remarks of the agent, except the last
 * `limit` and those that the person reacted to; facts that newer ones replace; and old turns.
 */
export function slimRecord(record: SessionRecord, limit: number): void {
  if (limit === Number.POSITIVE_INFINITY) return;

  const { entries } = record;
  // A host can go back to any of the newest ones, and `Conversation` looks for copies among them.
  const wantedNodes = new Set(entries.slice(-NEAR));
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
    const node = entries[index];
    if (node === undefined) continue;

    const beginsTurn = node.items.some(isPrompt);
    node.items = node.items.toReversed().filter(isWanted).reverse();
    if (node.items.length > 0 && turn < MOST_TURNS) wantedNodes.add(node);
    if (beginsTurn) turn += 1;
  }

  keepOnly(record, wantedNodes);
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

function keepOnly(record: SessionRecord, wanted: ReadonlySet<TreeNode>): void {
  const { entries } = record;
  const newIndices = new Map<number, number>();
  for (const [index, node] of entries.entries()) if (wanted.has(node)) newIndices.set(index, newIndices.size);
  /** The new index of the nearest node, from an old index upward, that is kept. */
  const mapIndex = (start: number | null): number | null => {
    for (let index = start; index !== null; index = entries[index]?.up ?? null) {
      const newIndex = newIndices.get(index);
      if (newIndex !== undefined) return newIndex;
    }

    return null;
  };

  record.leaf = mapIndex(record.leaf);
  record.entries = entries.flatMap((node) => (wanted.has(node) ? { ...node, up: mapIndex(node.up) } : []));
}
