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
import { type Bounds, guard, linkRefused, toIoError } from './guard.ts';
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
 * What came of replacing a file: `written`; `overtaken`, because somebody saved another text before; `overwrote` the text
 * that somebody saved at that very moment, which is no longer in the file.
 */
export type Replacement = { is: 'written' } | { is: 'overtaken' } | { is: 'overwrote'; text: string };

/**
 * A file that was written beside its target and flushed, ready to replace it. Preparing it first means that a
 * full disk is detected before anything changes.
 */
interface Draft {
  commit(): void;
  /**
   * Replaces the target only if it is still `expected`, the text that was read before; `undefined` for no file. Flushes
   * the directory for a new name only: this is for a file that can be rebuilt from another.
   */
  replace(expected: string | undefined): Promise<Replacement>;
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
 * write-file-atomic does not fit: it cannot prepare and replace in two steps, does not compare with what was
 * read before, and follows links.
 * @throws ScratchpadError `environment` if it cannot be written, or a link or special file is at the target
 */
export function draftFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): Draft {
  const { path: target, base } = guard(path, options);
  const { mode = base === undefined ? 0o644 : 0o600, durable = true } = options;
  const temp = makeTemporaryPath(target);
  const discard = (): void => void attempt(() => unlinkSync(temp));
  const runOrDiscard = (what: string, action: () => void): void => {
    try {
      action();
    } catch (error) {
      discard();
      throw toIoError(error, what, path);
    }
  };

  runOrDiscard('cannot write', () => {
    const old = lstatSync(target, { throwIfNoEntry: false });
    if (old?.isSymbolicLink()) throw linkRefused(path);
    if (old && !old.isFile()) throw notRegularFile(path, old);

    const fd = openSync(temp, 'wx', old ? old.mode & 0o777 : mode);
    try {
      if (old) keepAccess(fd, old);
      writeAll(fd, typeof content === 'string' ? encodeBytes(content) : content);
      if (durable) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
  const placeDraft = (flushed: boolean): void => {
    runOrDiscard('cannot replace', () => renameSync(temp, target));
    if (flushed) flushDirectory(dirname(target));
  };

  return {
    discard,
    commit: () => placeDraft(durable),
    async replace(expected) {
      const old = openFile(target, 'pad');
      try {
        // A save in place gives this file another text; one by rename gives the name another file, which is looked at last.
        const isChanged =
          (old && readOpenText(old.fd)) !== expected ||
          lstatSync(target, { throwIfNoEntry: false })?.ino !== old?.stats.ino;
        if (isChanged) {
          discard();
          return { is: 'overtaken' };
        }

        // After a power cut the old pad may be back, and the journal brings it up to date; but a new name must survive.
        placeDraft(!old);

        const text = old && (await detectOverwrite(old.fd, expected ?? ''));
        return text === undefined ? { is: 'written' } : { is: 'overwrote', text };
      } finally {
        old?.close();
      }
    },
  };
}

/** A file keeps its mode and owner, whatever the umask and whoever writes. */
function keepAccess(fd: number, old: Stats): void {
  const now = fstatSync(fd);
  // Only root can change the owner; otherwise the file belongs to the writer.
  if (now.uid !== old.uid || now.gid !== old.gid) attempt(() => fchownSync(fd, old.uid, old.gid));
  if ((now.mode & 0o777) !== (old.mode & 0o777)) fchmodSync(fd, old.mode & 0o777);
}

/** How often to look again, and how long to wait, for an editor that has emptied the file and not filled it yet. */
const LOOKS = 20;
const PAUSE_MS = 10;

/** What a person's editor has written into a file that was `expected`; an error must not hide that ours is in place. */
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

function readOpenText(fd: number): string {
  return decodeBytes(readBytesFrom(fd, 0, fstatSync(fd).size));
}

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
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

/** Some file systems cannot flush a directory; what was done in it has happened all the same. */
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
 * @param text or what makes it, which may mend the end of the file before
 * @returns its size in bytes before
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
  const { fd } = file;
  let size = file.stats.size;
  let added = 0;

  try {
    const bytes = encodeBytes(typeof text === 'string' ? text : text(file));
    size = fstatSync(fd).size;
    added = bytes.length;
    writeAll(fd, bytes);
    fsyncSync(fd);
  } catch (error) {
    // If it cannot be cut, readers skip an incomplete line, and the next append removes it.
    if (fstatSync(fd).size <= size + added) attempt(() => ftruncateSync(fd, size));
    throw toIoError(error, 'cannot write', path);
  } finally {
    file.close();
  }

  // The name of a new file has to survive a power cut too.
  if (size === 0) flushDirectory(dirname(file.path));

  return size;
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
 * @throws a system error `EEXIST` if it exists; ScratchpadError `environment` if it cannot be created
 */
export function openNew(path: string): OpenFile {
  const { path: target } = guard(path);
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

export function getSize(fd: number): number {
  return fstatSync(fd).size;
}

export function setMode(fd: number, mode: number): void {
  fchmodSync(fd, mode);
}
