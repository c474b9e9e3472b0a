import { formatCall } from '../base/text/shell.ts';
import { formatCount } from '../base/text/strings.ts';
import { isWithheld } from '../core/hide-untrusted.ts';
import {
  describeOtherPlan,
  diffRevisions,
  formatAuthor,
  type HistoryRow,
  listRows,
  redo as redoChanges,
  summarizeChange,
  type UndoResult,
  undo as undoChanges,
} from '../core/history.ts';
import { describeUsage } from '../pad/budget.ts';
import type { History } from '../session/store.ts';
import { defineCommand } from './command.ts';
import { type Invocation, paint, parseNumber, readWords, refuseAgent } from './invocation.ts';
import { listEntryPlaces, type OpenPad, openKnown, requirePad } from './open.ts';
import { makeTimeFormatter, renderColumns } from './print.ts';

/** Journals edits by hand first, so that displayed revision numbers stay valid. */
async function readJournalled(call: Invocation, { pad: { store } }: OpenPad): Promise<History> {
  const snapshot = await store.read();
  if (Object.keys(snapshot.edits ?? {}).length > 0 && !snapshot.isWithheld)
    call.warn((await store.change(() => []).catch(() => undefined))?.notices ?? []);
  return store.history();
}

export const history = defineCommand({
  takes: { '[count]': 'how many to show (default 20)', '-n, --limit <n>': 'the same' },
  examples: ['scratchpad history', 'scratchpad history 5'],
  run: async (call, { count = '20', limit }) => {
    const most = limit ?? parseNumber(count, 'a number of changes', 1);
    const opened = await openKnown(call, 'no changes');
    const { pad, config } = opened;
    const journal = await readJournalled(call, opened);
    const rows = listRows(journal);
    const newest = rows.slice(-most).reverse();

    if (journal.skipped > 0) call.warn([`${journal.skipped} unreadable journal lines were skipped`]);
    const undone = findUndone(rows);
    const formatTime = makeTimeFormatter(config);
    const lines = renderColumns(
      newest.map((row) => [
        String(row.rev).padStart(4),
        formatTime(row.timestamp),
        row.space.padEnd(5),
        (row.of === undefined ? row.op : `${row.op} of ${row.of}`).padEnd(9),
        formatAuthor(row),
        `${summarizeChange(row)}${undone.has(row.rev) ? ' (undone)' : ''}`,
      ]),
    );

    const empty = isWithheld(pad)
      ? 'the changes are withheld until the person approves them'
      : 'no changes yet';
    call.print(newest, lines.length === 0 ? empty : lines);
    const older = rows.length - newest.length;
    if (older > 0) call.note(`${older} older: scratchpad history ${rows.length}`);
    const others = (journal.elsewhere ?? []).length;
    if (others > 0)
      call.note(
        `not shown: ${formatCount(others, 'change')} of other plans; scratchpad plan take brings such a plan here`,
      );
  },
});

function findUndone(rows: readonly HistoryRow[]): Set<number> {
  const undone = new Set<number>();
  for (const { op, of } of rows) {
    if (op === 'undo' && of !== undefined) undone.add(of);
    else if (op === 'redo' && of !== undefined) undone.delete(of);
  }

  return undone;
}

/** A missing end of the last line is no difference. */
const endLine = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

export const diff = defineCommand({
  takes: {
    '[from]': 'number of the earlier revision',
    '[to]': 'number of the later revision; the newest unless given',
  },
  examples: ['scratchpad diff', 'scratchpad diff 3'],
  run: async (call, { from, to }) => {
    const [first, last] = [from, to].map((text) =>
      text === undefined ? undefined : parseNumber(text, 'the number of a revision'),
    );
    const opened = await openKnown(call);
    const journal = await readJournalled(call, opened);
    const isFresh = journal.revisions.length === 0;
    if (isFresh) requirePad((await opened.store.read()).exists, opened);

    const difference = diffRevisions(journal, first, last);
    const { createTwoFilesPatch } = await import('diff');
    const lines = difference.changes.flatMap(({ space, before, after }) => {
      const [old, now] = [`${space}@${difference.from}`, `${space}@${difference.to}`];
      const patch = createTwoFilesPatch(old, now, endLine(before), endLine(after), '', '', { context: 2 });
      return patch
        .trimEnd()
        .split('\n')
        .filter((line) => !line.startsWith('====='));
    });

    const empty = isFresh ? 'no changes yet' : 'no difference';
    const otherPlan = describeOtherPlan(journal, difference.to);
    if (otherPlan !== undefined)
      call.note(`revision ${difference.to} changed ${otherPlan}, which is not shown here`);
    call.print(difference, lines.length === 0 ? empty : lines, paintPatchLine);
  },
});

const PATCH_STYLES = { '+': 'green', '-': 'red', '@': 'cyan' } as const;

function paintPatchLine(line: string): string {
  if (/^(?:---|\+\+\+) /.test(line)) return paint('bold', line);
  const style = PATCH_STYLES[line[0] as keyof typeof PATCH_STYLES];
  return style === undefined ? line : paint(style, line);
}

const COUNT = { '[count]': 'how many changes (default 1)' };

export const undo = defineCommand({
  takes: { ...COUNT, '--others': 'also those of agents, for a person at the shell' },
  examples: ['scratchpad undo', 'scratchpad undo 3'],
  run: async (call, { count, others = false }) => {
    const number = parseCount(count);
    if (others) refuseAgent(call, '--others is for a person: nothing was done');

    const opened = await openKnown(call, 'nothing to undo');
    await noteNewerEntry(call, opened);
    report(call, await undoChanges(opened.pad, number, others));
  },
});

/** Names the entry that was overwritten or deleted after the newest change of a space: it may be what is meant. */
async function noteNewerEntry(call: Invocation, opened: OpenPad): Promise<void> {
  const all = await Promise.all((await listEntryPlaces(opened)).map((place) => place.past()));
  const past = all.flat().toSorted((a, b) => (a.until < b.until ? 1 : -1))[0];
  const newest = (await opened.pad.store.history()).revisions.at(-1);

  if (past === undefined || (newest !== undefined && past.until <= newest.timestamp)) return;
  call.note(`entries are not undone; the last one back: ${formatCall('entry', 'undelete', past.name)}`);
}

export const redo = defineCommand({
  takes: COUNT,
  examples: ['scratchpad redo'],
  run: async (call, { count }) => {
    const number = parseCount(count);
    report(call, await redoChanges((await openKnown(call, 'nothing to redo')).pad, number));
  },
});

const parseCount = (text = '1'): number => parseNumber(readWords([text]), 'a number of changes');

function report(call: Invocation, result: UndoResult): void {
  call.warn(result.warnings);
  call.report(result, [result.message, ...result.usage.map(describeUsage)]);
}
