import { ScratchpadError } from '../errors.ts';
import { tryStat } from '../fs/index.ts';
import { describeUsage, usageOf } from '../pad/budget.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { brief } from '../pad/spaces.ts';
import { countCharacters, thousands } from '../pad/text.ts';
import { historyNow } from '../session/hand-edits.ts';
import { type Revision, replay, type Spaces } from '../session/journal.ts';
import type { History } from '../session/store.ts';
import { redoSteps, type Step, undoSteps } from '../session/undo.ts';
import { spellAuthor } from './author.ts';
import { painter } from './colour.ts';
import type { Invocation } from './invocation.ts';
import { localTimes } from './local-time.ts';
import { numberOf, wholeNumber } from './numbers.ts';
import { needPad, needSession, type Opened, openSession } from './open.ts';

export interface HistoryOptions {
  limit?: string;
  space?: string;
}

/** One change as `history` shows it. */
export interface HistoryRow extends Omit<Revision, 'id' | 'parentId' | 'content' | 'digests'> {
  /** Characters in the space afterwards. */
  characters: number;
  delta: number;
  /** Lines that came and lines that went. */
  added: string[];
  removed: string[];
}

/** Newest first, with edits in the file that no command has seen yet. Prints `HistoryRow[]` with `--json`. */
export async function history(invocation: Invocation, options: HistoryOptions): Promise<void> {
  const space = options.space === undefined ? undefined : spaceNamed(options.space);
  const limit = wholeNumber(options.limit, '--limit', 20, { least: 1 });
  const opened = await openSession(invocation);
  const kept = await historyOf(invocation, opened);
  const rows = rowsOf(kept).filter((row) => space === undefined || row.space === space);
  const shown = rows.slice(-limit).reverse();
  if (kept.skipped > 0) invocation.warn([`${kept.skipped} unreadable journal lines were passed over`]);
  const local = localTimes(opened.config, opened.workspace.root);
  const authors = shown.map(spellAuthor);
  const width = Math.max(0, ...authors.map((author) => author.length));
  const lines = shown.map((row, k) => {
    const what = row.of === undefined ? row.op : `${row.op} of ${row.of}`;
    const head = [String(row.rev).padStart(4), local(row.timestamp), row.space.padEnd(5), what.padEnd(9)];
    return `${head.join('  ')}  ${(authors[k] ?? '').padEnd(width)}  ${wordsOf(row)}`.trimEnd();
  });
  const more =
    rows.length > shown.length ? `${rows.length - shown.length} older: --limit ${rows.length}` : '';
  invocation.result(shown, lines.length === 0 ? 'nothing has happened yet' : lines.join('\n'));
  if (more !== '') invocation.note(more);
}

/** What changed between two revisions, as a unified diff a space; by default in the newest one. */
export async function diff(
  invocation: Invocation,
  from: string | undefined,
  to: string | undefined,
): Promise<void> {
  const [first, last] = [from, to].map((text) =>
    text === undefined ? undefined : numberOf(text, 'the number of a revision'),
  );
  const opened = await openSession(invocation);
  const kept = await historyOf(invocation, opened);
  const newest = kept.revisions.at(-1)?.rev ?? 0;
  if (newest === 0) {
    needPad((await opened.store.read()).exists, opened);
    invocation.note('nothing has been changed yet');
  }
  const end = last ?? newest;
  const start = first ?? Math.max(0, end - 1);
  const [before, after] = [spacesAt(kept, start), spacesAt(kept, end)];
  const { createTwoFilesPatch } = await import('diff');
  const changed = SPACE_NAMES.filter((space) => before[space] !== after[space]);
  const patches = changed.map((space) =>
    createTwoFilesPatch(
      `${space}@${start}`,
      `${space}@${end}`,
      ended(before[space]),
      ended(after[space]),
      '',
      '',
      { context: 2 },
    )
      .split('\n')
      .filter((line) => !line.startsWith('====='))
      .join('\n'),
  );
  const value = changed.map((space) => ({ space, before: before[space], after: after[space] }));
  const paint = painter(invocation.env);
  const styles = { '+': 'green', '-': 'red', '@': 'cyan' } as const;
  invocation.result(
    { from: start, to: end, changes: value },
    patches.join('').trimEnd() || 'no difference',
    (line) => {
      const style = styles[line[0] as keyof typeof styles];
      return style === undefined ? line : paint(/^(?:---|\+\+\+) /.test(line) ? 'bold' : style, line);
    },
  );
}

export function undo(invocation: Invocation, count: string | undefined): Promise<void> {
  return walk(invocation, 'undo', count, undoSteps);
}

export function redo(invocation: Invocation, count: string | undefined): Promise<void> {
  return walk(invocation, 'redo', count, redoSteps);
}

