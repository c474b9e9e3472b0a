import { misuse } from '../base/errors.ts';
import { counted } from '../base/text/strings.ts';
import {
  changeInShort,
  difference,
  type HistoryRow,
  historyOf,
  planOf,
  redo as redoChanges,
  rowsOf,
  spacesAt,
  spellAuthor,
  undo as undoChanges,
  type Walked,
} from '../core/history.ts';
import { describeUsage } from '../pad/budget.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import type { Spaces } from '../session/journal.ts';
import { command } from './command.ts';
import { forPeople, type Invocation, numberOf, spell, wholeNumber } from './invocation.ts';
import { needPad, needWorkspace, type Opened, openKnown, placesIn } from './open.ts';
import { columns, localTimes, painter } from './print.ts';

export const history = command({
  takes: {
    '[count]': 'how many to show (default 20)',
    '-n, --limit <n>': 'the same',
    '--space <name>': 'only this space',
  },
  examples: ['scratchpad history', 'scratchpad history 5 --space notes'],
  run: async (call, { count, limit, space }) => {
    const wanted = space === undefined ? SPACE_NAMES : [spaceNamed(space)];
    const most = wholeNumber(limit ?? count, '--limit', 20, { least: 1 });
    const { pad, config } = await openThere(call, 'no changes');
    const kept = await historyOf(pad);
    const rows = rowsOf(kept).filter((row) => wanted.includes(row.space));
    const shown = rows.slice(-most).reverse();
    if (kept.skipped > 0) call.warn([`${kept.skipped} unreadable journal lines were skipped`]);
    const undone = undoneIn(rows);
    const local = localTimes(config);
    const lines = columns(
      shown.map((row) => [
        String(row.rev).padStart(4),
        local(row.timestamp),
        row.space.padEnd(5),
        (row.of === undefined ? row.op : `${row.op} of ${row.of}`).padEnd(9),
        spellAuthor(row),
        `${changeInShort(row)}${undone.has(row.rev) ? ' (undone)' : ''}`,
      ]),
    );
    call.result(shown, lines.length === 0 ? 'no changes yet' : lines);
    const older = rows.length - shown.length;
    if (older > 0) call.note(`${older} older: --limit ${rows.length}`);
    const others = wanted.includes('plan') ? (kept.elsewhere ?? []).length : 0;
    if (others > 0) call.note(`not shown: ${counted(others, 'change')} of other plans`);
  },
});

/** The revisions that were undone, and not redone. */
function undoneIn(rows: readonly HistoryRow[]): Set<number> {
  const undone = new Set<number>();
  for (const { op, of } of rows) {
    if (op === 'undo' && of !== undefined) undone.add(of);
    else if (op === 'redo' && of !== undefined) undone.delete(of);
  }
  return undone;
}

export const diff = command({
  about: 'show what changed between two revisions; the newest change unless given',
  takes: {
    '[from]': 'number of the earlier revision',
    '[to]': 'number of the later revision; the newest unless given',
  },
  examples: ['scratchpad diff', 'scratchpad diff 3'],
  run: async (call, { from, to }) => {
    const [first, last] = [from, to].map((text) =>
      text === undefined ? undefined : numberOf(text, 'the number of a revision'),
    );
    const opened = await openKnown(call);
    const kept = await historyOf(opened.pad);
    if (kept.revisions.length === 0) {
      needPad((await opened.store.read()).exists, opened);
      call.note('no changes yet');
    }
    const found = difference(kept, first, last);
    const { createTwoFilesPatch } = await import('diff');
    const lines = found.changes.flatMap(({ space, before, after }) =>
      createTwoFilesPatch(
        ...([`${space}@${found.from}`, `${space}@${found.to}`, ended(before), ended(after), '', ''] as const),
        { context: 2 },
      )
        .trimEnd()
        .split('\n')
        .filter((line) => !line.startsWith('=====')),
    );
    const paint = painter(call.env);
    const styles = { '+': 'green', '-': 'red', '@': 'cyan' } as const;
    const other = planOf(kept, found.to);
    if (other !== undefined) call.note(`revision ${found.to} changed ${other}, which is not shown here`);
    call.result(found, lines.length === 0 ? 'no difference' : lines, (line) => {
      const style = styles[line[0] as keyof typeof styles];
      return style === undefined ? line : paint(/^(?:---|\+\+\+) /.test(line) ? 'bold' : style, line);
    });
  },
});

const COUNT = { '[count]': 'how many changes (default 1)' };

export const undo = command({
  about:
    'undo the newest changes of plan, notes and refs, also those made by hand; entries come back with: entry undelete',
  takes: { ...COUNT, '--others': "also those of a host's session, for a person at the shell" },
  examples: ['scratchpad undo', 'scratchpad undo 3'],
  run: async (call, { count, others = false }) => {
    const number = changesIn(count);
    if (others) forPeople(call, '--others');
    const opened = await openThere(call, 'nothing to undo');
    await tellOfEntries(call, opened);
    answer(call, await undoChanges(opened.pad, number, others));
  },
});

/** Names the entry that was overwritten or deleted after the newest change of a space: it may be what is meant. */
async function tellOfEntries(call: Invocation, opened: Opened): Promise<void> {
  const all = await Promise.all((await placesIn(opened)).map((place) => place.past()));
  const past = all.flat().toSorted((a, b) => (a.until < b.until ? 1 : -1))[0];
  const newest = (await historyOf(opened.pad)).revisions.at(-1);
  if (past === undefined || (newest !== undefined && past.until <= newest.timestamp)) return;
  call.note(`entries are not undone; the last one back: ${spell('entry', 'undelete', past.name)}`);
}

export const redo = command({
  takes: COUNT,
  examples: ['scratchpad redo'],
  run: async (call, { count }) => {
    const number = changesIn(count);
    answer(call, await redoChanges((await openThere(call, 'nothing to redo')).pad, number));
  },
});

/** The spaces as they were at a revision, and its time. @throws ScratchpadError `refused` if it is not kept */
export async function spacesOfRevision(
  call: Invocation,
  rev: number,
): Promise<{ spaces: Spaces; at: string | undefined }> {
  const { pad, config } = await openKnown(call);
  const kept = await historyOf(pad);
  const time = kept.revisions.find((each) => each.rev === rev)?.timestamp;
  return { spaces: spacesAt(kept, rev), at: time && localTimes(config)(time) };
}

function changesIn(text: string | undefined): number {
  return text === undefined ? 1 : numberOf(text, 'a number of changes');
}

function answer(call: Invocation, walked: Walked): void {
  call.warn(walked.warnings);
  call.done(walked, [walked.message, ...walked.usage.map(describeUsage)]);
}

async function openThere(call: Invocation, result: string): Promise<Opened> {
  const opened = await openKnown(call);
  needWorkspace(opened, call, result);
  return opened;
}

function spaceNamed(text: string): SpaceName {
  const space = SPACE_NAMES.find((name) => name === text);
  if (space) return space;
  throw misuse('no such space', { expected: SPACE_NAMES.join(', '), found: text });
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
