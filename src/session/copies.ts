import { basename, join, relative } from 'node:path';
import { ensureFolder, list, tryList, tryRemove, writeAtomically } from '../fs/index.ts';
import type { Problem } from '../pad/document.ts';
import { digest } from '../text/digest.ts';
import { fileNameFor } from './names.ts';
import type { Conflict } from './reconcile.ts';
import type { SessionPaths } from './workspace.ts';

/** A hostile file may have thousands. */
const PROBLEMS_TOLD = 3;

/** Keeps a damaged file as it was, once for each content, and says where. */
export function keepOriginal(
  paths: SessionPaths,
  root: string,
  text: string,
  problems: readonly Problem[],
): string {
  const name = `${stamp()}-${digest(text)}${ownerOf(paths)}${basename(paths.pad)}`;
  const kept = keep(paths.recovered, name, digest(text), text);
  const told = problems.slice(0, PROBLEMS_TOLD).map(({ message, line }) => `${message} (line ${line})`);
  const more = problems.length - told.length;
  const what = told.join('; ') + (more > 0 ? `; and ${more} more` : '');
  return `${basename(paths.pad)} was damaged: ${what}. The original is kept in ${relative(root, kept)}`;
}

/** How the two sides of a conflict are told. */
const SIDES = {
  editor: {
    why: [
      'An editor saved an older copy of the file and both sides had changed the same lines.',
      `The file has the editor's version of these lines; everything else was merged.`,
    ],
    replaced: 'As it was acknowledged before',
    kept: 'As the editor saved it',
  },
  machine: {
    why: [
      'Two machines changed the same lines before they had heard of each other.',
      'All machines have the second version of these lines now; everything else was merged.',
    ],
    replaced: 'As one machine had it',
    kept: 'As the other machine had it',
  },
} as const;

/** Keeps both sides of a conflict, and says where. */
export function keepConflict(
  paths: SessionPaths,
  root: string,
  conflict: Conflict,
  between: keyof typeof SIDES = 'editor',
): string {
  const { why, replaced, kept: chosen } = SIDES[between];
  const text = [
    `# Two versions of ${conflict.space}`,
    '',
    ...why,
    '',
    `## ${replaced}`,
    '',
    conflict.acknowledged,
    '',
    `## ${chosen}`,
    '',
    conflict.file,
    '',
  ].join('\n');
  const name = `${stamp()}-${digest(text)}${ownerOf(paths)}${conflict.space}.md`;
  const kept = keep(paths.conflicts, name, digest(text), text);
  return `${conflict.space} was changed on both sides in the same lines: both versions are kept in ${relative(root, kept)}`;
}

/** Removes the copies of a session's pad that were kept of damage, of conflicts and before compactions. */
export function removeCopies(paths: SessionPaths): void {
  for (const folder of [paths.recovered, paths.conflicts])
    for (const name of tryList(folder)) if (name.includes(ownerOf(paths))) tryRemove(join(folder, name));
  const snapshots = join(paths.data, 'snapshots');
  for (const name of tryList(snapshots))
    if (name.endsWith(snapshotOf(paths.session))) tryRemove(join(snapshots, name));
}

/** The end of a snapshot's file name, which says of which session's pad it is. */
export function snapshotOf(session: string): string {
  return `@${fileNameFor(session)}.md`;
}

/** The part of a copy's file name that says of which session it is; no name of a session has an @. */
function ownerOf({ session }: SessionPaths): string {
  return `@${fileNameFor(session)}@`;
}

function keep(dir: string, name: string, mark: string, text: string): string {
  ensureFolder(dir);
  const same = list(dir).find((file) => file.includes(`-${mark}@`) && !file.startsWith('.'));
  if (same !== undefined) return join(dir, same);
  const path = join(dir, name);
  writeAtomically(path, text);
  return path;
}

function stamp(): string {
  return new Date().toISOString().slice(0, 19).replace(/:/g, '-');
}
