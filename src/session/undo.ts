import { refusal } from '../base/errors.ts';
import { SEE_HISTORY } from '../pad/advice.ts';
import type { SpaceName } from '../pad/markers.ts';
import type { Revision, Spaces } from './journal.ts';
import { mergeText } from './merge.ts';

/** One change of `undo` or `redo`: it puts `content` into `space`, to undo or redo revision `of`. */
export interface UndoStep {
  of: number;
  space: Revision['space'];
  content: string;
}

interface Stacks {
  /** Changes in force, oldest first. */
  done: StackedChange[];
  undone: StackedChange[];
  now: Record<SpaceName, string>;
}

interface StackedChange {
  revision: Revision;
  before: string;
}

export type IsMine = (revision: Revision) => boolean;

/**
 * The steps that undo the newest `count` changes, newest first; or that redo the newest undone ones, in their original
 * order. What others changed since stays.
 * @throws ScratchpadError `refused` if there are fewer, or others have changed the same lines since
 */
export function planUndo(
  op: 'undo' | 'redo',
  { revisions, base }: { revisions: readonly Revision[]; base: Spaces },
  count = 1,
  isMine: IsMine = () => true,
): UndoStep[] {
  const { done, undone, now } = buildStacks(revisions, base, isMine);
  const changes = groupSaves(op === 'undo' ? done : undone);
  if (changes.length === 0) throw refusal(`nothing to ${op}`, { next: SEE_HISTORY });

  if (count < 1 || count > changes.length)
    throw refusal(`cannot ${op} ${count} changes`, {
      expected: `a number from 1 to ${changes.length}: changes that ${op === 'undo' ? 'can be' : 'were'} undone`,
      found: String(count),
      next: SEE_HISTORY,
    });

  return changes
    .slice(-count)
    .flat()
    .reverse()
    .map(({ revision: { rev, space, content }, before }) => {
      const [from, to] = op === 'undo' ? [content, before] : [before, content];
      now[space] = replaceChange(now[space], from, to, rev);
      return { of: rev, space, content: now[space] };
    });
}

/** Edits of several spaces that were found in the file at once are one change. */
function groupSaves(changes: StackedChange[]): StackedChange[][] {
  const groups: StackedChange[][] = [];
  for (const change of changes) {
    const [first] = groups.at(-1) ?? [];
    if (first && isOneSave(first.revision, change.revision)) groups.at(-1)?.push(change);
    else groups.push([change]);
  }

  return groups;
}

function isOneSave(one: Revision, other: Revision): boolean {
  const isByHand = [one, other].every(({ by, op }) => op === 'edit' && (by === 'edit' || by === 'merge'));
  return isByHand && one.timestamp === other.timestamp && one.space !== other.space;
}

/**
 * Undoes or redoes one change in a content that others may have changed since.
 * @throws ScratchpadError `refused` if others have changed the same lines since
 */
function replaceChange(now: string, from: string, to: string, rev: number): string {
  if (now === from) return to;

  const { content, conflict } = mergeText(from, to, now);
  if (!conflict) return content;

  const replaced = replaceLines(now, from.split('\n'), to.split('\n'));
  if (replaced !== undefined) return replaced;

  throw refusal(`others have changed the same lines since revision ${rev}: nothing was changed`, {
    next: SEE_HISTORY,
  });
}

/** Replaces the changed lines if they stand there exactly once. A merge calls it a conflict if their neighbours are gone. */
function replaceLines(now: string, from: readonly string[], to: readonly string[]): string | undefined {
  const shorter = Math.min(from.length, to.length);
  let [start, end] = [0, 0];
  while (start < shorter && from[start] === to[start]) start += 1;
  while (start + end < shorter && from.at(-1 - end) === to.at(-1 - end)) end += 1;

  const changed = from.slice(start, from.length - end);
  const [above = '', below, ...more] = `\n${now}\n`.split(`\n${changed.join('\n')}\n`);
  if (changed.length === 0 || below === undefined || more.length > 0) return undefined;

  const parts = [above.slice(1), to.slice(start, to.length - end).join('\n'), below.slice(0, -1)];
  return parts.filter((part) => part !== '').join('\n');
}

/** Derives the stacks from the history, in which an undo or redo is a revision like any other. */
function buildStacks(revisions: readonly Revision[], base: Spaces, isMine: IsMine): Stacks {
  const spaces = { ...base };
  const stacks: Stacks = { done: [], undone: [], now: spaces };

  /** Whether it undoes or redoes a change of mine, which somebody else may do. */
  const isAboutMine = ({ of }: Revision): boolean =>
    [...stacks.done, ...stacks.undone].some(({ revision }) => revision.rev === of);

  for (const revision of revisions) {
    const before = spaces[revision.space];
    spaces[revision.space] = revision.content;

    if (revision.by === 'git') {
      // Changes from before a checkout belong to another branch.
      stacks.done.length = 0;
      stacks.undone.length = 0;
    } else if (revision.op === 'adopt' || !(isMine(revision) || isAboutMine(revision))) {
      // Other people's changes are not on the stacks.
    } else if (revision.op === 'undo' && before === revision.content && !isAboutMine(revision)) {
      // The undo of a `take` shows this plan again, and changes nothing in it.
    } else if (revision.op === 'undo') {
      const change = takeChange(stacks.done, revision);
      // A change that somebody else took back is not mine to make again.
      if (change && isMine(revision)) stacks.undone.push(change);
      // Earlier undone changes cannot follow a revision that is no longer in the journal.
      else if (change === undefined) stacks.undone.length = 0;
    } else if (revision.op === 'redo') {
      const change = takeChange(stacks.undone, revision);
      if (change) stacks.done.push(change);
    } else {
      stacks.done.push({ revision, before });
      stacks.undone.length = 0;
    }
  }

  return stacks;
}

/** Takes from a stack the change that a revision undid or redid; if it is not there, the newest change of that space. */
function takeChange(stack: StackedChange[], { of, space }: Revision): StackedChange | undefined {
  const named = stack.findLastIndex(({ revision }) => revision.rev === of && revision.space === space);
  const index = named < 0 ? stack.findLastIndex(({ revision }) => revision.space === space) : named;
  return index < 0 ? undefined : stack.splice(index, 1)[0];
}
