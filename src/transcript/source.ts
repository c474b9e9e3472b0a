import { failed, hasCode, messageOf, misuse, ScratchpadError } from '../base/errors.ts';
import { bytesAt, type OpenFile, openFile, readAt } from '../base/fs/index.ts';

/** Random access to bytes: a file, or text held in memory. */
export interface ByteSource {
  readonly size: number;
  /** Fill `target` from `position`; returns the bytes read. */
  read(target: Buffer, position: number): Promise<number>;
}

/** An open file: bytes, those of a packed one, or a database with a reader of its own. */
export type OpenSource =
  | { kind: 'file' | 'packed'; bytes: ByteSource; close(): void }
  | { kind: 'database'; close(): void };

/**
 * Bytes to read before other work gets a turn: a deadline must be able to end the reading of a large file.
 */
const TURN_BYTES = 2 * 1024 * 1024;
/** Most bytes that a compressed file may unpack to: it cannot be read from its end. */
const MAX_UNPACKED = 256 * 1024 * 1024;
const SQLITE = 'SQLite format 3\0';
const GZIP = '\x1f\x8b';
const ZSTD = '\x28\xb5\x2f\xfd';

/**
 * Opens a session file; its first bytes tell what it is. Compressed files are unpacked in memory.
 * @throws {ScratchpadError} `usage` for a missing file or a directory, `environment` for other system errors
 */
export async function openSource(path: string): Promise<OpenSource> {
  let file: OpenFile | undefined;
  try {
    file = openFile(path, 'transcript');
    if (file === undefined) throw failure(path, 'ENOENT');
    return await sourceOf(file, path);
  } catch (error) {
    file?.close();
    throw file !== undefined && error instanceof ScratchpadError ? error : failure(path, error);
  }
}

async function sourceOf(file: OpenFile, path: string): Promise<OpenSource> {
  const { close, fd } = file;
  const { size } = file.stats;
  const start = bytesAt(fd, 0, 16).toString('latin1');
  if (start.startsWith(SQLITE)) return { kind: 'database', close };
  if (!start.startsWith(GZIP) && !start.startsWith(ZSTD))
    return { kind: 'file', bytes: fileSource(fd, size, path), close };
  if (size > MAX_UNPACKED) throw tooLarge(path, `${Math.round(size / 1024 / 1024)} MB packed`);
  const packed = bytesAt(fd, 0, size);
  try {
    const unpack = start.startsWith(ZSTD) ? unpackZstd : unpackGzip;
    return { kind: 'packed', bytes: memorySource(await unpack(packed, MAX_UNPACKED)), close };
  } catch (error) {
    throw error instanceof ScratchpadError ? error : tooLarge(path, messageOf(error), error);
  }
}

/** Reads in this thread: using another adds three milliseconds to a cold start. */
function fileSource(file: number, size: number, path: string): ByteSource {
  let sinceTurn = 0;
  return {
    size,
    async read(target, position) {
      try {
        if (sinceTurn >= TURN_BYTES) {
          sinceTurn = 0;
          await new Promise((resume) => setImmediate(resume));
        }
        const count = readAt(file, target, position);
        sinceTurn += count;
        return count;
      } catch (error) {
        throw failure(path, error);
      }
    },
  };
}

/** A source of text in memory. */
export function memorySource(bytes: Buffer): ByteSource {
  return {
    size: bytes.length,
    read: (target, position) => Promise.resolve(bytes.copy(target, 0, position)),
  };
}

async function unpackGzip(packed: Uint8Array, maxOutputLength: number): Promise<Buffer> {
  const { gunzipSync } = await import('node:zlib');
  return gunzipSync(packed, { maxOutputLength });
}

interface ZstdZlib {
  zstdDecompressSync?: (data: Uint8Array, options?: { maxOutputLength?: number }) => Buffer;
}

/**
 * Unpacks zstandard data: with Node's decoder (22.15 and later), else with the `fzstd` package.
 * @param limit most bytes it may unpack to
 * @throws {Error} if the data is damaged or too large
 */
export async function unpackZstd(packed: Uint8Array, limit: number): Promise<Buffer> {
  const zlib = (await import('node:zlib')) as object as ZstdZlib;
  if (zlib.zstdDecompressSync !== undefined)
    return zlib.zstdDecompressSync(packed, { maxOutputLength: limit });
  const { Decompress } = await import('fzstd').catch((cause: unknown) => {
    throw failed('zstandard data cannot be unpacked on this Node', {
      found: `Node ${process.versions.node} without the fzstd package`,
      next: 'use Node 22.15 or later, or install fzstd',
      cause,
    });
  });
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((chunk) => {
    length += chunk.length;
    if (length > limit) throw new RangeError(`unpacks to more than ${limit} bytes`);
    chunks.push(chunk);
  });
  // In parts, so that a small file that unpacks to gigabytes is stopped in time.
  for (let at = 0; at < packed.length; at += 65_536)
    stream.push(packed.subarray(at, at + 65_536), at + 65_536 >= packed.length);
  return Buffer.concat(chunks);
}

