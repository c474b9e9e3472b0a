import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { basename } from 'node:path';
import { attempt, failure, hasCode, type ScratchpadError } from '../errors.ts';
import { type Bounds, checkOpened, guardPath, linkRefused, toIoError } from './guard.ts';

const [KIB, MIB, GIB] = [1024, 1024 ** 2, 1024 ** 3];

/**
 * The largest size in bytes at which a file of each kind is opened. A workspace may come from a stranger, and
 * no file in it may fill the memory or delay a hook.
 */
export const LARGEST = {
  lock: 4 * KIB,
  config: 64 * KIB,
  cache: 4 * MIB,
  /** SCRATCHPAD.md of any session: fifty times what a host reads of a file. */
  pad: 1 * MIB,
  /** Compacted at 1 MiB, but a single revision of a large pad can be larger than that. */
  journal: 32 * MIB,
  /** What commands and hooks record, such as `session.json`. */
  record: 4 * MIB,
  entries: 16 * MIB,
  entry: 4 * GIB,
  memory: 4 * MIB,
  index: 2 * GIB,
  /** Calendars, task lists and other files that sections are made from. */
  source: 4 * MIB,
  /** A script or program of the workspace, hashed before it may run. */
  program: 16 * MIB,
  commands: 16 * MIB,
  /** HEAD, refs and the other small files of git. */
  git: 64 * KIB,
  /** git's index, which names every tracked file. */
  gitIndex: 256 * MIB,
  host: 8 * MIB,
  /** Sessions of a host, which are read in blocks. */
  transcript: 64 * GIB,
  argument: 64 * MIB,
  system: 1 * MIB,
  package: 64 * MIB,
} as const satisfies Record<string, number>;

export type FileKind = keyof typeof LARGEST;

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
/** Opens a pipe or a device without waiting for it; then it is refused. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;

export interface OpenFile {
  readonly fd: number;
  readonly path: string;
  readonly stats: Stats;
  close(): void;
}

/**
 * Opens a regular file of at most the size that its kind allows.
 * @param flags of open(2), in addition to those that this module sets
 * @returns `undefined` if there is none
 * @throws ScratchpadError `environment` for a link that may not be followed, for anything but a regular file,
 * and for a file that is too large
 */
