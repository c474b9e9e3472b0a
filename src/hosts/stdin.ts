import { closeSync, constants, fstat, fstatSync, openSync, read, readSync, type Stats } from 'node:fs';
import { hasCode } from '../base/errors.ts';
import { parsed } from '../base/text/json.ts';

/** More than any host sends; longer input is not JSON. */
const MOST_BYTES = 32 * 1024 * 1024;
const BLOCK = 64 * 1024;
const PAUSE_MS = 2;
/** How many round trips to the thread pool to make before waiting on a timer. */
const LOOKS = 3;
/** `}`, the last byte of a host's JSON, or the one before a newline. */
const BRACE = 0x7d;

export interface HookText {
  text: string;
  /** Whether a read is still pending because the host neither sent everything nor closed its end. */
  waiting: boolean;
}

/**
 * Reads a host's input from stdin until it closes, is a complete JSON value, or `waitMs` have passed. Node's stream
 * object would be simpler, but costs a cold start ten milliseconds.
 */
export async function readHookInput(waitMs: number): Promise<HookText> {
  const until = Date.now() + waitMs;
  const stats = statsOfStdin();
  // A terminal, or /dev/null: no input to expect.
  if (stats?.isCharacterDevice()) return { text: '', waiting: false };
  if (stats?.isFIFO()) {
    const text = readPipe(until);
    if (text !== undefined) return { text, waiting: false };
  }
  return stats?.isSocket() ? readSocket(waitMs) : { text: readToEnd(), waiting: false };
}

function statsOfStdin(): Stats | undefined {
  try {
    return fstatSync(0);
  } catch {
    return undefined;
  }
}

/** A reopened pipe can be read without blocking, on systems with /proc. */
function readPipe(until: number): string | undefined {
  let fd: number;
  try {
    fd = openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  const parts: Buffer[] = [];
  try {
    for (let size = 0; size < MOST_BYTES; ) {
      const block = Buffer.allocUnsafe(BLOCK);
      try {
        const count = readSync(fd, block, 0, BLOCK, null);
        if (count === 0) break;
        size += count;
        parts.push(block.subarray(0, count));
      } catch (error) {
        if (!hasCode(error, 'EAGAIN')) break;
        if (Date.now() >= until || isComplete(parts)) break;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      }
    }
  } finally {
    closeSync(fd);
  }
  return textOf(parts);
}

/**
 * Node gives its children sockets instead of pipes. A read of a socket blocks a thread, and the process cannot exit
 * while it does. So after the timeout an external program shuts down the reading side.
 */
function readSocket(waitMs: number): Promise<HookText> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    let over = false;
    let timer: NodeJS.Timeout | undefined;
    const finish = (waiting: boolean): void => {
      if (over) return;
      over = true;
      if (timer !== undefined) clearTimeout(timer);
      resolve({ text: textOf(parts), waiting });
    };
    // Most hosts have sent everything after a few attempts; only then is a timer, which costs .4 ms, worth creating.
    const watch = (looks: number): void => {
      if (over) return;
      if (looks > 0) return void fstat(0, () => watch(looks - 1));
      timer = setTimeout(() => {
        finish(true);
        void shutReading();
      }, waitMs);
    };
    const next = (): void => {
      const block = Buffer.allocUnsafe(BLOCK);
      read(0, block, 0, BLOCK, null, (error, count) => {
        if (over) return;
        if (error || count === 0) return finish(false);
        size += count;
        parts.push(block.subarray(0, count));
        if (size > MOST_BYTES || (count < BLOCK && isComplete(parts))) finish(false);
        else next();
      });
    };
    next();
    // In a small thread pool the attempts would queue behind the read, which may block forever.
    watch(process.env.UV_THREADPOOL_SIZE === undefined ? LOOKS : 0);
  });
}

async function shutReading(): Promise<void> {
  const { spawnSync } = await import('node:child_process');
  const ways: [string, string][] = [
    ['perl', 'shutdown(STDIN, 0)'],
    ['python3', 'import socket; socket.socket(fileno=0).shutdown(0)'],
  ];
  for (const [program, code] of ways) {
    const { status } = spawnSync(program, [program === 'perl' ? '-e' : '-c', code], {
      stdio: [0, 'ignore', 'ignore'],
      timeout: 1000,
    });
    if (status === 0) return;
  }
}

function readToEnd(): string {
  const parts: Buffer[] = [];
  try {
    for (let size = 0; size < MOST_BYTES; ) {
      const block = Buffer.allocUnsafe(BLOCK);
      const count = readSync(0, block, 0, BLOCK, null);
      if (count === 0) break;
      size += count;
      parts.push(block.subarray(0, count));
    }
  } catch {
    // The descriptor is closed or unreadable: use the input received so far.
  }
  return textOf(parts);
}

/** A host may keep its end open after sending everything. */
function isComplete(parts: readonly Buffer[]): boolean {
  const last = parts.at(-1);
  if (last === undefined || (last.at(-1) !== BRACE && last.at(-2) !== BRACE)) return false;
  return parsed(textOf(parts)) !== undefined;
}

/** Nearly always a single part. */
function textOf(parts: readonly Buffer[]): string {
  const [only, ...more] = parts;
  return (only !== undefined && more.length === 0 ? only : Buffer.concat(parts)).toString();
}
