import { existsSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Problem } from '../pad/document.ts';
import { draftFile, ioError } from './files.ts';
import { digest } from './journal.ts';
import { processIsGone } from './lock.ts';
import type { Conflict } from './reconcile.ts';
import type { SessionPaths } from './workspace.ts';

/** Keeps a damaged file as it was, once for each content, and says where. */
export function keepOriginal(
  paths: SessionPaths,
  root: string,
  text: string,
  problems: readonly Problem[],
): string {
  const kept = keep(paths.recovered, `${stamp()}-${digest(text)}-${basename(paths.pad)}`, digest(text), text);
  const what = problems.map((problem) => `${problem.message} (line ${problem.line})`).join('; ');
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

/** Removes what processes that were killed left half done beside the pad and in the session's directory. */
export function sweep(paths: SessionPaths): void {
  const leftovers =
    /^(?:lock\.(?:over-[\w-]+?\.)?|\.(?:SCRATCHPAD\.md|journal\.jsonl)\.)(\d+)-[\w-]+(?:\.tmp)?$/;
  for (const dir of new Set([dirname(paths.pad), paths.dir])) {
    for (const name of readdirSync(dir)) {
      const pid = Number(leftovers.exec(name)?.[1] ?? Number.NaN);
      if (!Number.isInteger(pid) || !processIsGone(pid)) continue;
      try {
        unlinkSync(join(dir, name));
      } catch {
        // Somebody else was quicker.
      }
    }
  }
}

function keep(dir: string, name: string, mark: string, text: string): string {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const same = existsSync(dir) ? readdirSync(dir).find((file) => file.includes(mark)) : undefined;
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