export function openFile(
  path: string,
  kind: FileKind,
  bounds: Bounds = {},
  flags = constants.O_RDONLY,
): OpenFile | undefined {
  const guarded = guardPath(path, bounds);
  const isPlain = guarded.base === undefined && bounds.within === undefined && !bounds.resolved;
  let fd: number;

  try {
    fd = openSync(guarded.path, flags | (isPlain ? 0 : NO_FOLLOW) | NO_WAIT, 0o600);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    if (hasCode(error, 'ELOOP', 'EMLINK')) throw linkRefused(path);
    // The error codes of a pipe without a reader, a socket, and a device without a driver.
    if (hasCode(error, 'ENXIO', 'ENODEV')) throw notRegularFile(path, undefined);
    throw toIoError(error, 'cannot read', path);
  }

  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw notRegularFile(path, stats);
    checkSize(path, kind, stats.size);
    checkOpened(guarded);
    return { fd, path: guarded.path, stats, close: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The bytes of a file; `undefined` if there is none. @throws ScratchpadError `environment`, like `openFile` */
export function readBytes(path: string, kind: FileKind, bounds?: Bounds): Buffer | undefined {
  const file = openFile(path, kind, bounds);
  if (file === undefined) return undefined;

  try {
    return readWhole(file, kind);
  } catch (error) {
    throw toIoError(error, 'cannot read', path);
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

export const tryReadText = (path: string, kind: FileKind): string | undefined =>
  attempt(() => readText(path, kind));

/** The parsed value of a JSON file; the caller checks its shape. `undefined` if the file cannot be read. */
export const tryReadJson = (path: string, kind: FileKind): unknown =>
  attempt((): unknown => JSON.parse(readText(path, kind) ?? ''));

/** All bytes of an open file. Reads to its end: files in /proc have no size. */
export function readWhole({ fd, path, stats }: Omit<OpenFile, 'close'>, kind: FileKind): Buffer {
  let bytes = Buffer.allocUnsafe(stats.size + 1);
  let length = 0;

  for (;;) {
    length += fillBuffer(fd, bytes.subarray(length), length);
    if (length < bytes.length) return bytes.subarray(0, length);
    checkSize(path, kind, length);
    bytes = Buffer.concat([bytes], Math.max(4096, length * 2));
  }
}

/** Fills a buffer from a position in a file; returns the number of bytes read, less only at the end of the file. */
function fillBuffer(fd: number, into: Uint8Array, position: number): number {
  let length = 0;
  while (length < into.length) {
    const read = readSync(fd, into, length, into.length - length, position + length);
    if (read === 0) break;
    length += read;
  }

  return length;
}

/** The bytes from a position in a file on; fewer than `length` only at the end of the file. */
export function readBytesFrom(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, fillBuffer(fd, bytes, position));
}

/** A part of a file; a negative `start` counts from its end. Empty if there is no file. @throws like `openFile` */
export function readPart(
  path: string,
  kind: FileKind,
  start: number,
  most = Number.POSITIVE_INFINITY,
): Buffer {
  const file = openFile(path, kind);
  if (file === undefined) return Buffer.alloc(0);

  try {
    const from = start < 0 ? Math.max(0, file.stats.size + start) : start;
    return readBytesFrom(file.fd, from, Math.max(0, Math.min(most, file.stats.size - from)));
  } finally {
    file.close();
  }
}

function checkSize(path: string, kind: FileKind, size: number): void {
  if (size <= LARGEST[kind]) return;
  throw failure(`${basename(path)} is too large`, {
    where: path,
    expected: `at most ${formatBytes(LARGEST[kind])}`,
    found: formatBytes(size),
    next: 'move it away and run the command again',
    refusal: 'size',
  });
}

const formatBytes = (bytes: number): string =>
  bytes < MIB ? `${Math.ceil(bytes / KIB)} KB` : `${Math.ceil(bytes / MIB)} MB`;

export function notRegularFile(path: string, stats: Stats | undefined): ScratchpadError {
  const name = basename(path);
  const special = stats?.isSymbolicLink() ? 'a symbolic link' : 'a special file';
  const isFolder = stats?.isDirectory();
  return failure(isFolder ? `cannot read ${name}` : `${name} is not a regular file`, {
    where: path,
    expected: 'a file, or nothing',
    found: isFolder ? 'EISDIR: a directory' : special,
    next: 'move it away and run the command again',
    refusal: 'kind',
  });
}

/**
 * Files are edited as JavaScript strings, and every byte that is not ours must come back unchanged, even if it is not
 * valid UTF-8. Such bytes become lone surrogates U+DC80..U+DCFF, one per byte, as in PEP 383 ("surrogateescape").
 */
const ESCAPE_BASE = 0xdc00;

/** Decodes bytes losslessly: `encodeBytes(decodeBytes(b))` equals `b` for any `b`. */
export function decodeBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();

  let out = '';
  for (let offset = 0; offset < bytes.length; offset += 1) {
    const start = offset;
    for (let length = 1; length > 0 && offset < bytes.length; offset += length)
      length = measureSequence(bytes, offset);
    out += bytes.toString('utf8', start, offset);
    const invalidByte = bytes[offset];
    if (invalidByte !== undefined) out += String.fromCharCode(ESCAPE_BASE + invalidByte);
  }

  return out;
}

export function encodeBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  // The flag `u` keeps surrogate pairs whole.
  const pieces = text.split(/([\udc80-\udcff])/u);
  return Buffer.concat(
    pieces.map((piece, k) =>
      k % 2 === 0 ? Buffer.from(piece) : Buffer.of(piece.charCodeAt(0) - ESCAPE_BASE),
    ),
  );
}

/** Length of the UTF-8 sequence at an offset (RFC 3629, section 4); 0 if it is invalid. */
function measureSequence(bytes: Buffer, offset: number): number {
  const lead = bytes[offset] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;

  const length = 2 + Number(lead >= 0xe0) + Number(lead >= 0xf0);
  for (let k = 1; k < length; k += 1) if (((bytes[offset + k] ?? 0) & 0xc0) !== 0x80) return 0;

  const next = bytes[offset + 1] ?? 0;
  const isOverlong = (lead === 0xe0 && next < 0xa0) || (lead === 0xf0 && next < 0x90);
  const isNoCharacter = (lead === 0xed && next > 0x9f) || (lead === 0xf4 && next > 0x8f);

  return isOverlong || isNoCharacter ? 0 : length;
}
