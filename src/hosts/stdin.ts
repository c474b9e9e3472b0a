import { closeSync, constants, fstat, fstatSync, openSync, read, readSync, type Stats } from 'node:fs';
import { hasCode } from '../errors.ts';

/** More than any host sends; what is over it is not JSON by then. */
const MOST_BYTES = 32 * 1024 * 1024;
const BLOCK = 64 * 1024;
const PAUSE_MS = 2;
/** So often another thread is sent for something that is there, and back, before the host is waited for by the clock. */
const LOOKS = 3;
/** `}`, which the last byte of a host's JSON is, or the one before a line end. */
const BRACE = 0x7d;

export interface HookText {
  text: string;
  /** Whether a read goes on, of a host that neither said everything nor ended. */
  waiting: boolean;
}

/**
 * What a host writes to a hook's stdin, until it ends, is a complete JSON value, or `waitMs`
 * are over. The stream object of Node would be simpler and costs a cold start ten milliseconds.
 */
export async function readHookInput(waitMs: number): Promise<HookText> {
  const until = Date.now() + waitMs;
  const stats = statsOfStdin();
  // A terminal, or /dev/null: nobody who would say anything.
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

/** A pipe opened anew can be asked without waiting, where the system has /proc. */
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
 * Node gives its children sockets for pipes. A read of one waits in a thread, and a process
 * cannot end while it does: when the time is over, the reading side is shut by a program that can.
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
    // Most hosts have said everything after a few looks: a timer, which costs .4 ms, is made when they have not.
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
    // In a pool that somebody made small the looks would stand behind the read, which may wait for ever.
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
    // A closed descriptor, or one that cannot be read: what came counts.
  }
  return textOf(parts);
}

/** A host may keep its end open after it has said everything. */
function isComplete(parts: readonly Buffer[]): boolean {
  const last = parts.at(-1);
  if (last === undefined || (last.at(-1) !== BRACE && last.at(-2) !== BRACE)) return false;
  try {
    JSON.parse(textOf(parts));
    return true;
  } catch {
    return false;
  }
}

/** Nearly always one part. */
function textOf(parts: readonly Buffer[]): string {
  const [only, ...more] = parts;
  return (only !== undefined && more.length === 0 ? only : Buffer.concat(parts)).toString();
}
