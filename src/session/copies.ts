import { basename, dirname, join, relative } from 'node:path';
import {
  DATA_DIR,
  ensureFolder,
  isProcessGone,
  list,
  PAD_FILE,
  readText,
  sweepTemporary,
  tryList,
  tryRemove,
  writeAtomically,
} from '../base/fs/index.ts';
import { digestText, formatFileTime } from '../base/text/strings.ts';
import type { Problem } from '../pad/document.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import type { Conflict } from './reconcile.ts';
import { RESTORED, type SecondCopy } from './second-copy.ts';
import { MOST_PROBLEMS } from './snapshot.ts';
import type { PadView } from './view.ts';
import { encodeFileName, type SessionPaths } from './workspace.ts';

/** Keeps a copy of a damaged file. @returns a notice for the person */
function keepOriginal(paths: SessionPaths, root: string, text: string, problems: readonly Problem[]): string {
  const copy = keepCopy(paths, root, 'recovered', PAD_FILE, text);
  const descriptions = problems
    .slice(0, MOST_PROBLEMS)
    .map(({ message, line }) => `${message} (line ${line})`);
  const more = problems.length - descriptions.length;
  const damage = descriptions.join('; ') + (more > 0 ? `; and ${more} more` : '');

  return `${PAD_FILE} was damaged: ${damage}. The original is kept in ${copy}`;
}

/** Keeps both versions of lines that two sides changed. @returns a notice for the person */
export function keepConflict(paths: SessionPaths, root: string, conflict: Conflict): string {
  const { space, acknowledged, file } = conflict;
  const text = [
    `# Two versions of ${space}`,
    'Both had changed the same lines: an editor that saved an older copy, or another machine.',
    "The second version's lines are in the file; everything else was merged.",
    `## First version\n\n${acknowledged}`,
    `## Second version\n\n${file}\n`,
  ].join('\n\n');

  const copy = keepCopy(paths, root, 'conflicts', `${space}.md`, text);
  return `both sides changed the same lines of ${space}: both versions are kept in ${copy}`;
}

/** Restores a lost journal from its second copy, and keeps a foreign one that lay in its place. Yields notices. */
export function* restoreJournal(copy: SecondCopy, paths: SessionPaths, root: string): Generator<string> {
  const { restores } = copy;
  if (restores === undefined) return;

  const foreign = restores === 'foreign' ? readText(paths.journal, 'journal') : undefined;
  const foreignCopy = foreign && keepCopy(paths, root, 'recovered', basename(paths.journal), foreign);
  copy.restore();

  yield foreignCopy
    ? `another scratchpad's journal lay in the place of yours: yours is back, and the other is kept in ${foreignCopy}`
    : RESTORED.gone;
}

/** Keeps a copy of what a repair or a merge takes out of the file. Yields notices, also of edits that were merged. */
export function* keepCopies(paths: SessionPaths, root: string, view: PadView): Generator<string> {
  const { text, document, problems, reconciled } = view;
  if (problems.length > 0) yield keepOriginal(paths, root, text ?? '', problems);
  for (const conflict of reconciled.conflicts) yield keepConflict(paths, root, conflict);
  for (const { space, by } of reconciled.adoptions)
    if (by === 'merge') yield `${space}: merged an edit made in an older copy of the file`;
  if (document === undefined || reconciled.wasRemovedByCheckout) return;

  for (const space of SPACE_NAMES)
    if (!document.regions.has(space) && reconciled.spaces[space] !== '')
      yield `${space}: its section was missing in the file and is written again; scratchpad ${space} clear empties it`;
}

export function removeCopies(paths: SessionPaths): void {
  for (const folder of [paths.recovered, paths.conflicts])
    for (const name of tryList(folder)) if (name.includes(getOwnerName(paths))) tryRemove(join(folder, name));
}

/** The part of a copy's file name that identifies the session; session names contain no @. */
const getOwnerName = ({ session }: SessionPaths): string => `@${encodeFileName(session)}@`;

/** Keeps a text once, in a file named after its time and session. @returns the file's path in the workspace */
function keepCopy(
  paths: SessionPaths,
  root: string,
  kind: 'recovered' | 'conflicts',
  name: string,
  text: string,
): string {
  const folder = paths[kind];
  const digest = digestText(text);
  ensureFolder(folder);

  const earlier = list(folder).find((file) => file.includes(`-${digest}@`) && !file.startsWith('.'));
  const file = earlier ?? `${formatFileTime(Date.now())}-${digest}${getOwnerName(paths)}${name}`;
  const path = join(folder, file);
  if (earlier === undefined) writeAtomically(path, text);

  return relative(root, path);
}

/**
 * Removes leftovers of a killed process beside a session's pad and in its directory: drafts of these files, which
 * only the holder of the lock writes, and guards of a lock that no longer exists.
 */
export function sweepSession(paths: SessionPaths): void {
  for (const folder of new Set([dirname(paths.pad), paths.dir]))
    sweepTemporary(folder, (target) => [PAD_FILE, DATA_DIR, 'journal.jsonl'].includes(target));
  for (const name of tryList(paths.dir)) {
    const pid = /^lock\.(?:over-)?(\d+)-[\w-]+/.exec(name)?.[1];
    if (pid !== undefined && isProcessGone(Number(pid))) tryRemove(join(paths.dir, name));
  }
}
