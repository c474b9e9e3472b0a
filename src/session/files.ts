import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hasCode, ScratchpadError } from '../errors.ts';
import { decodeBytes } from '../pad/bytes.ts';
import { ioError } from './io-error.ts';
import { DATA_DIR } from './workspace.ts';

export { type Draft, draftFile, type Replaced } from './draft.ts';
export { ioError } from './io-error.ts';

/** A pad is a few thousand characters; anything near this is not one, and must not fill the memory. */
const PAD_SIZE_LIMIT = 16 * 1024 * 1024;

/** The bytes of a text file as a string that encodes back to the same bytes; `undefined` when there is none. */
export function readTextFile(path: string): string | undefined {
  try {
    const stats = statSync(path);
    // A pipe would be waited on for ever.
    if (!stats.isFile() && !stats.isDirectory()) {
      throw new ScratchpadError('environment', 'not a regular file', {
        where: path,
        expected: 'a file, or nothing',
        found: 'a special file',
        next: 'move it away and run the command again',
      });
    }
    const { size } = stats;
    if (size > PAD_SIZE_LIMIT) {
      throw new ScratchpadError('environment', 'the file is too large for a scratchpad', {
        where: path,
        expected: `at most ${PAD_SIZE_LIMIT / 1024 / 1024} MB`,
        found: `${Math.round(size / 1024 / 1024)} MB`,
        next: 'move it away and run the command again',
      });
    }
    // Node reads text faster than bytes; where it had to put in a replacement character, the bytes count.
    const text = readFileSync(path, 'utf8');
    return text.includes('\ufffd') ? decodeBytes(readFileSync(path)) : text;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw ioError(error, 'cannot read', path);
  }
}

/** Whether a file was modified in the last `ms` milliseconds; a clock that was set back counts as long ago. */
export function modifiedWithin(ms: number, path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < ms;
}

/** Creates `.scratchpad/` (0700, never in git) and `dir` in it. */
export function ensureDataDir(data: string, dir: string): void {
  try {
    if (basename(data) === DATA_DIR && !existsSync(data)) createIgnored(data);
    if (!existsSync(dir)) mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw ioError(error, 'cannot create', dir);
  }
}

/** The directory appears with its `.gitignore` in it, or not at all: a kill must not leave it open to a commit. */
function createIgnored(data: string): void {
  const made = `${data}.${process.pid}-${Math.random().toString(36).slice(2, 10)}.tmp`;
  try {
    mkdirSync(made, { mode: 0o700 });
    writeFileSync(join(made, '.gitignore'), '*\n');
    renameSync(made, data);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Another process was quicker.
    if (!hasCode(error, 'EEXIST', 'ENOTEMPTY')) throw error;
  }
}
