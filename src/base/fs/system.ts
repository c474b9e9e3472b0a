import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  type StatsFs,
  stat,
  statfs,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { failed, hasCode, messageOf, misuse, succeeds, tried } from '../errors.ts';
import { guard, ioError } from './guard.ts';
import { LARGEST, tryReadText } from './read.ts';

export type { Stats } from 'node:fs';

/**
 * Stats of a path; `undefined` if nothing is there. Links are followed, except in `.scratchpad`.
 * @throws ScratchpadError `environment` if a link is on the way in `.scratchpad`
 */
export function statOf(path: string): Stats | undefined {
  const { path: target, base } = guard(path);
  try {
    return (base === undefined ? statSync : lstatSync)(target, { throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, 'ENOTDIR', 'ELOOP')) return undefined;
    throw ioError(error, 'cannot read', path);
  }
}

export function tryStat(path: string): Stats | undefined {
  return tried(() => statOf(path));
}

/** Whether anything is at a path. What cannot be examined does not exist. */
export function exists(path: string): boolean {
  return tryStat(path) !== undefined;
}

/**
 * Stats of a path, of a link itself if it is one; `undefined` if nothing is there.
 * @throws ScratchpadError `environment`
 */
export function linkStatOf(path: string): Stats | undefined {
  try {
    return lstatSync(guard(path).path, { throwIfNoEntry: false });
  } catch (error) {
    if (hasCode(error, 'ENOTDIR')) return undefined;
    throw ioError(error, 'cannot read', path);
  }
}

/**
 * Stats of a path and of its disk, read in another thread, so that a disk that hangs does not block this one.
 * Rejects with a system error.
 */
export async function lookAtDisk(path: string): Promise<{ stats: Stats; disk: StatsFs }> {
  const [stats, disk] = await Promise.all([promisify(stat)(path), promisify(statfs)(path)]);
  return { stats, disk };
}

export function isWritable(path: string): boolean {
  return succeeds(() => accessSync(path, constants.W_OK));
}

export function isExecutable(path: string): boolean {
  return succeeds(() => accessSync(path, constants.X_OK));
}

/**
 * Whether a path belongs to this user, as git judges the folders of a repository (safe.directory in
 * git-config(1)): to the effective user, or for root to the user who called sudo. Links are judged
 * themselves. A missing path counts as one's own, and so does every path on a system without owners.
 */
export function isOwn(path: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const me = process.geteuid?.();
  if (me === undefined) return true;
  let uid: number | undefined;
  try {
    uid = lstatSync(path, { throwIfNoEntry: false })?.uid;
  } catch (error) {
    return hasCode(error, 'ENOTDIR');
  }
  if (uid === undefined || uid === me) return true;
  return me === 0 && env.SUDO_UID !== undefined && uid === Number(env.SUDO_UID);
}

/** Whether no living process of this host has the pid. A zombie has ended, even if its parent has not collected it. */
export function processIsGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return true;
  }
  const { state } = processStat(pid);
  return state === 'Z' || state === 'X';
}

/** Fields 3 and 22 of /proc/PID/stat (proc(5)); empty if there is no /proc. The name in field 2 may contain blanks. */
export function processStat(pid: number): { state: string; start: string } {
  const stat = tryReadText(`/proc/${pid}/stat`, 'system') ?? '';
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', start: fields[19] ?? '' };
}

/**
 * The person's home directory. If the environment does not tell, the system is asked, through a module that
 * few runs need.
 */
export function homeOf(env: NodeJS.ProcessEnv): string {
  return env.HOME || env.USERPROFILE || process.getBuiltinModule('node:os').homedir();
}

declare const SCRATCHPAD_VERSION: string | undefined;

/** The folder of the installed package: the nearest one above this module, in `src` or in a bundle, that has its files. */
export function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!exists(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** The package's version: put in by the build, read from package.json when run from source. */
export const VERSION: string =
  typeof SCRATCHPAD_VERSION === 'string'
    ? SCRATCHPAD_VERSION
    : (JSON.parse(tryReadText(join(packageFolder(), 'package.json'), 'package') ?? '') as { version: string })
        .version;

const BLOCK = 64 * 1024;
const PAUSE_MS = 5;

/** All of stdin as text. Reads the descriptor itself: the stream object takes milliseconds to load. */
export function readStdin(): string {
  return readStdinBytes().toString('utf8');
}

export function readStdinBytes(): Buffer {
  return readToEnd(0, 'on stdin');
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
      const isFull = hasCode(error, 'EAGAIN');
      if (hasCode(error, 'EPIPE') || (fd === 2 && !isFull)) return;
      if (!isFull) {
        const to = 'send it to a place that takes it; a change that the command made is kept: see it';
        throw failed('the output cannot be written', {
          where: 'stdout',
          found: messageOf(error),
          next: { to, command: 'scratchpad history' },
          cause: error,
        });
      }
      pause();
    }
  }
}

/** Waits after a non-blocking descriptor had no data or no room. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

/**
 * Whether a descriptor is a terminal. `node:tty` loads all of Node's networking, a quarter of Node's own
 * start, so it is loaded only if a terminal is possible.
 */
export function isTerminal(fd: 0 | 1 | 2): boolean {
  const isPossible = tried(() => fstatSync(fd).isCharacterDevice());
  return isPossible === true && process.getBuiltinModule('node:tty').isatty(fd);
}

/** Settles as `work` does, or with the result of `late` once `ms` milliseconds have passed. */
export async function inTime<Value>(work: Promise<Value>, ms: number, late: () => Value): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, deadline.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a process remembers from one call to the next, apart from what could be computed again. */
const remembered: { clear(): void }[] = [];

/** A map or a set that lives as long as the process. */
export function ofProcess<Kept extends { clear(): void }>(kept: Kept): Kept {
  remembered.push(kept);
  return kept;
}

/** From here on it is like another process: for tests that play several in one. */
export function forgetAll(): void {
  for (const kept of remembered) kept.clear();
}
