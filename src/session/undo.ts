import { ScratchpadError } from '../errors.ts';
import type { Revision, Spaces } from './journal.ts';

/** What `undo` or `redo` would do: put `content` into `space`, on behalf of revision `of`. */
export interface Step {
  of: number;
  space: Revision['space'];
  content: string;
}

interface Stacks {
  /** Revisions in force, oldest first, each with what its space held before it. */
  done: { revision: Revision; before: string }[];
  undone: { revision: Revision; before: string }[];
}

/** @throws ScratchpadError `refused` when nothing is left to undo. */
export function undoStep(revisions: readonly Revision[], base: Spaces): Step {
  const top = stacksOf(revisions, base).done.at(-1);
  if (!top) {
    throw new ScratchpadError('refused', 'nothing to undo', {
      next: 'see what happened with: scratchpad history',
    });
  }
  return { of: top.revision.rev, space: top.revision.space, content: top.before };
}

/** @throws ScratchpadError `refused` when nothing was undone since the last change. */
export function redoStep(revisions: readonly Revision[], base: Spaces): Step {
  const top = stacksOf(revisions, base).undone.at(-1);
  if (!top) {
    throw new ScratchpadError('refused', 'nothing to redo', {
      next: 'see what happened with: scratchpad history',
    });
  }
  return { of: top.revision.rev, space: top.revision.space, content: top.revision.content };
}

/** History only grows: the stacks are read off it, an undo or redo being a revision like any other. */
function stacksOf(revisions: readonly Revision[], base: Spaces): Stacks {
  const spaces = { ...base };
  const stacks: Stacks = { done: [], undone: [] };
  for (const revision of revisions) {
    const before = spaces[revision.space];
    spaces[revision.space] = revision.content;
    if (revision.op === 'undo') {
      const top = stacks.done.pop();
      if (top) stacks.undone.push(top);
      // It took back a revision that is no longer kept: what was undone before cannot follow it.
      else stacks.undone.length = 0;
    } else if (revision.op === 'redo') {
      const top = stacks.undone.pop();
      if (top) stacks.done.push(top);
    } else {
      stacks.done.push({ revision, before });
      stacks.undone.length = 0;
    }
  }
  return stacks;
}
