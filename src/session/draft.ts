import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../errors.ts';
import { decodeBytes, encodeBytes } from '../pad/bytes.ts';
import { ioError } from './io-error.ts';

/** What became of a draft whose target had to be unchanged. */
export type Replaced =
  | { done: true; overwritten?: undefined }
  /** The target had changed before: nothing was done. */
  | { done: false; overwritten?: undefined }
  /** In place, but a person saved in that very moment: their text, which is no longer in the file. */
  | { done: true; overwritten: string };

/**
 * A file written beside its target and flushed, ready to take its place. Preparing it first
 * means that a full disk is found out before anything has changed.
 */
export interface Draft {
  /** Puts it in place, atomically, and flushes the directory. */
  commit(): void;
  /**
   * The same, but only over `expected`, the text that was read before; `undefined` for no file. The directory
   * is flushed for a new name only: this is for a file that can be made again from another.
   */
  replace(expected: string | undefined): Replaced;
  discard(): void;
}

/** Name of a draft, for the sweep of leftovers. */
export const DRAFT_NAME = /^\.(.+)\.\d+-[a-z0-9]+\.tmp$/;
/** An editor that saves in place empties the file, then writes: so often and so long its text is waited for. */
const SAVE_LOOKS = 20;
const SAVE_PAUSE_MS = 10;

/** @param mode of a file that is new; one that exists keeps its own */
export function draftFile(target: string, text: string, mode = 0o644): Draft {
  const temp = join(
    dirname(target),
    `.${basename(target)}.${process.pid}-${Math.random().toString(36).slice(2, 10)}.tmp`,
  );
  const discard = (): void => {
    try {
      unlinkSync(temp);
    } catch {
      // Gone already.
    }
  };
  try {
    const old = statSync(target, { throwIfNoEntry: false });
    const fd = openSync(temp, 'wx', old ? old.mode & 0o777 : mode);
    try {
      if (old) keepAccess(fd, old);
      writeAll(fd, encodeBytes(text));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    discard();
    throw ioError(error, 'cannot write', target);
  }
  const place = (): void => {
    try {
      renameSync(temp, target);
    } catch (error) {
      discard();
      throw ioError(error, 'cannot replace', target);
    }
  };
  const commit = (): void => {
    place();
    flushDirectory(dirname(target));
  };
  const replace = (expected: string | undefined): Replaced => {
    const old = openExisting(target);
    try {
      // A save by rename gives the name another file, a save in place gives this file another text.
      const changed =
        (old && readAll(old.fd)) !== expected ||
        statSync(target, { throwIfNoEntry: false })?.ino !== old?.ino;
      if (changed) {
        discard();
        return { done: false };
      }
      place();
      // A power cut may bring the old pad back, which the journal then brings up to date; a new name must stay.
      if (!old) flushDirectory(dirname(target));
      const after = old && settledText(old.fd, expected);
      return after === undefined || after === expected ? { done: true } : { done: true, overwritten: after };
    } finally {
      if (old) closeQuietly(old.fd);
    }
  };
  return { commit, replace, discard };
}

/** Removes drafts of a file that killed processes left. For the holder of its lock: nobody else is writing one. */
export function sweepDrafts(dir: string, name: string): void {
  for (const found of readdirSync(dir)) {
    if (DRAFT_NAME.exec(found)?.[1] === name) rmSync(join(dir, found), { force: true });
  }
}

/** The mode and the owner that a file was given stay with it, whatever the umask and whoever writes. */
function keepAccess(fd: number, old: Stats): void {
  const now = fstatSync(fd);
  if (now.uid !== old.uid || now.gid !== old.gid) {
    try {
      fchownSync(fd, old.uid, old.gid);
    } catch {
      // Only root can give files away; the writer's own file is the best there is then.
    }
  }
  if ((now.mode & 0o777) !== (old.mode & 0o777)) fchmodSync(fd, old.mode & 0o777);
}

function openExisting(path: string): { fd: number; ino: number } | undefined {
  try {
    const fd = openSync(path, 'r');
    return { fd, ino: fstatSync(fd).ino };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw ioError(error, 'cannot read', path);
  }
}

function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // Only read from: nothing is lost.
  }
}

/** The text behind a descriptor, waiting for a save that has only emptied it so far. */
function settledText(fd: number, expected: string | undefined): string | undefined {
  let text: string;
  try {
    text = readAll(fd);
  } catch {
    // The file is in place by now: failing here must not make it look otherwise.
    return undefined;
  }
  if (text === expected) return text;
  for (let look = 0; look < SAVE_LOOKS; look += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SAVE_PAUSE_MS);
    const again = readAll(fd);
    if (again === text && again.trim() !== '') break;
    text = again;
  }
  // Emptied and never filled again: there is nothing of a person's in it.
  return text.trim() === '' ? (expected ?? '') : text;
}

function readAll(fd: number): string {
  const bytes = Buffer.alloc(fstatSync(fd).size);
  let read = 0;
  while (read < bytes.length) {
    const more = readSync(fd, bytes, read, bytes.length - read, read);
    if (more === 0) break;
    read += more;
  }
  return decodeBytes(bytes.subarray(0, read));
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