/** Takes changes back or makes them again. Shape with `--json`: `{of: [revision], revision, message, usage}`. */
async function walk(
  invocation: Invocation,
  op: 'undo' | 'redo',
  text: string | undefined,
  find: (revisions: readonly Revision[], base: Spaces, count: number) => Step[],
): Promise<void> {
  const count = text === undefined ? 1 : numberOf(text, 'a number of changes');
  const opened = await openSession(invocation);
  const { store } = opened;
  // An edit that a person has just made in the file is the first thing that undo takes back.
  const { revisions, base } = await historyOf(invocation, opened);
  // Refused before anything is written.
  find(revisions, base, count);
  await store.change(() => []);
  let steps: Step[] = [];
  let kept: History | undefined;
  const done = await store.change(async () => {
    kept = await store.history();
    steps = find(kept.revisions, kept.base, count);
    return steps.map(({ of, space, content }) => ({ kind: 'space', space, content, op, of }));
  });
  invocation.warn(done.notices);
  const rows = new Map(
    rowsOf(kept ?? { revisions: [], base: done.spaces, skipped: 0 }).map((row) => [row.rev, row]),
  );
  const verb = op === 'undo' ? 'took back' : 'did again';
  const messages = steps.map(({ of }) => {
    const row = rows.get(of);
    return `${verb} revision ${of}${row ? `: ${row.space} ${row.op} (${wordsOf(row)})` : ''}`;
  });
  answer(invocation, opened, done, steps, messages.join('\n'));
}

export interface RestoreOptions {
  space?: string;
}

/** Brings the spaces back to what they were at a revision. Shape with `--json`: that of `undo`. */
export async function restore(invocation: Invocation, rev: string, options: RestoreOptions): Promise<void> {
  const number = numberOf(rev, 'the number of a revision');
  const wanted = options.space === undefined ? SPACE_NAMES : [spaceNamed(options.space)];
  const opened = await openSession(invocation);
  // Refused before anything is written.
  spacesAt(await historyOf(invocation, opened), number);
  let steps: Step[] = [];
  const done = await opened.store.change(async ({ spaces }) => {
    const then = spacesAt(await historyOf(invocation, opened), number);
    steps = wanted
      .filter((space) => then[space] !== spaces[space])
      .map((space) => ({ of: number, space, content: then[space] }));
    return steps.map(({ space, content }) => ({ kind: 'space', space, content, op: 'restore', of: number }));
  });
  invocation.warn(done.notices);
  const names = steps.map(({ space }) => space).join(', ');
  const back = steps.length === 1 ? 'undo' : `undo ${steps.length}`;
  const message =
    steps.length === 0
      ? `nothing changed: all is as it was at revision ${number}`
      : `${names} as at revision ${number}; back with: scratchpad ${back}`;
  answer(invocation, opened, done, steps, message);
}

/** The spaces as they were at a revision. @throws ScratchpadError `refused` for a revision that is not kept. */
export async function spacesOfRevision(invocation: Invocation, opened: Opened, rev: number): Promise<Spaces> {
  return spacesAt(await historyOf(invocation, opened), rev);
}

function answer(
  invocation: Invocation,
  { config }: Opened,
  done: { revision: number; spaces: Spaces },
  steps: readonly Step[],
  message: string,
): void {
  const spaces = [...new Set(steps.map(({ space }) => space))];
  const usage = spaces.map((space) => usageOf(space, done.spaces[space], config.limits));
  invocation.done(
    { of: steps.map(({ of }) => of), revision: done.revision, message, usage },
    [message, ...usage.map(describeUsage)].join('\n'),
  );
}

async function historyOf(invocation: Invocation, opened: Opened): Promise<History> {
  await needSession(opened);
  const { store } = opened;
  const saved = tryStat(store.paths.pad)?.mtimeMs ?? invocation.now;
  return historyNow(store, new Date(saved).toISOString());
}

function rowsOf({ revisions, base }: History): HistoryRow[] {
  const spaces = { ...base };
  return revisions.map(({ content, digests: _, id: __, parentId: ___, ...rest }) => {
    const before = spaces[rest.space];
    spaces[rest.space] = content;
    const characters = countCharacters(content);
    const [was, is] = [linesIn(before), linesIn(content)];
    return {
      ...rest,
      characters,
      delta: characters - countCharacters(before),
      added: is.filter((line) => !was.includes(line)),
      removed: was.filter((line) => !is.includes(line)),
    };
  });
}

/** The first words that came, else those that went. */
function wordsOf({ space, added, removed, delta }: HistoryRow): string {
  const [sign, lines] = added.length > 0 ? ['+', added] : ['-', removed];
  const [first] = lines;
  if (first === undefined)
    return delta === 0 ? 'the same lines in another order' : `${thousands(delta)} characters`;
  const more = lines.length - 1;
  // A ref has a bullet in the file; in a list of changes it would look like a second sign.
  const words = brief(space === 'refs' ? first.replace(/^\s*[-*+]\s+/, '') : first);
  return `${sign} ${words}${more > 0 ? ` (and ${more} more)` : ''}`;
}

/** @throws ScratchpadError `refused` for a revision that is not kept. */
function spacesAt({ revisions, base }: History, rev: number): Spaces {
  const first = (revisions[0]?.rev ?? 1) - 1;
  const last = revisions.at(-1)?.rev ?? 0;
  if (rev < first || rev > last) {
    throw new ScratchpadError('refused', 'no such revision', {
      expected: last === 0 ? 'a pad that has been changed' : `a number from ${first} to ${last}`,
      found: String(rev),
      next: 'see them with: scratchpad history',
    });
  }
  return replay(
    revisions.filter((revision) => revision.rev <= rev),
    base,
  );
}

/** @throws ScratchpadError `usage` for a name that is none of a space */
export function spaceNamed(text: string): SpaceName {
  const space = SPACE_NAMES.find((name) => name === text);
  if (space) return space;
  throw new ScratchpadError('usage', 'there is no such space', {
    expected: SPACE_NAMES.join(', '),
    found: text,
  });
}

function linesIn(content: string): string[] {
  return content.split('\n').filter((line) => line.trim() !== '');
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
