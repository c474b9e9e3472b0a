import { misuse } from '../base/errors.ts';
import {
  changeInShort,
  difference,
  type HistoryRow,
  historyOf,
  redo as redoChanges,
  restore as restoreSpaces,
  rowsOf,
  spacesAt,
  spellAuthor,
  undo as undoChanges,
  type Walked,
} from '../core/history.ts';
import { describeUsage } from '../pad/budget.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import type { Spaces } from '../session/journal.ts';
import { forPeople, type Invocation, numberOf, type Takes, wholeNumber } from './invocation.ts';
import { entriesIn, needPad, needSession, needWorkspace, type Opened, openSession } from './open.ts';
import { localTimes, painter } from './terminal.ts';

type HistoryOptions = Takes<'limit' | 'space'>;

/** The changes, newest first, including edits to the file that no command has seen yet. */
export async function history(
  invocation: Invocation,
  count: string | undefined,
  options: HistoryOptions,
): Promise<void> {
  const space = options.space === undefined ? undefined : spaceNamed(options.space);
  const limit = wholeNumber(options.limit ?? count, '--limit', 20, { least: 1 });
  const opened = await openThere(invocation, 'no changes');
  const kept = await historyOf(opened.pad);
  const rows = rowsOf(kept).filter((row: HistoryRow) => space === undefined || row.space === space);
  const shown = rows.slice(-limit).reverse();
  if (kept.skipped > 0) invocation.warn([`${kept.skipped} unreadable journal lines were skipped`]);
  const local = localTimes(opened.config);
  const authors = shown.map(spellAuthor);
  const width = Math.max(0, ...authors.map((author) => author.length));
  const lines = shown.map((row, k) => {
    const what = row.of === undefined ? row.op : `${row.op} of ${row.of}`;
    const head = [String(row.rev).padStart(4), local(row.timestamp), row.space.padEnd(5), what.padEnd(9)];
    return `${head.join('  ')}  ${(authors[k] ?? '').padEnd(width)}  ${changeInShort(row)}`.trimEnd();
  });
  const more =
    rows.length > shown.length ? `${rows.length - shown.length} older: --limit ${rows.length}` : '';
  invocation.result(shown, lines.length === 0 ? 'no changes yet' : lines.join('\n'));
  if (more !== '') invocation.note(more);
}

/** What changed between two revisions, as one unified diff per space; the newest change by default. */
export async function diff(
  invocation: Invocation,
  from: string | undefined,
  to: string | undefined,
): Promise<void> {
  const [first, last] = [from, to].map((text) =>
    text === undefined ? undefined : numberOf(text, 'the number of a revision'),
  );
  const opened = await openNamed(invocation);
  const kept = await historyOf(opened.pad);
  if (kept.revisions.length === 0) {
    needPad((await opened.store.read()).exists, opened);
    invocation.note('no changes yet');
  }
  const found = difference(kept, first, last);
  const { createTwoFilesPatch } = await import('diff');
  const patches = found.changes.map(({ space, before, after }) =>
    createTwoFilesPatch(
      `${space}@${found.from}`,
      `${space}@${found.to}`,
      ended(before),
      ended(after),
      '',
      '',
      { context: 2 },
    )
      .split('\n')
      .filter((line) => !line.startsWith('====='))
      .join('\n'),
  );
  const paint = painter(invocation.env);
  const styles = { '+': 'green', '-': 'red', '@': 'cyan' } as const;
  invocation.result(found, patches.join('').trimEnd() || 'no difference', (line) => {
    const style = styles[line[0] as keyof typeof styles];
    return style === undefined ? line : paint(/^(?:---|\+\+\+) /.test(line) ? 'bold' : style, line);
  });
}

/** Undoes changes. */
export async function undo(
  invocation: Invocation,
  count: string | undefined,
  { others = false }: { others?: boolean } = {},
): Promise<void> {
  const number = changesIn(count);
  if (others) forPeople(invocation, '--others');
  const opened = await openThere(invocation, 'nothing to undo');
  if (count === undefined && !others && (await entryBack(invocation, opened))) return;
  answer(invocation, await undoChanges(opened.pad, number, others));
}

/** Restores an entry that was deleted after the newest change of a space: then that is what is undone. */
async function entryBack(invocation: Invocation, opened: Opened): Promise<boolean> {
  const entries = await entriesIn(opened);
  const deleted = (await entries.past()).toSorted((a, b) => (a.until < b.until ? 1 : -1))[0];
  if (deleted === undefined || (await entries.list()).some(({ name }) => name === deleted.name)) return false;
  const newest = (await historyOf(opened.pad)).revisions.at(-1);
  if (newest !== undefined && deleted.until <= newest.timestamp) return false;
  const entry = await entries.undelete(deleted.name);
  const value = { of: [], revision: newest?.rev ?? 0, usage: [], warnings: [], entry: entry.name };
  invocation.done(value, `undid the deletion of the entry ${entry.name}: it is back`);
  return true;
}

/** Redoes changes. */
export async function redo(invocation: Invocation, count: string | undefined): Promise<void> {
  const number = changesIn(count);
  answer(invocation, await redoChanges((await openThere(invocation, 'nothing to redo')).pad, number));
}

type RestoreOptions = Takes<'space'>;

/** Restores the spaces to a revision. */
export async function restore(invocation: Invocation, rev: string, options: RestoreOptions): Promise<void> {
  const number = numberOf(rev, 'the number of a revision');
  const wanted = options.space === undefined ? SPACE_NAMES : [spaceNamed(options.space)];
  answer(
    invocation,
    await restoreSpaces((await openThere(invocation, 'nothing to restore')).pad, number, wanted),
  );
}

/** The spaces as they were at a revision. @throws ScratchpadError `refused` for a revision that is not kept. */
export async function spacesOfRevision(invocation: Invocation, rev: number): Promise<Spaces> {
  return spacesAt(await historyOf((await openNamed(invocation)).pad), rev);
}

function changesIn(text: string | undefined): number {
  return text === undefined ? 1 : numberOf(text, 'a number of changes');
}

function answer(invocation: Invocation, walked: Walked): void {
  invocation.warn(walked.warnings);
  invocation.done(walked, [walked.message, ...walked.usage.map(describeUsage)].join('\n'));
}

async function openNamed(invocation: Invocation): Promise<Opened> {
  const opened = await openSession(invocation);
  await needSession(opened);
  return opened;
}

async function openThere(invocation: Invocation, result: string): Promise<Opened> {
  const opened = await openNamed(invocation);
  needWorkspace(opened, invocation, result);
  return opened;
}

/** @throws ScratchpadError `usage` if no space has that name */
function spaceNamed(text: string): SpaceName {
  const space = SPACE_NAMES.find((name) => name === text);
  if (space) return space;
  throw misuse('no such space', { expected: SPACE_NAMES.join(', '), found: text });
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
