import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  openSync,
  renameSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { encodeBytes } from './bytes.ts';
import { type DraftOptions, draftFile, flushDirectory, temporaryPath, tryUnlink, writeAll } from './draft.ts';
import { guard } from './guard.ts';
import { ioError } from './io-error.ts';
import type { FileKind } from './kinds.ts';
import { type OpenFile, openFile } from './read.ts';

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = constants;

/**
 * Replaces a file, or makes it: written beside it, flushed, renamed. A reader sees the old content or the new one,
 * and so does everybody after a crash.
 * @throws ScratchpadError `environment` when it cannot be written; the old content stands then
 */
export function writeAtomically(path: string, content: string | Uint8Array, options?: DraftOptions): void {
  draftFile(path, content, options).commit();
}

/**
 * Opens a file for reading and appending, making it where there is none unless `create` is false.
 * @throws ScratchpadError `environment`, as `openFile` does, or when it cannot be made
 */
export function openForAppending(path: string, kind: FileKind): OpenFile;
export function openForAppending(
  path: string,
  kind: FileKind,
  options: { create: boolean },
): OpenFile | undefined;
export function openForAppending(path: string, kind: FileKind, { create = true } = {}): OpenFile | undefined {
  const file = openFile(path, kind, {}, O_RDWR | O_APPEND | (create ? O_CREAT : 0));
  if (file || !create) return file;
  throw missingFolder(path);
}

/**
 * Appends to a file, making it where there is none, and flushes it.
 * @returns its size in bytes before
 * @throws ScratchpadError `environment` when it cannot be written; what was written of it is cut off again
 */
export function append(path: string, kind: FileKind, text: string): number {
  const file = openForAppending(path, kind);
  const { fd, stats } = file;
  try {
    writeAll(fd, encodeBytes(text));
    fsyncSync(fd);
  } catch (error) {
    cutQuietly(fd, stats.size);
    throw ioError(error, 'cannot write', path);
  } finally {
    file.close();
  }
  // A new file's name has to survive a power cut too.
  if (stats.size === 0) flushDirectory(dirname(file.path));
  return stats.size;
}

/**
 * Opens a new file for writing and reading.
 * @throws a system error `EEXIST` when there is one already; ScratchpadError `environment` where it may not be made
 */
export function openNew(path: string, mode = 0o600): OpenFile {
  const { path: target } = guard(path);
  const fd = openSync(target, O_RDWR | O_APPEND | O_CREAT | O_EXCL, mode);
  return { fd, path: target, stats: fstatSync(fd), close: () => closeSync(fd) };
}

/** Writes a new file whole. @throws as `openNew` does */
export function writeNew(path: string, content: string | Uint8Array): void {
  const file = openNew(path);
  try {
    writeAll(file.fd, typeof content === 'string' ? Buffer.from(content) : content);
  } finally {
    file.close();
  }
}

/**
 * Writes bytes as they come to a file that takes its place in one step, when all of them are there.
 * @throws ScratchpadError `environment` when it cannot be written; whatever the source throws
 */
export async function writeStream(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  mode = 0o644,
): Promise<void> {
  const { path: target } = guard(path);
  const temp = temporaryPath(target);
  try {
    const file = openNew(temp, mode);
    try {
      for await (const chunk of bytes) writeAll(file.fd, chunk);
      flush(file.fd);
    } finally {
      file.close();
    }
    renameSync(temp, target);
  } catch (error) {
    tryUnlink(temp);
    throw ioError(error, 'cannot write', path);
  }
}

/**
 * Writes over the beginning of a file, which keeps its size: where the disk is full this still works. A reader may
 * see it half written.
 */
export function writeOver(path: string, kind: FileKind, content: string): void {
  const file = openFile(path, kind, {}, O_WRONLY | O_CREAT);
  if (!file) throw missingFolder(path);
  try {
    writeAll(file.fd, Buffer.from(content));
  } catch (error) {
    throw ioError(error, 'cannot write', path);
  } finally {
    file.close();
  }
}

/** Sets a file's time to now. Nothing happens where there is none. */
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

/** Cuts a file behind a descriptor to a size in bytes. */
export function cut(fd: number, size: number): void {
  ftruncateSync(fd, size);
}

/** Makes what was written to a descriptor survive a power cut. */
export function flush(fd: number): void {
  fsyncSync(fd);
}

/** The size in bytes of what is behind a descriptor, as it is now. */
export function sizeOf(fd: number): number {
  return fstatSync(fd).size;
}

/** Sets the permissions of what is behind a descriptor. */
export function setMode(fd: number, mode: number): void {
  fchmodSync(fd, mode);
}

/** After a failure, which is what is reported. */
export function cutQuietly(fd: number, size: number): void {
  try {
    ftruncateSync(fd, size);
  } catch {
    // Readers pass over half a line, and the next append removes it.
  }
}

function missingFolder(path: string): unknown {
  const error = Object.assign(new Error(`ENOENT: no such directory: ${dirname(path)}`), { code: 'ENOENT' });
  return ioError(error, 'cannot write', path);
}
