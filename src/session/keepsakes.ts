import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Problem } from '../pad/document.ts';
import { DRAFT_NAME, draftFile } from './draft.ts';
import { ioError } from './io-error.ts';
import { digest } from './journal.ts';
import { processIsGone } from './lock.ts';
import type { Conflict } from './reconcile.ts';
import { PAD_FILE, type SessionPaths } from './workspace.ts';

/** A hostile file may have thousands. */
const PROBLEMS_TOLD = 3;

/** Keeps a damaged file as it was, once for each content, and says where. */
export function keepOriginal(
  paths: SessionPaths,
  root: string,
  text: string,
  problems: readonly Problem[],
): string {
  const kept = keep(paths.recovered, `${stamp()}-${digest(text)}-${basename(paths.pad)}`, digest(text), text);
  const told = problems.slice(0, PROBLEMS_TOLD).map(({ message, line }) => `${message} (line ${line})`);
  const more = problems.length - told.length;
  const what = told.join('; ') + (more > 0 ? `; and ${more} more` : '');
  return `${basename(paths.pad)} was damaged: ${what}. The original is kept in ${relative(root, kept)}`;
}

/** Keeps both sides of a conflict, and says where. */
export function keepConflict(paths: SessionPaths, root: string, conflict: Conflict): string {
  const text = [
    `# Two versions of ${conflict.space}`,
    '',
    'An editor saved an older copy of the file and both sides had changed the same lines.',
    `The file has the editor's version of these lines; everything else was merged.`,
    '',
    '## As it was acknowledged before',
    '',
    conflict.acknowledged,
    '',
    '## As the editor saved it',
    '',
    conflict.file,
    '',
  ].join('\n');
  const kept = keep(paths.conflicts, `${stamp()}-${digest(text)}-${conflict.space}.md`, digest(text), text);
  return `${conflict.space} was changed on both sides in the same lines: both versions are kept in ${relative(root, kept)}`;
}

/**
 * Removes what processes that were killed left half done beside the pad and in the session's
 * directory. Called by the holder of the lock: nobody else is writing a draft of these files,
 * and a guard of a lock that is gone guards nothing.
 */
export function sweep(paths: SessionPaths): void {
  for (const dir of new Set([dirname(paths.pad), paths.dir])) {
    for (const name of namesIn(dir)) {
      if (!isLeftover(name)) continue;
      try {
        rmSync(join(dir, name), { recursive: true, force: true });
      } catch {
        // Somebody else was quicker.
      }
    }
  }
}

function isLeftover(name: string): boolean {
  const target = DRAFT_NAME.exec(name)?.[1];
  if (target !== undefined) return target === PAD_FILE || target === 'journal.jsonl';
  if (name.startsWith('lock.over-')) return true;
  // Somebody who is alive may be about to link or rename it.
  const pid = Number(/^(?:lock|\.scratchpad)\.(\d+)-[\w-]+(?:\.tmp)?$/.exec(name)?.[1] ?? Number.NaN);
  return Number.isInteger(pid) && processIsGone(pid);
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function keep(dir: string, name: string, mark: string, text: string): string {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const same = readdirSync(dir).find((file) => file.includes(`-${mark}-`) && !file.startsWith('.'));
    if (same !== undefined) return join(dir, same);
  } catch (error) {
    throw ioError(error, 'cannot create', dir);
  }
  const path = join(dir, name);
  draftFile(path, text).commit();
  return path;
}

function stamp(): string {
  return new Date().toISOString().slice(0, 19).replace(/:/g, '-');
}