const tooLarge = (where: string, found: string, cause?: unknown): ScratchpadError =>
  misuse('The compressed file could not be unpacked', {
    where,
    expected: `gzip or zstandard data of at most ${MAX_UNPACKED / 1024 / 1024} MB unpacked`,
    found,
    next: 'unpack it yourself and give the unpacked file',
    cause,
  });

const LIST = 'scratchpad transcript list';

/** What to tell of an error of the system, or of one that says so already. */
function failure(where: string, error: unknown): ScratchpadError {
  const expected = 'a session file';
  const ours = error instanceof ScratchpadError ? error : undefined;
  const cause = ours?.cause ?? error;
  const isFolder = hasCode(cause, 'EISDIR');
  if (isFolder || ours?.detail.refusal === 'kind')
    return misuse('A transcript must be a file', {
      where,
      expected,
      found: isFolder ? 'a directory' : 'something that is not a regular file',
      next: { to: 'give the path of one session file: see those that were found', command: LIST },
    });
  if (cause === 'ENOENT' || hasCode(cause, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'))
    return misuse('there is no such transcript', {
      where,
      expected,
      found: 'nothing at that path',
      next: { to: 'check the path: see the sessions that were found', command: LIST },
    });
  if (ours !== undefined && ours.cause === undefined) return ours;
  return failed('The transcript could not be read', {
    where,
    found: messageOf(cause),
    next: 'check that the file may be read by this user',
    cause,
  });
}

/** One line without its line end. */
export interface Line {
  /** Offset of its first byte. */
  at: number;
  /** Bytes that it has. */
  length: number;
  /** Undefined if the line is longer than `MAX_LINE`. */
  bytes: Buffer | undefined;
  /** False for a last line without LF: it may still be being written. */
  ended: boolean;
}

/** Longest line to read, in bytes. Longer ones are counted and skipped, so that memory stays bounded. */
export const MAX_LINE = 8 * 1024 * 1024;
const BLOCK = 512 * 1024;
const LF = 10;

/**
 * Reads lines from an offset to the end of a source, one batch per block, oldest first. Splits at LF only and skips
 * empty lines.
 */
export async function* linesFrom(source: ByteSource, start: number): AsyncGenerator<Line[]> {
  const { size } = source;
  let parts: Buffer[] = [];
  let length = 0;
  let at = start;
  const line = (ended: boolean): Line => {
    const only = parts.length === 1 ? parts[0] : undefined;
    const bytes = length > MAX_LINE ? undefined : (only ?? Buffer.concat(parts));
    return { at, length, bytes, ended };
  };
  for (let position = start; position < size; ) {
    const block = await readBlock(source, position, Math.min(size, position + BLOCK));
    const lines: Line[] = [];
    for (let from = 0; from < block.length; ) {
      const feed = block.indexOf(LF, from);
      const part = block.subarray(from, feed === -1 ? block.length : feed);
      length += part.length;
      if (length > MAX_LINE) parts = [];
      else if (part.length > 0) parts.push(part);
      if (feed === -1) break;
      if (length > 0) lines.push(line(true));
      from = feed + 1;
      at = position + from;
      parts = [];
      length = 0;
    }
    position += block.length;
    if (position >= size && length > 0) lines.push(line(false));
    yield lines;
  }
}

/** The start of the first line at or after an offset. */
export async function lineAfter(source: ByteSource, offset: number): Promise<number> {
  if (!(offset > 0)) return 0;
  const bytes = Buffer.alloc(64 * 1024);
  for (let at = offset; at < source.size; at += bytes.length) {
    const count = await source.read(bytes, at);
    if (count === 0) break;
    const feed = bytes.subarray(0, count).indexOf(LF);
    if (feed !== -1) return at + feed + 1;
  }
  return source.size;
}

async function readBlock(source: ByteSource, from: number, to: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(to - from);
  let filled = 0;
  while (filled < block.length) {
    const count = await source.read(block.subarray(filled), from + filled);
    // The file was truncated while it was read: the missing part reads as an empty line.
    if (count === 0) return block.fill(LF, filled);
    filled += count;
  }
  return block;
}

/**
 * Parses a line as JSON; undefined if it is invalid. Tolerates a BOM, a CR, and NUL bytes left by a crash.
 */
export function parseLine(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    const cleaned = text.replace(/^[\uFEFF\0\s]+|[\0\s]+$/g, '');
    if (cleaned === text || cleaned === '') return undefined;
    try {
      return JSON.parse(cleaned);
    } catch {
      return undefined;
    }
  }
}
