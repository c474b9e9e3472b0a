import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { attempt, failure, getMessage, hasCode, usageError } from '../errors.ts';
import { decodeText } from './encodings.ts';
import { LARGEST, tryReadText } from './read.ts';

/** Whether no living process of this host has the pid. A zombie has ended, even if its parent has not collected it. */
export function isProcessGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return true;
  }

  const { state } = readProcessStat(pid);
  return state === 'Z' || state === 'X';
}

/** Fields 3 and 22 of /proc/PID/stat (proc(5)); empty if there is no /proc. The name in field 2 may contain blanks. */
export function readProcessStat(pid: number): { state: string; start: string } {
  const stat = tryReadText(`/proc/${pid}/stat`, 'system') ?? '';
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', start: fields[19] ?? '' };
}

const BLOCK = 64 * 1024;
const PAUSE_MS = 5;

/** All of stdin as text. Reads the descriptor: the stream takes milliseconds to load. */
export const readStdin = (): string => decodeText(readStdinBytes()).text;

export const readStdinBytes = (): Buffer => readToEnd(0, 'on stdin');

/** How long to wait for the first byte of a pipe: hosts leave pipes open that they never write to. */
const REQUIRED_MS = 3000;
const OPTIONAL_MS = 500;

/**
 * Reads what a shell pipes or redirects into this program; `undefined` for a terminal, /dev/null, or the socket of a host.
 * @param files whether to read a file, too: its lines may belong to a loop around the command
 * @param optional whether the command works without a text
 */
export function readPiped({ files = true, optional = false } = {}): Buffer | undefined {
  const stats = fstatSync(0);
  if (stats.isFile()) return files ? readStdinBytes() : undefined;
  if (!stats.isFIFO()) return undefined;

  // Opened a second time, so that a read does not wait for a silent writer.
  const fd = attempt(() => openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK));
  if (fd === undefined) return readStdinBytes();

  try {
    const first = Buffer.alloc(BLOCK);
    const length = readWithin(fd, first, optional ? OPTIONAL_MS : REQUIRED_MS);
    return length === undefined
      ? undefined
      : Buffer.concat([first.subarray(0, length), readToEnd(fd, 'on stdin')]);
  } finally {
    closeSync(fd);
  }
}

function readWithin(fd: number, into: Uint8Array, ms: number): number | undefined {
  for (const deadline = Date.now() + ms; Date.now() < deadline; pause()) {
    try {
      return readSync(fd, into, 0, into.length, null);
    } catch (error) {
      if (!hasCode(error, 'EAGAIN')) throw error;
    }
  }

  return undefined;
}

/**
 * The bytes of a file that a person names on the command line. Unlike other files it may be a pipe, such as
 * `<(command)`.
 * @throws a system error; ScratchpadError `usage` if it is too large
 */
export function readArgumentBytes(path: string): Buffer {
  const fd = openSync(path, 'r');
  try {
    return readToEnd(fd, 'in the file');
  } finally {
    closeSync(fd);
  }
}

function readToEnd(fd: number, where: string): Buffer {
  const chunks: Buffer[] = [];
  for (let size = 0; ; ) {
    const chunk = Buffer.alloc(BLOCK);
    const read = readSome(fd, chunk);
    if (read === 0) return Buffer.concat(chunks);

    size += read;

    if (size > LARGEST.argument) {
      throw usageError('the input is too large', {
        expected: `at most ${LARGEST.argument >> 20} MB ${where}`,
      });
    }

    chunks.push(chunk.subarray(0, read));
  }
}

/** Reads the next bytes of a descriptor, waiting for them; returns 0 at its end. */
export function readSome(fd: number, into: Uint8Array): number {
  for (;;) {
    try {
      return readSync(fd, into, 0, into.length, null);
    } catch (error) {
      if (hasCode(error, 'EOF')) return 0;
      if (!hasCode(error, 'EAGAIN')) throw error;
      pause();
    }
  }
}

/**
 * Writes everything to stdout or stderr; it is no error if the reader has gone, or if stderr takes nothing.
 * @throws ScratchpadError `environment` if stdout does not take it
 */
export function write(fd: 1 | 2, text: string | Buffer): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += writeSync(fd, bytes, offset);
    } catch (error) {
      const isFull = hasCode(error, 'EAGAIN');
      if (hasCode(error, 'EPIPE') || (fd === 2 && !isFull)) return;

      if (!isFull) {
        throw failure('the output cannot be written', {
          where: 'stdout',
          found: getMessage(error),
          next: { to: 'redirect the output; the change was saved', command: 'scratchpad history' },
          cause: error,
        });
      }

      pause();
    }
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

/**
 * Whether a descriptor is a terminal. `node:tty` loads all of Node's networking, a quarter of Node's own
 * start, so it is loaded only if a terminal is possible.
 */
export function isTerminal(fd: 0 | 1 | 2): boolean {
  const isPossible = attempt(() => fstatSync(fd).isCharacterDevice());
  return isPossible === true && process.getBuiltinModule('node:tty').isatty(fd);
}

/** Settles as `work` does, or with the result of `onTimeout` once `ms` milliseconds have passed. */
export async function withTimeout<Value>(
  work: Promise<Value>,
  ms: number,
  onTimeout: () => Value,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });

  try {
    return await Promise.race([work, deadline.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}

const processCollections: { clear(): void }[] = [];

/** Registers a collection that lives as long as the process, so that a test can empty it (`forgetAll`). */
export function keepForProcess<Collection extends { clear(): void }>(collection: Collection): Collection {
  processCollections.push(collection);
  return collection;
}

/** Forgets all that an earlier process would not have left, for tests that play several processes in one. */
export function forgetAll(): void {
  for (const collection of processCollections) collection.clear();
}
