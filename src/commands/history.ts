import { ScratchpadError } from '../errors.ts';
import { describeUsage, usageOf } from '../pad/budget.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { countCharacters, thousands } from '../pad/text.ts';
import { type Revision, replay, type Spaces } from '../session/journal.ts';
import type { History } from '../session/store.ts';
import { redoStep, type Step, undoStep } from '../session/undo.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';

export interface HistoryOptions {
  limit?: string;
  space?: string;
}

/** Newest first. Shape with `--json`: `[{rev, timestamp, space, op, by, of?, characters, delta}]`. */
export async function history(invocation: Invocation, options: HistoryOptions): Promise<void> {
  const { store } = await openSession(invocation);
  const kept = await store.history();
  const limit = wholeNumber(options.limit ?? '20', '--limit');
  const rows = withDeltas(kept).filter((row) => options.space === undefined || row.space === options.space);
  const shown = rows.slice(-limit).reverse();
  if (kept.skipped > 0) invocation.note(`warning: ${kept.skipped} unreadable journal lines were passed over`);
  const lines = shown.map(({ rev, timestamp, space, op, by, of, delta }) => {
    const what = of === undefined ? op : `${op} of ${of}`;
    const sign = delta > 0 ? '+' : '';
    return `${String(rev).padStart(4)}  ${timestamp.slice(0, 19).replace('T', ' ')}Z  ${space.padEnd(5)}  ${what.padEnd(12)}  ${by.padEnd(7)}  ${sign}${thousands(delta)}`;
  });
  invocation.result(shown, lines.length === 0 ? 'nothing has happened yet' : lines.join('\n'));
}

/** What changed between two revisions, as a unified diff a space; by default in the newest one. */
export async function diff(
  invocation: Invocation,
  from: string | undefined,
  to: string | undefined,
): Promise<void> {
  const { store } = await openSession(invocation);
  const kept = await store.history();
  const newest = kept.revisions.at(-1)?.rev ?? 0;
  const end = to === undefined ? newest : wholeNumber(to, 'the second revision');
  const start = from === undefined ? end - 1 : wholeNumber(from, 'the first revision');
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
  invocation.result({ from: start, to: end, changes: value }, patches.join('').trimEnd() || 'no difference');
}

export function undo(invocation: Invocation): Promise<void> {
  return step(invocation, 'undo', undoStep);
}

export function redo(invocation: Invocation): Promise<void> {
  return step(invocation, 'redo', redoStep);
}

async function step(
  invocation: Invocation,
  op: 'undo' | 'redo',
  find: (revisions: readonly Revision[], base: Spaces) => Step,
): Promise<void> {
  const { store, config } = await openSession(invocation);
  // An edit that a person has just made in the file is the first thing that undo takes back.
  await store.change(() => []);
  let taken: Step | undefined;
  const done = await store.change(async () => {
    const { revisions, base } = await store.history();
    taken = find(revisions, base);
    return [{ kind: 'space', space: taken.space, content: taken.content, op, of: taken.of }];
  });
  if (!taken) return;
  for (const notice of done.notices) invocation.note(`warning: ${notice}`);
  const usage = usageOf(taken.space, done.spaces[taken.space], config.limits);
  const verb = op === 'undo' ? 'took back' : 'did again';
  invocation.result(
    { ...usage, revision: done.revision, of: taken.of },
    `${verb} revision ${taken.of}\n${describeUsage(usage)}`,
  );
}

function withDeltas({
  revisions,
  base,
}: History): (Omit<Revision, 'content' | 'digests'> & { characters: number; delta: number })[] {
  const spaces = { ...base };
  return revisions.map(({ content, digests: _, ...rest }) => {
    const characters = countCharacters(content);
    const delta = characters - countCharacters(spaces[rest.space]);
    spaces[rest.space] = content;
    return { ...rest, characters, delta };
  });
}

/** @throws ScratchpadError `refused` for a revision that is not kept. */
function spacesAt({ revisions, base }: History, rev: number): Spaces {
  const first = (revisions[0]?.rev ?? 1) - 1;
  const last = revisions.at(-1)?.rev ?? 0;
  if (rev < first || rev > last) {
    throw new ScratchpadError('refused', 'no such revision', {
      expected: `a number from ${first} to ${last}`,
      found: String(rev),
      next: 'see them with: scratchpad history',
    });
  }
  return replay(
    revisions.filter((revision) => revision.rev <= rev),
    base,
  );
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function wholeNumber(text: string, what: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ScratchpadError('usage', `${what} is not a whole number`, { expected: 'digits', found: text });
}
