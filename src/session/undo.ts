import { refusal } from '../base/errors.ts';
import { SEE_HISTORY } from '../pad/advice.ts';
import type { SpaceName } from '../pad/markers.ts';
import type { Revision, Spaces } from './journal.ts';
import { mergeText } from './merge.ts';

/** What `undo` or `redo` would do: put `content` into `space`, on behalf of revision `of`. */
export interface UndoStep {
  of: number;
  space: Revision['space'];
  content: string;
}

interface Stacks {
  /** Revisions in force, oldest first, each with the previous content of its space. */
  done: { revision: Revision; before: string }[];
  undone: { revision: Revision; before: string }[];
  now: Record<SpaceName, string>;
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
  const there = changes.length;

  if (count < 1 || count > there)
    throw refusal(there === 0 ? `nothing to ${op}` : `cannot ${op} ${count} changes`, {
      ...(there > 0 && {
        expected: `a number from 1 to ${there}: changes that ${op === 'undo' ? 'can be' : 'were'} undone`,
        found: String(count),
      }),
      next: SEE_HISTORY,
    });

  return changes
    .slice(-count)
    .flat()
    .reverse()
    .map(({ revision: { rev, space, content }, before }) => {
      const [from, to] = op === 'undo' ? [content, before] : [before, content];
      now[space] = applyTurn(now[space], from, to, rev);
      return { of: rev, space, content: now[space] };
    });
}

/** Edits of several spaces that were found in the file at once are one change. */
function groupSaves(changes: Stacks['done']): Stacks['done'][number][][] {
  const groups: Stacks['done'][number][][] = [];
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

/** A content with one change turned back, or made again. */
function applyTurn(now: string, from: string, to: string, rev: number): string {
  if (now === from) return to;

  const { content, conflict } = mergeText(from, to, now);
  if (!conflict) return content;

  const replaced = replaceLines(now, from.split('\n'), to.split('\n'));
  if (replaced !== undefined) return replaced;

  throw refusal(`others have changed the same lines since revision ${rev}: nothing was changed`, {
    next: SEE_HISTORY,
  });
}

/** For a merge it is a conflict if lines beside the changed ones have gone: then these are looked for by themselves. */
function replaceLines(now: string, from: readonly string[], to: readonly string[]): string | undefined {
  const most = Math.min(from.length, to.length);
  let [start, end] = [0, 0];
  while (start < most && from[start] === to[start]) start += 1;
  while (start + end < most && from.at(-1 - end) === to.at(-1 - end)) end += 1;

  const changed = from.slice(start, from.length - end);
  const [above = '', below, ...more] = `\n${now}\n`.split(`\n${changed.join('\n')}\n`);
  if (changed.length === 0 || below === undefined || more.length > 0) return undefined;

  const parts = [above.slice(1), to.slice(start, to.length - end).join('\n'), below.slice(0, -1)];
  return parts.filter((part) => part !== '').join('\n');
}

/** History only grows: the stacks derive from it, because an undo or redo is a revision like any other. */
function buildStacks(revisions: readonly Revision[], base: Spaces, isMine: IsMine): Stacks {
  const spaces = { ...base };
  const stacks: Stacks = { done: [], undone: [], now: spaces };

  /** Somebody else may undo or redo a change of mine. */
  const isOfMine = ({ of }: Revision): boolean =>
    [...stacks.done, ...stacks.undone].some(({ revision }) => revision.rev === of);

  for (const revision of revisions) {
    const before = spaces[revision.space];
    spaces[revision.space] = revision.content;

    if (revision.by === 'git') {
      // What was before a checkout is another branch's.
      stacks.done.length = 0;
      stacks.undone.length = 0;
    } else if (revision.op === 'adopt' || !(isMine(revision) || isOfMine(revision))) {
      // It stays where it is.
    } else if (revision.op === 'undo' && before === revision.content && !isOfMine(revision)) {
      // It took back that another plan was shown.
    } else if (revision.op === 'undo') {
      const top = takeLast(stacks.done, revision);
      // What somebody else has taken back is not mine to make again.
      if (top && isMine(revision)) stacks.undone.push(top);
      // It undid a revision that is no longer kept, so earlier undone changes cannot follow it.
      else if (top === undefined) stacks.undone.length = 0;
    } else if (revision.op === 'redo') {
      const top = takeLast(stacks.undone, revision);
      if (top) stacks.done.push(top);
    } else {
      stacks.done.push({ revision, before });
      stacks.undone.length = 0;
    }
  }

  return stacks;
}

/**
 * The change that a revision undid or redid, else the newest of its space; a linked work tree's history has changes of
 * two sessions in it, which are undone in either.
 */
function takeLast(stack: Stacks['done'], { of, space }: Revision): Stacks['done'][number] | undefined {
  const own = stack.findLastIndex(({ revision }) => revision.rev === of && revision.space === space);
  const at = own < 0 ? stack.findLastIndex(({ revision }) => revision.space === space) : own;
  return at < 0 ? undefined : stack.splice(at, 1)[0];
}
