import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Bounds, guard, ioError, linkRefused } from './guard.ts';
import {
  bytesAt,
  decodeBytes,
  encodeBytes,
  type FileKind,
  notRegular,
  type OpenFile,
  openFile,
} from './read.ts';

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

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants;

/**
 * Creates or replaces a file: written beside it, flushed, renamed. A reader sees the old content or the new
 * one, even after a crash.
 * @throws ScratchpadError `environment` if it cannot be written; the old content remains
 */
export function writeAtomically(path: string, content: string | Uint8Array, options?: DraftOptions): void {
  draftFile(path, content, options).commit();
}

/**
 * Opens a file for reading and appending, and creates it if needed.
 * @throws ScratchpadError `environment`, like `openFile`, or if it cannot be created
 */
export function openForAppending(path: string, kind: FileKind): OpenFile {
  const file = openFile(path, kind, {}, O_RDWR | O_APPEND | O_CREAT);
  if (file) return file;
  throw missingFolder(path);
}

/**
 * Appends to a file, creating it if needed, and flushes it.
 * @returns its size in bytes before
 * @throws ScratchpadError `environment` if it cannot be written; a partial write is cut off again, unless somebody has
 * written after it
 */
export function append(path: string, kind: FileKind, text: string): number {
  const file = openForAppending(path, kind);
  const { fd, stats } = file;
  const bytes = encodeBytes(text);
  try {
    writeAll(fd, bytes);
    fsyncSync(fd);
  } catch (error) {
    if (fstatSync(fd).size <= stats.size + bytes.length) cutQuietly(fd, stats.size);
    throw ioError(error, 'cannot write', path);
  } finally {
    file.close();
  }
  // The name of a new file has to survive a power cut too.
  if (stats.size === 0) flushDirectory(dirname(file.path));
  return stats.size;
}

/**
 * Creates a file for writing and reading.
 * @throws a system error `EEXIST` if it exists; ScratchpadError `environment` if it cannot be created
 */
export function openNew(path: string, mode = 0o600): OpenFile {
  const { path: target } = guard(path);
  const fd = openSync(target, O_RDWR | O_APPEND | O_CREAT | O_EXCL, mode);
  return { fd, path: target, stats: fstatSync(fd), close: () => closeSync(fd) };
}

/**
 * Creates a file with this content.
 * @throws like `openNew`
 */
export function writeNew(path: string, content: string | Uint8Array): void {
  const file = openNew(path);
  try {
    writeAll(file.fd, typeof content === 'string' ? Buffer.from(content) : content);
  } finally {
    file.close();
  }
}

/** Sets a file's modification time to now. Does nothing if there is none. */
export function touch(path: string, kind: FileKind): void {
  const file = openFile(path, kind, {}, O_RDWR);
  if (!file) return;
  try {
    const now = new Date();
    futimesSync(file.fd, now, now);
  } finally {
    file.close();
  }
}

export function cut(fd: number, size: number): void {
  ftruncateSync(fd, size);
}

export function flush(fd: number): void {
  fsyncSync(fd);
}

export function sizeOf(fd: number): number {
  return fstatSync(fd).size;
}

export function setMode(fd: number, mode: number): void {
  fchmodSync(fd, mode);
}

/** Called after an error, which is the one to report. */
export function cutQuietly(fd: number, size: number): void {
  try {
    ftruncateSync(fd, size);
  } catch {
    // Readers skip an incomplete line, and the next append removes it.
  }
}

function missingFolder(path: string): unknown {
  const error = Object.assign(new Error(`ENOENT: no such directory: ${dirname(path)}`), { code: 'ENOENT' });
  return ioError(error, 'cannot write', path);
}
