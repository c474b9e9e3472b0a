import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../errors.ts';
import { type Bounds, guardPath, linkRefused, toIoError } from './guard.ts';
import {
  decodeBytes,
  encodeBytes,
  type FileKind,
  notRegularFile,
  type OpenFile,
  openFile,
  readBytesFrom,
} from './read.ts';

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants;

export interface WriteOptions extends Bounds {
  /** Permissions of a new file (0600 in `.scratchpad`, else 0644); an existing file keeps its own. */
  mode?: number;
  /** Whether to flush it to disk; default true. Files that can be computed again need not survive a power cut. */
  durable?: boolean;
}

/**
 * The result of replacing a file. `targetChanged`: nothing was written, since somebody had saved another text; `lostSave`:
 * somebody saved `text` at that very moment, and ours has replaced it.
 */
export type Replacement = { result: 'written' | 'targetChanged' } | { result: 'lostSave'; text: string };

/**
 * A file that was written beside its target and flushed, ready to replace it. Preparing it first means that a
 * full disk is detected before anything changes.
 */
interface Draft {
  commit(): void;
  /**
   * Replaces the target only if it still holds the text that was read before, `undefined` for no file. The directory is
   * not flushed where the name exists: the journal can rebuild the pad.
   */
  replace(expected: string | undefined, kind: FileKind): Promise<Replacement>;
  discard(): void;
}

/**
 * Creates or replaces a file: written beside it, flushed, renamed. A reader sees the old content or the new
 * one, even after a crash.
 * @throws ScratchpadError `environment` if it cannot be written; the old content remains
 */
export function writeAtomically(path: string, content: string | Uint8Array, options?: WriteOptions): void {
  draftFile(path, content, options).commit();
}

/**
 * Writes a file beside its target. write-file-atomic does not fit: it cannot prepare and replace in two steps, does not
 * compare with what was read before, and follows links.
 * @throws ScratchpadError `environment` if it cannot be written, or a link or special file is at the target
 */
export function draftFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): Draft {
  const { path: target, base } = guardPath(path, options);
  const { mode = base === undefined ? 0o644 : 0o600, durable = true } = options;
  const temp = makeTemporaryPath(target);
  const discard = (): void => void attempt(() => unlinkSync(temp));
  const wrapErrors = (problem: string, action: () => void): void => {
    try {
      action();
    } catch (error) {
      discard();
      throw toIoError(error, problem, path);
    }
  };

  const replaceTarget = (isFlushed: boolean): void => {
    wrapErrors('cannot replace', () => renameSync(temp, target));
    if (isFlushed) flushDirectory(dirname(target));
  };

  wrapErrors('cannot write', () => {
    const old = lstatSync(target, { throwIfNoEntry: false });
    if (old?.isSymbolicLink()) throw linkRefused(path);
    if (old && !old.isFile()) throw notRegularFile(path, old);
    writeBeside(temp, content, { old, mode, durable });
  });

  return {
    discard,
    commit: () => replaceTarget(durable),
    async replace(expected, kind) {
      const old = openFile(target, kind);
      try {
        // A save in place changes the text of this file; a save by rename puts another file in its place.
        const isChanged =
          (old && readOpenText(old.fd)) !== expected ||
          lstatSync(target, { throwIfNoEntry: false })?.ino !== old?.stats.ino;
        if (isChanged) {
          discard();
          return { result: 'targetChanged' };
        }

        // After a power cut the old pad may be back, and the journal brings it up to date; but a new name must survive.
        replaceTarget(!old);

        const text = old && (await detectOverwrite(old.fd, expected ?? ''));
        return text === undefined ? { result: 'written' } : { result: 'lostSave', text };
      } finally {
        old?.close();
      }
    },
  };
}

