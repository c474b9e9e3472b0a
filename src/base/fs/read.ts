import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { basename } from 'node:path';
import { failed, hasCode } from '../errors.ts';
import { decodeBytes } from './bytes.ts';
import { type Bounds, checkOpened, guard, linkRefused } from './guard.ts';
import { ioError } from './io-error.ts';
import { type FileKind, LARGEST } from './kinds.ts';

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
/** Opens a pipe or a device at once instead of waiting for it; it is then refused by its type. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;

export interface OpenFile {
  readonly fd: number;
  readonly path: string;
  /** As of when it was opened. */
  readonly stats: Stats;
  close(): void;
}

/**
 * Opens a regular file of at most the size that its kind allows.
 * @param flags of open(2), in addition to those that this module sets
 * @param mode of a new file
 * @returns `undefined` if there is none
 * @throws ScratchpadError `environment` for a link that may not be followed, for anything but a regular file,
 * and for a file that is too large
 */
export function openFile(
  path: string,
  kind: FileKind,
  bounds: Bounds = {},
  flags = constants.O_RDONLY,
  mode = 0o600,
): OpenFile | undefined {
  const guarded = guard(path, bounds);
  const isPlain = guarded.base === undefined && bounds.within === undefined && !bounds.resolved;
  const follow = isPlain ? 0 : NO_FOLLOW;
  let fd: number;
  try {
    fd = openSync(guarded.path, flags | follow | NO_WAIT, mode);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    if (hasCode(error, 'ELOOP', 'EMLINK')) throw linkRefused(path);
    // The error codes of a pipe without a reader, a socket, and a device without a driver.
    if (hasCode(error, 'ENXIO', 'ENODEV')) throw notRegular(path, undefined);
    throw ioError(error, 'cannot read', path);
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw notRegular(path, stats);
    checkSize(path, kind, stats.size);
    checkOpened(guarded);
    return { fd, path: guarded.path, stats, close: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * The bytes of a file; `undefined` if there is none.
 * @throws ScratchpadError `environment`, like `openFile`
 */
export function readBytes(path: string, kind: FileKind, bounds?: Bounds): Buffer | undefined {
  const file = openFile(path, kind, bounds);
  if (file === undefined) return undefined;
  try {
    return readWhole(file, kind);
  } catch (error) {
    throw ioError(error, 'cannot read', path);
  } finally {
    file.close();
  }
}

/**
 * A file's text, in a form that encodes back to the same bytes (`encodeBytes`); `undefined` if there is none.
 * @throws ScratchpadError `environment`, like `openFile`
 */
export function readText(path: string, kind: FileKind, bounds?: Bounds): string | undefined {
  const bytes = readBytes(path, kind, bounds);
  return bytes && decodeBytes(bytes);
}

export function tryReadText(path: string, kind: FileKind, bounds?: Bounds): string | undefined {
  try {
    return readText(path, kind, bounds);
  } catch {
    return undefined;
  }
}

export function tryReadBytes(path: string, kind: FileKind, bounds?: Bounds): Buffer | undefined {
  try {
    return readBytes(path, kind, bounds);
  } catch {
    return undefined;
  }
}

/** The parsed value of a JSON file; the caller checks its shape. `undefined` if the file cannot be read. */
export function tryReadJson(path: string, kind: FileKind, bounds?: Bounds): unknown {
  try {
    const text = readText(path, kind, bounds);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** All bytes behind a descriptor, up to the end of the file: the size of a file in /proc says nothing. */
export function readWhole({ fd, path, stats }: Omit<OpenFile, 'close'>, kind: FileKind): Buffer {
  let bytes = Buffer.allocUnsafe(stats.size + 1);
  let length = 0;
  for (;;) {
    const read = readAt(fd, bytes.subarray(length), length);
    length += read;
    if (length < bytes.length) return bytes.subarray(0, length);
    checkSize(path, kind, length);
    bytes = Buffer.concat([bytes], Math.max(4096, length * 2));
  }
}

/**
 * Fills a buffer from a position in a file, in bytes; with less only at the end of the file.
 * @returns how many bytes were read
 */
export function readAt(fd: number, into: Uint8Array, position: number): number {
  let length = 0;
  while (length < into.length) {
    const read = readSync(fd, into, length, into.length - length, position + length);
    if (read === 0) break;
    length += read;
  }
  return length;
}

/** The bytes from a position in a file on; fewer than `length` only at the end of the file. */
export function bytesAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readAt(fd, bytes, position));
}

function checkSize(path: string, kind: FileKind, size: number): void {
  const largest = LARGEST[kind];
  if (size <= largest) return;
  throw failed(`${basename(path)} is too large`, {
    where: path,
    expected: `at most ${inUnits(largest)}`,
    found: inUnits(size),
    next: 'move it away and run the command again',
    refusal: 'size',
  });
}

function inUnits(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.ceil(bytes / 1024 / 1024)} MB`;
}

export function notRegular(path: string, found: Stats | undefined): unknown {
  if (found?.isDirectory()) {
    const error = Object.assign(new Error(`EISDIR: ${path} is a directory`), { code: 'EISDIR' });
    return ioError(error, 'cannot read', path);
  }
  return failed(`${basename(path)} is not a regular file`, {
    where: path,
    expected: 'a file, or nothing',
    found: found?.isSymbolicLink() ? 'a symbolic link' : 'a special file',
    next: 'move it away and run the command again',
    refusal: 'kind',
  });
}
