import { tryList, tryReadText } from '../fs/index.ts';

/**
 * How long a command has to end after Ctrl-C before it is sent the signal again, and then before it is
 * killed.
 */
const GRACE_MS = 200;
const KILL_AFTER_MS = 5000;

interface Child {
  pid?: number | undefined;
  exitCode: number | null;
  signalCode: NodeJS.Signals | null;
}

/**
 * While a command runs, signals to this process are passed on to it: it ends, and its output is kept. A
 * terminal sends Ctrl-C to the command itself; other signals are passed to the command and its children. A
 * second signal ends everything at once.
 * @returns a function that stops passing signals on
 */
export function relaySignals(child: Child, terminal: boolean): () => void {
  let signals = 0;
  const timers: NodeJS.Timeout[] = [];
  const later = (ms: number, signal: NodeJS.Signals): void => {
    timers.push(setTimeout(() => signalTree(child.pid, signal), ms));
  };
  const relay = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals > 2 || (signals > 1 && !terminal)) {
      signalTree(child.pid, 'SIGKILL');
    } else if (signal !== 'SIGINT') {
      signalTree(child.pid, signal);
      later(KILL_AFTER_MS, 'SIGKILL');
    } else if (!terminal) {
      // A signal to the process group has reached the command already: it should not get it twice.
      later(GRACE_MS, signal);
      later(KILL_AFTER_MS, 'SIGKILL');
    }
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, relay);
  return () => {
    for (const timer of timers) clearTimeout(timer);
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
