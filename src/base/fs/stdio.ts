import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { failed, hasCode, messageOf, misuse } from '../errors.ts';
import { LARGEST } from './kinds.ts';

const BLOCK = 64 * 1024;
const PAUSE_MS = 5;

/** All of stdin as text. Reads the descriptor itself: the stream object takes milliseconds to load. */
export function readStdin(): string {
  return readToEnd(0, 'on stdin').toString('utf8');
}

export function readStdinBytes(): Buffer {
  return readToEnd(0, 'on stdin');
}

/**
 * The text of a file that a person names on the command line. Unlike other files it may be a pipe, such as
 * `<(command)`.
 * @throws a system error; ScratchpadError `usage` if it is too large
 */
export function readArgument(path: string): string {
  return readArgumentBytes(path).toString('utf8');
}

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
      throw misuse('the input is too large', { expected: `at most ${LARGEST.argument >> 20} MB ${where}` });
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
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (hasCode(error, 'EPIPE')) return;
      if (!hasCode(error, 'EAGAIN')) {
        if (fd === 2) return;
        throw failed('the output cannot be written', {
          where: 'stdout',
          found: messageOf(error),
          next: {
            to: 'send it to a place that takes it; a change that the command made is kept: see it',
            command: 'scratchpad history',
          },
          cause: error,
        });
      }
      pause();
    }
  }
}

/**
 * Whether a descriptor is a terminal. `node:tty` loads all of Node's networking, a quarter of Node's own
 * start, so it is loaded only if a terminal is possible.
 */
export function isTerminal(fd: 0 | 1 | 2): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(fd);
  } catch {
    return false;
  }
}

/** Waits after a non-blocking descriptor had no data or no room. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
