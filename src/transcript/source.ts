import { failed, hasCode, messageOf, misuse, ScratchpadError } from '../base/errors.ts';
import { bytesAt, type OpenFile, openFile, readAt } from '../base/fs/index.ts';
import { type ByteSource, memorySource } from './lines.ts';

/**
 * Bytes to read before other work gets a turn: a deadline must be able to end the reading of a large file.
 */
const TURN_BYTES = 2 * 1024 * 1024;
/** Most bytes that a compressed file may unpack to: it cannot be read from its end. */
const MAX_UNPACKED = 256 * 1024 * 1024;
const SQLITE = 'SQLite format 3\0';
const GZIP = '\x1f\x8b';
const ZSTD = '\x28\xb5\x2f\xfd';

/** An open file: bytes, or a database with a reader of its own. */
export type OpenSource =
  | { kind: 'bytes'; bytes: ByteSource; close(): void }
  | { kind: 'database'; close(): void };

/**
 * Opens a session file; its first bytes tell what it is. Compressed files are unpacked in memory.
 * @throws {ScratchpadError} `usage` for a missing file or a directory, `environment` for other system errors
 */
export async function openSource(path: string): Promise<OpenSource> {
  const file = openTranscript(path);
  try {
    return await sourceOf(file, path);
  } catch (error) {
    file.close();
    throw error instanceof ScratchpadError ? error : readFailure(path, error);
  }
}

function openTranscript(path: string): OpenFile {
  let file: OpenFile | undefined;
  try {
    file = openFile(path, 'transcript');
  } catch (error) {
    if (!(error instanceof ScratchpadError)) throw readFailure(path, error);
    if (error.detail.refusal === 'kind') throw notAFile(path, false);
    throw error.cause === undefined ? error : readFailure(path, error.cause);
  }
  if (file) return file;
  throw missing(path);
}

async function sourceOf(file: OpenFile, path: string): Promise<OpenSource> {
  const { close } = file;
  const start = bytesAt(file.fd, 0, 16);
  if (startsWith(start, SQLITE)) return { kind: 'database', close };
  const packed = startsWith(start, GZIP) || startsWith(start, ZSTD);
  if (!packed) return { kind: 'bytes', bytes: fileSource(file.fd, file.stats.size, path), close };
  const bytes = await unpack(packedBytes(file, path), startsWith(start, ZSTD), path);
  return { kind: 'bytes', bytes: memorySource(bytes), close };
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
        throw readFailure(path, error);
      }
    },
  };
}

/** The whole content of a compressed file, which cannot be read from its end. */
function packedBytes({ fd, stats: { size } }: OpenFile, path: string): Buffer {
  if (size > MAX_UNPACKED) throw tooLarge(path, `${Math.round(size / 1024 / 1024)} MB packed`, undefined);
  return bytesAt(fd, 0, size);
}

async function unpack(packed: Buffer, zstd: boolean, path: string): Promise<Buffer> {
  try {
    if (zstd) return await (await import('./zstd.ts')).unpackZstd(packed, MAX_UNPACKED);
    const { gunzipSync } = await import('node:zlib');
    return gunzipSync(packed, { maxOutputLength: MAX_UNPACKED });
  } catch (error) {
    if (error instanceof ScratchpadError) throw error;
    throw tooLarge(path, messageOf(error), error);
  }
}

function tooLarge(path: string, found: string, cause: unknown): ScratchpadError {
  return misuse('The compressed file could not be unpacked', {
    where: path,
    expected: `gzip or zstandard data of at most ${MAX_UNPACKED / 1024 / 1024} MB unpacked`,
    found,
    next: 'unpack it yourself and give the unpacked file',
    cause,
  });
}

/** @param magic a character a byte */
function startsWith(bytes: Buffer, magic: string): boolean {
  for (let at = 0; at < magic.length; at += 1) if (bytes[at] !== magic.charCodeAt(at)) return false;
  return true;
}

function notAFile(path: string, directory: boolean): ScratchpadError {
  return misuse('A transcript must be a file', {
    where: path,
    expected: 'a session file',
    found: directory ? 'a directory' : 'something that is not a regular file',
    next: {
      to: 'give the path of one session file: see those that were found',
      command: 'scratchpad transcript list',
    },
  });
}

function missing(path: string): ScratchpadError {
  return misuse('there is no such transcript', {
    where: path,
    expected: 'a session file',
    found: 'nothing at that path',
    next: { to: 'check the path: see the sessions that were found', command: 'scratchpad transcript list' },
  });
}

function readFailure(path: string, cause: unknown): ScratchpadError {
  const found = messageOf(cause);
  if (hasCode(cause, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE')) {
    return missing(path);
  }
  if (hasCode(cause, 'EISDIR')) return notAFile(path, true);
  return failed('The transcript could not be read', {
    where: path,
    found,
    next: 'check that the file may be read by this user',
    cause,
  });
}
