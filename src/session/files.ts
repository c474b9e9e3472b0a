import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasCode, ScratchpadError } from '../errors.ts';
import { decodeBytes, encodeBytes } from '../pad/bytes.ts';
import { DATA_DIR } from './workspace.ts';

/** A pad is a few thousand characters; anything near this is not one, and must not fill the memory. */
const PAD_SIZE_LIMIT = 16 * 1024 * 1024;

/** The bytes of a text file as a string that encodes back to the same bytes; `undefined` when there is none. */
export function readTextFile(path: string): string | undefined {
  try {
    const size = statSync(path).size;
    if (size > PAD_SIZE_LIMIT) {
      throw new ScratchpadError('environment', 'the file is too large for a scratchpad', {
        where: path,
        expected: `at most ${PAD_SIZE_LIMIT / 1024 / 1024} MB`,
        found: `${Math.round(size / 1024 / 1024)} MB`,
        next: 'move it away and run the command again',
      });
    }
    return decodeBytes(readFileSync(path));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw ioError(error, 'cannot read', path);
  }
}

/**
 * A file written beside its target and flushed, ready to take its place. Preparing it first
 * means that a full disk is found out before anything has changed.
 */
export interface Draft {
  /** Puts it in place, atomically, and flushes the directory. */
  commit(): void;
  discard(): void;
}

export function draftFile(target: string, text: string): Draft {
  const temp = join(
    dirname(target),
    `.${basename(target)}.${process.pid}-${Math.random().toString(36).slice(2, 10)}.tmp`,
  );
  // The mode that a person gave the file stays with it.
  const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o644;
  const discard = (): void => {
    try {
      unlinkSync(temp);
    } catch {
      // Gone already.
    }
  };
  try {
    const fd = openSync(temp, 'wx', mode & 0o777);
    try {
      writeAll(fd, encodeBytes(text));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    discard();
    throw ioError(error, 'cannot write', target);
  }
  const commit = (): void => {
    try {
      renameSync(temp, target);
    } catch (error) {
      discard();
      throw ioError(error, 'cannot replace', target);
    }
    flushDirectory(dirname(target));
  };
  return { commit, discard };
}

/** Writes a whole buffer: one `write` may take less than it was given. */
export function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

export function flushDirectory(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    fsyncSync(fd);
  } catch {
    // Some file systems cannot flush a directory; the rename itself has happened.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Creates `.scratchpad/` (0700, never in git) and `dir` in it. */
export function ensureDataDir(data: string, dir: string): void {
  try {
    if (basename(data) === DATA_DIR && lstatSync(data, { throwIfNoEntry: false }) === undefined) {
      mkdirSync(data, { recursive: true, mode: 0o700 });
      writeFileSync(join(data, '.gitignore'), '*\n', { flag: 'a' });
    }
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw ioError(error, 'cannot create', dir);
  }
}

/** Puts a system error into words that say what to do. */
export function ioError(error: unknown, what: string, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const code = String(error.code);
  const next = new Map([
    ['ENOSPC', 'free some space on that disk and run the command again: nothing was changed'],
    ['EDQUOT', 'free some of your quota and run the command again: nothing was changed'],
    ['EROFS', 'the file system is read-only: make it writable, or name another workspace'],
    ['EACCES', 'check the permissions of the file and its directory'],
    ['EPERM', 'check the permissions of the file and its directory'],
    ['EISDIR', 'a directory stands where a file should be: move it away'],
    ['ENOTDIR', 'a file stands where a directory should be: move it away'],
  ]).get(code);
  return new ScratchpadError('environment', `${what} ${basename(path)}`, {
    where: path,
    found: error.message,
    ...(next === undefined ? {} : { next }),
    cause: error,
  });
}
