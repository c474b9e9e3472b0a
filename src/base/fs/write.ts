import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  openSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { encodeBytes } from './bytes.ts';
import { type DraftOptions, draftFile, flushDirectory, writeAll } from './draft.ts';
import { guard } from './guard.ts';
import { ioError } from './io-error.ts';
import type { FileKind } from './kinds.ts';
import { type OpenFile, openFile } from './read.ts';

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
