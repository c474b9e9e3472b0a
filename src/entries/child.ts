import { spawn } from 'node:child_process';
import { tryList, tryReadText } from '../base/fs/index.ts';

/** Waits for its stdin to end, which happens when its parent dies, for whatever reason. */
const GUARD = 'read done || { pkill -TERM -P "$1"; kill -TERM "$1"; rm -f -- "$2"; } 2>/dev/null';

/**
 * Makes sure that a command ends with this process, even if this process is killed, and that its unfinished
 * output does not stay on the disk.
 * @param output path of the file that the command writes to
 * @returns a function that ends the guard
 */
export function guardChild(pid: number | undefined, output: string): () => void {
  if (pid === undefined || process.platform === 'win32') return () => undefined;
  const guard = spawn('/bin/sh', ['-c', GUARD, 'sh', String(pid), output], {
    // In a process group of its own: a signal that kills this process's group must not kill the guard first.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  return () => void guard.stdin.end('done\n');
}

/** How long a command has to end after a signal before it is killed. */
const KILL_AFTER_MS = 5000;

/**
 * While a command runs, signals to this process are passed on to it and its children: it ends, and its output is
 * kept. A terminal sends the first Ctrl-C to the command itself. A second signal ends everything at once.
 * @param pidOf called when a signal comes: passing on begins before the command does
 * @returns a function that stops passing signals on
 */
export function relaySignals(pidOf: () => number | undefined, terminal: boolean): () => void {
  let signals = 0;
  let timer: NodeJS.Timeout | undefined;
  const relay = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals === 1 && signal === 'SIGINT' && terminal) return;
    signalTree(pidOf(), signals > 1 ? 'SIGKILL' : signal);
    timer ??= setTimeout(() => signalTree(pidOf(), 'SIGKILL'), KILL_AFTER_MS);
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, relay);
  return () => {
    clearTimeout(timer);
    for (const name of names) process.off(name, relay);
  };
}

/** Signals a process and its descendants, parents first. */
export function signalTree(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  for (const each of [pid, ...descendantsOf(pid)]) {
    try {
      process.kill(each, signal);
    } catch {
      // It has ended by itself.
    }
  }
}

/** Known only if there is a /proc; elsewhere the command has to pass signals on. */
function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of tryList('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  for (let queue = children.get(pid) ?? []; queue.length > 0; ) {
    found.push(...queue);
    queue = queue.flatMap((each) => children.get(each) ?? []);
  }
  return found;
}

/** Field 4 of /proc/PID/stat (proc(5)); the name in field 2 may contain blanks. */
function parentOf(pid: string): number {
  const stat = tryReadText(`/proc/${pid}/stat`, 'system') ?? '';
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}