/** @param old the file that will be replaced; without one the new file gets `mode` */
function writeBeside(
  path: string,
  content: string | Uint8Array,
  { old, mode, durable }: { old: Stats | undefined; mode: number; durable: boolean },
): void {
  const fd = openSync(path, 'wx', old ? old.mode & 0o777 : mode);
  try {
    if (old) keepAccess(fd, old);
    writeAll(fd, typeof content === 'string' ? encodeBytes(content) : content);
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Gives a file the mode and owner of the one that it replaces, whatever the umask and whoever writes. */
function keepAccess(fd: number, old: Stats): void {
  const now = fstatSync(fd);
  // Only root can change the owner; otherwise the file belongs to the writer.
  if (now.uid !== old.uid || now.gid !== old.gid) attempt(() => fchownSync(fd, old.uid, old.gid));
  if ((now.mode & 0o777) !== (old.mode & 0o777)) fchmodSync(fd, old.mode & 0o777);
}

/** How often to look again, and how long to wait, for an editor that has emptied the file and not filled it yet. */
const LOOKS = 20;
const PAUSE_MS = 10;

/**
 * The text that a person's editor has written into a file that held `expected`; `undefined` if none. Errors are ignored:
 * they must not hide that ours is in place.
 */
async function detectOverwrite(fd: number, expected: string): Promise<string | undefined> {
  let before: string | undefined;
  let text = attempt(() => readOpenText(fd));

  for (let look = 0; look < LOOKS && text !== undefined && text !== expected; look += 1) {
    if (text === before && text.trim() !== '') break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    before = text;
    text = attempt(() => readOpenText(fd));
  }

  return text === expected || text?.trim() === '' ? undefined : text;
}

const readOpenText = (fd: number): string => decodeBytes(readBytesFrom(fd, 0, fstatSync(fd).size));

/** A path beside `target` for its replacement; `parseTemporaryName` recognises it after a crash. */
export function makeTemporaryPath(target: string): string {
  const random = Math.random().toString(36).slice(2, 10);
  return join(dirname(target), `.${basename(target)}.${process.pid}-${random}.tmp`);
}

export function parseTemporaryName(name: string): { target: string; pid: number } | undefined {
  const [, target, pid] = /^\.(.+)\.(\d+)-[a-z0-9]+\.tmp$/.exec(name) ?? [];
  return target === undefined ? undefined : { target, pid: Number(pid) };
}

/** Writes a whole buffer: a single `write` may be short. */
function writeAll(fd: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
}

/** Flushes the names in a directory, where the file system can. */
export function flushDirectory(path: string): void {
  attempt(() => {
    const fd = openSync(path, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
}

/**
 * Appends to a file, creating it if needed, and flushes it.
 * @param text the text, or a function that makes it from the open file, and may first repair the end of that file
 * @returns the size of the file before, in bytes
 * @throws ScratchpadError `environment` if it cannot be written; a partial write is cut off again, unless somebody has
 * written after it
 */
export function append(
  path: string,
  kind: FileKind,
  text: string | ((file: OpenFile) => string),
  bounds: Bounds = {},
): number {
  const file = openForAppending(path, kind, bounds);
  try {
    const size = writeAtEnd(file.fd, encodeBytes(typeof text === 'string' ? text : text(file)));
    // The name of a new file has to survive a power cut too.
    if (size === 0) flushDirectory(dirname(file.path));
    return size;
  } catch (error) {
    throw toIoError(error, 'cannot write', path);
  } finally {
    file.close();
  }
}

/** @returns the size before, to which an error cuts the file back */
function writeAtEnd(fd: number, bytes: Uint8Array): number {
  const { size } = fstatSync(fd);
  try {
    writeAll(fd, bytes);
    fsyncSync(fd);
    return size;
  } catch (error) {
    // If it cannot be cut, readers skip an incomplete line, and the next append removes it.
    if (fstatSync(fd).size <= size + bytes.length) attempt(() => ftruncateSync(fd, size));
    throw error;
  }
}

/**
 * Opens a file for reading and appending, and creates it if needed.
 * @throws ScratchpadError `environment`, like `openFile`, or if it cannot be created
 */
export function openForAppending(path: string, kind: FileKind, bounds: Bounds = {}): OpenFile {
  const file = openFile(path, kind, bounds, O_RDWR | O_APPEND | O_CREAT);
  if (file) return file;
  const missing = Object.assign(new Error(`ENOENT: no such directory: ${dirname(path)}`), { code: 'ENOENT' });
  throw toIoError(missing, 'cannot write', path);
}

/**
 * Creates a file for writing and reading.
 * @throws the system's error, such as `EEXIST` if it exists
 */
export function openNew(path: string): OpenFile {
  const { path: target } = guardPath(path);
  const fd = openSync(target, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o600);
  return { fd, path: target, stats: fstatSync(fd), close: () => closeSync(fd) };
}

/** Creates a file with this content. @throws like `openNew` */
export function writeNew(path: string, content: string): void {
  const file = openNew(path);
  try {
    writeAll(file.fd, Buffer.from(content));
  } finally {
    file.close();
  }
}

export function cut(fd: number, size: number): void {
  ftruncateSync(fd, size);
  fsyncSync(fd);
}

export const getSize = (fd: number): number => fstatSync(fd).size;

export function setMode(fd: number, mode: number): void {
  fchmodSync(fd, mode);
}
