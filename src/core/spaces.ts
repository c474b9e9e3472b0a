import { ScratchpadError } from '../errors.ts';
import { type Limits, refsOf, type Usage, usageOf } from '../pad/budget.ts';
import type { SpaceName } from '../pad/markers.ts';
import { addStep, markCurrent, markDone } from '../pad/plan.ts';
import { addRef, type Edited, joinText, removeRef, replaceText, setRefs, setText } from '../pad/spaces.ts';
import { countCharacters, thousands } from '../pad/text.ts';
import type { Pad } from './context.ts';

/** What a change of a space came to. */
export interface Outcome extends Usage {
  /** Number of the newest revision. */
  revision: number;
  changed: boolean;
  /** What the writer should know: text cut, refs dropped, damage found, edits merged. */
  warnings: string[];
}

/** `notes` and `plan`: free text with a limit. Every change is durable when its promise resolves. */
export interface TextSpace {
  read(): Promise<string>;
  /** Replaces the text; what is over the limit is cut, with a warning. */
  set(text: string): Promise<Outcome>;
  /** Adds a line. @throws ScratchpadError `refused` when it would not fit. */
  append(text: string): Promise<Outcome>;
  /** Adds a line at the top. @throws ScratchpadError `refused` when it would not fit. */
  prepend(text: string): Promise<Outcome>;
  /** @throws ScratchpadError `refused` with the number of matches when `find` is not there exactly once, unless `all`. */
  replace(find: string, replacement: string, options?: { all?: boolean }): Promise<Outcome>;
  /** @throws ScratchpadError `refused` with the number of matches when `text` is not there exactly once, unless `all`. */
  delete(text: string, options?: { all?: boolean }): Promise<Outcome>;
  clear(): Promise<Outcome>;
}

export interface PlanSpace extends TextSpace {
  /** Adds a step in the list's own style. @throws ScratchpadError `refused` when it would not fit. */
  add(step: string): Promise<Outcome>;
  /** Strikes a step through and marks it DONE. @throws ScratchpadError `refused` when there is none of that number. */
  done(step: number): Promise<Outcome>;
  /** Moves the current marker. @throws ScratchpadError `refused` when there is no step of that number. */
  current(step: number): Promise<Outcome>;
}

export interface RefsSpace {
  /** Oldest first. */
  list(): Promise<string[]>;
  /** Adds a ref as the newest, dropping the oldest when full. */
  add(ref: string): Promise<Outcome>;
  /** @throws ScratchpadError `refused` when no ref is exactly this. */
  remove(ref: string): Promise<Outcome>;
  /** The first items up to the limit are kept; what is not a string is dropped. */
  set(items: readonly unknown[]): Promise<Outcome>;
  clear(): Promise<Outcome>;
}

/** Runs one edit of one space under the store's lock. */
export async function editSpace(
  pad: Pad,
  space: SpaceName,
  op: string,
  edit: (current: string, limits: Limits) => Edited,
): Promise<Outcome> {
  const { limits } = pad.config;
  let warnings: string[] = [];
  const done = await pad.store.change(({ spaces }) => {
    const edited = edit(spaces[space], limits);
    warnings = edited.warnings;
    return [{ kind: 'space', space, content: edited.content, op }];
  });
  return {
    ...usageOf(space, done.spaces[space], limits),
    revision: done.revision,
    changed: done.revisions.length > 0,
    warnings: [...done.notices, ...warnings],
  };
}

export function textSpace(pad: Pad, space: 'notes' | 'plan'): TextSpace {
  return {
    read: async () => (await pad.store.read()).spaces[space],
    set: (text) => editSpace(pad, space, 'set', (_, limits) => setText(space, text, limits)),
    append: (text) =>
      editSpace(pad, space, 'append', (now, limits) => joinText(space, now, text, 'append', limits)),
    prepend: (text) =>
      editSpace(pad, space, 'prepend', (now, limits) => joinText(space, now, text, 'prepend', limits)),
    replace: (find, by, { all = false } = {}) =>
      editSpace(pad, space, 'replace', (now, limits) => replaceText(space, now, find, by, all, limits)),
    delete: (text, { all = false } = {}) =>
      editSpace(pad, space, 'delete', (now, limits) => replaceText(space, now, text, '', all, limits)),
    clear: () => editSpace(pad, space, 'clear', emptied),
  };
}

export function planSpace(pad: Pad): PlanSpace {
  return {
    ...textSpace(pad, 'plan'),
    add: (step) => editSpace(pad, 'plan', 'add', (now, limits) => fitting(addStep(now, step), limits)),
    done: (step) => editSpace(pad, 'plan', 'done', (now) => ({ content: markDone(now, step), warnings: [] })),
    current: (step) =>
      editSpace(pad, 'plan', 'current', (now) => ({ content: markCurrent(now, step), warnings: [] })),
  };
}

export function refsSpace(pad: Pad): RefsSpace {
  return {
    list: async () => refsOf((await pad.store.read()).spaces.refs),
    add: (ref) => editSpace(pad, 'refs', 'add', (now, limits) => addRef(now, ref, limits)),
    remove: (ref) => editSpace(pad, 'refs', 'remove', (now) => removeRef(now, ref)),
    set: (items) => editSpace(pad, 'refs', 'set', (_, limits) => setRefs(items, limits)),
    clear: () => editSpace(pad, 'refs', 'clear', emptied),
  };
}

const emptied = (): Edited => ({ content: '', warnings: [] });

/** A new step that does not fit is refused: a plan cut in its last line would be another plan. */
function fitting(content: string, limits: Limits): Edited {
  const used = countCharacters(content);
  if (used <= limits.plan) return { content, warnings: [] };
  throw new ScratchpadError('refused', 'the step would exceed the plan limit: nothing was changed', {
    expected: `at most ${thousands(limits.plan)} characters in all`,
    found: `${thousands(used)} with the step`,
    next: 'rewrite a tighter plan with: scratchpad plan set',
  });
}
