import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { decodeBytes, encodeBytes } from './bytes.ts';
import { type Bounds, guard, linkRefused } from './guard.ts';
import { ioError } from './io-error.ts';
import { bytesAt, notRegular, openFile } from './read.ts';

export type Replaced =
  | { done: true; overwritten?: undefined }
  /** The target had changed: nothing was done. */
  | { done: false; overwritten?: undefined }
  /** Replaced, but a person saved at the same moment: their text, which is no longer in the file. */
  | { done: true; overwritten: string };

/**
 * A file that was written beside its target and flushed, ready to replace it. Preparing it first means that a
 * full disk is detected before anything changes.
 */
export interface Draft {
  /** Replaces the target atomically and flushes the directory. */
  commit(): void;
  /**
   * The same, but only if the target is still `expected`, the text that was read before; `undefined` for no
   * file. Flushes the directory for a new name only: this is for a file that can be rebuilt from another.
   */
  replace(expected: string | undefined): Promise<Replaced>;
  discard(): void;
}

export interface DraftOptions extends Bounds {
  /** Permissions of a new file (0600 in `.scratchpad`, else 0644); an existing file keeps its own. */
  mode?: number;
  /**
   * Whether to flush it to disk; default true. Files that can be computed again need not survive a power cut.
   */
  durable?: boolean;
}

/** Name of a temporary file: its target, the pid of its writer, a random part. */
const TEMPORARY = /^\.(.+)\.(\d+)-[a-z0-9]+\.tmp$/;
/** How often to wait for an editor that saves in place: it empties the file before it writes. */
const SAVE_LOOKS = 20;
const SAVE_PAUSE_MS = 10;

/** A path beside `target` for its replacement; `temporaryOf` recognises it after a crash. */
export function temporaryPath(target: string): string {
  const random = Math.random().toString(36).slice(2, 10);
  return join(dirname(target), `.${basename(target)}.${process.pid}-${random}.tmp`);
}

/** Parses the name of a temporary file into its target's name and its writer. */
export function temporaryOf(name: string): { target: string; pid: number } | undefined {
  const [, target, pid] = TEMPORARY.exec(name) ?? [];
  return target === undefined ? undefined : { target, pid: Number(pid) };
}

/**
 * write-file-atomic does not fit: it cannot prepare and replace in two steps, does not compare with what was
 * read before, and follows links.
 * @throws ScratchpadError `environment` if it cannot be written, or a link or special file is at the target
 */
export function draftFile(path: string, content: string | Uint8Array, options: DraftOptions = {}): Draft {
  const { path: target, base } = guard(path, options);
  const { mode = base === undefined ? 0o644 : 0o600, durable = true } = options;
  const temp = temporaryPath(target);
  const discard = (): void => tryUnlink(temp);
  try {
    const old = lstatSync(target, { throwIfNoEntry: false });
    if (old?.isSymbolicLink()) throw linkRefused(path);
    if (old && !old.isFile()) throw notRegular(path, old);
    const fd = openSync(temp, 'wx', old ? old.mode & 0o777 : mode);
    try {
      if (old) keepAccess(fd, old);
      writeAll(fd, typeof content === 'string' ? encodeBytes(content) : content);
      if (durable) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    discard();
    throw ioError(error, 'cannot write', path);
  }
  const place = (): void => {
    try {
      renameSync(temp, target);
    } catch (error) {
      discard();
      throw ioError(error, 'cannot replace', path);
    }
  };
  const commit = (): void => {
    place();
    if (durable) flushDirectory(dirname(target));
  };
  const replace = async (expected: string | undefined): Promise<Replaced> => {
    const old = openFile(target, 'pad');
    try {
      // A save by rename gives the name another file; a save in place gives this file another text.
      const changed =
        (old && textBehind(old.fd)) !== expected ||
        lstatSync(target, { throwIfNoEntry: false })?.ino !== old?.stats.ino;
      if (changed) {
        discard();
        return { done: false };
      }
      place();
      // After a power cut the old pad may be back, and the journal brings it up to date; but a new name must
      // survive.
      if (!old) flushDirectory(dirname(target));
      const after = old && (await settledText(old.fd, expected));
      return after === undefined || after === expected ? { done: true } : { done: true, overwritten: after };
    } finally {
      if (old) closeQuietly(old.fd);
    }
  };
  return { commit, replace, discard };
}

/** A file keeps its mode and owner, whatever the umask and whoever writes. */
function keepAccess(fd: number, old: Stats): void {
  const now = fstatSync(fd);
  if (now.uid !== old.uid || now.gid !== old.gid) {
    try {
      fchownSync(fd, old.uid, old.gid);
    } catch {
      // Only root can change the owner; otherwise the file belongs to the writer.
    }
  }
  if ((now.mode & 0o777) !== (old.mode & 0o777)) fchmodSync(fd, old.mode & 0o777);
}

function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // The descriptor was only read from, so nothing is lost.
  }
}

/** The text behind a descriptor, after waiting for a save that has only emptied it so far. */
async function settledText(fd: number, expected: string | undefined): Promise<string | undefined> {
  let text: string;
  try {
    text = textBehind(fd);
  } catch {
    // The file is in place by now; an error here must not make it look otherwise.
    return undefined;
  }
  if (text === expected) return text;
  for (let look = 0; look < SAVE_LOOKS; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, SAVE_PAUSE_MS));
    const again = textBehind(fd);
    if (again === text && again.trim() !== '') break;
    text = again;
  }
  // Emptied and never filled again: nothing of the person's is in it.
  return text.trim() === '' ? (expected ?? '') : text;
}

function textBehind(fd: number): string {
  return decodeBytes(bytesAt(fd, 0, fstatSync(fd).size));
}

export function tryUnlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already.
  }
}

/** Writes a whole buffer: a single `write` may be short. */
export function writeAll(fd: number, bytes: Uint8Array): void {
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
