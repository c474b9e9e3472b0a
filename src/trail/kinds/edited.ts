import { posix } from 'node:path';
import { type Extractor, type Mark, markOf, placeOf } from '../extractor.ts';
import { isListed, listedByStatus } from '../git-status.ts';
import { type GitCall, gitCall, isElsewhere } from '../shell.ts';
import type { Course, TrailStep } from '../steps.ts';

type Done = TrailStep & { type: 'done' };

export interface EditedFile extends Mark {
  path: string;
  edits: number;
  staged?: true;
  /** The session does not show whether a commit included it. */
  unsure?: true;
}

export interface Edited {
  files: EditedFile[];
  /** Stashed by `git stash`. */
  stashed: EditedFile[];
}

const MOST_FILES = 100;

/** Files that the agent changed and did not commit. */
export const editedFiles: Extractor<Edited> = {
  kind: 'edited',
  initial: () => ({ files: [], stashed: [] }),
  observe(step, state, course) {
    if (step.type !== 'done' || step.outcome === 'rejected' || step.outcome === 'interrupted') return;
    const worked = step.outcome !== 'failed';
    if (worked) {
      for (const { path, how } of step.call.files) {
        if (how === 'read' || isOutside(path) || /(?:^|\/)\.git(?:\/|$)/.test(path)) continue;
        const known = state.files.find((file) => file.path === path);
        state.files = state.files.filter((file) => file !== known);
        // Whether a removed file had been committed is unknown.
        if (how === 'remove') continue;
        state.files.push({ path, edits: (known?.edits ?? 0) + 1, ...placeOf(step) });
      }
    }
    const listed = listedByStatus(step);
    for (const segment of step.segments) {
      const call = gitCall(segment);
      if (call === undefined || isElsewhere(segment, course.root)) continue;
      const here = hereOf(call, course);
      git(call, state, step, worked, here);
      if (listed === undefined) continue;
      state.files = state.files.filter(({ path }) => isListed(listed, path, here));
      for (const file of state.files) delete file.unsure;
    }
    state.files = state.files.slice(-MOST_FILES);
  },
  facts: ({ files }) =>
    files
      .filter(({ unsure }) => unsure !== true)
      .toReversed()
      .map((file) => ({
        key: file.path,
        text: file.path,
        why: `${file.edits === 1 ? 'an edit' : `${file.edits} edits`} and no commit since${file.staged === true ? ', staged' : ''}`,
        ...markOf(file),
      })),
};

const isOutside = (path: string): boolean =>
  posix.isAbsolute(path) || path.startsWith('~') || /^[A-Za-z]:/.test(path);

/** The directory of a git command, relative to the workspace. */
function hereOf({ cd }: GitCall, { cwd, root }: Course): string {
  const plain = (path: string): string => path.replace(/\\/g, '/');
  return posix.relative(plain(root), posix.resolve(plain(cwd ?? root), cd ?? '.'));
}

function git({ verb, rest }: GitCall, state: Edited, step: Done, worked: boolean, here: string): void {
  const options = rest.filter((word) => word.startsWith('-'));
  const names = rest.filter((word) => !word.startsWith('-') && word !== '--');
  const chosen = (): EditedFile[] =>
    state.files.filter(({ path }) => names.some((name) => matches(path, name, here)));
  const everything = options.some((option) => /^(?:-A|--all|-u|--update)$/.test(option));
  if (verb === 'add' && worked) {
    for (const file of everything ? state.files : chosen()) file.staged = true;
  } else if (verb === 'commit') commit(rest, state, step);
  else if (!worked) return;
  else if (verb === 'stash') {
    if (names[0] === 'pop' || names[0] === 'apply') {
      state.files = [...state.stashed, ...state.files];
      state.stashed = [];
    } else if (names[0] === undefined || names[0] === 'push' || names[0] === 'save') {
      state.stashed = state.files;
      state.files = [];
    }
  } else if (verb === 'reset' && options.includes('--hard')) state.files = [];
  else if (verb === 'restore' || (verb === 'checkout' && rest.includes('--'))) {
    if (options.includes('--staged')) return;
    const gone = new Set(chosen());
    state.files = state.files.filter((file) => !gone.has(file));
  } else if (verb === 'clean' && options.some((option) => /^-\w*f/.test(option))) {
    for (const file of state.files) file.unsure = true;
  }
}

/** `[branch 1a2b3c4] subject`: only what Git itself says proves a commit. */
const COMMITTED = /^\[[^\]\n]{1,200} [0-9a-f]{7,40}\] /m;

/** A commit that prints nothing: `-q`, `-qam`. */
const QUIET = /^(?:--quiet|-[a-zA-Z]*q[a-zA-Z]*)$/;

function commit(rest: readonly string[], state: Edited, { output, outcome }: Done): void {
  const quiet = outcome === 'ok' && rest.some((word) => QUIET.test(word));
  if (!quiet && !COMMITTED.test(output)) return;
  const all = rest.some((word) => /^-(?:[b-zA-Z]*a[a-zA-Z]*)$/.test(word) || word === '--all');
  const count = Number(/^\s*(\d+) files? changed/m.exec(output)?.[1] ?? 0);
  const staged = state.files.filter(({ staged }) => staged === true);
  if (all || (count >= state.files.length && !quiet)) state.files = [];
  else if (staged.length > 0) state.files = state.files.filter((file) => !staged.includes(file));
  else for (const file of state.files) file.unsure = true;
}

function matches(path: string, name: string, here: string): boolean {
  const wanted = posix.normalize(posix.join(here, name)).replace(/\/$/, '');
  if (wanted === '.' || wanted === '' || path === wanted || path.startsWith(`${wanted}/`)) return true;
  return /[*?]/.test(name) && (path.startsWith(wanted.replace(/[*?].*$/, '')) || wanted.startsWith('*'));
}
