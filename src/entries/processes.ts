import { tryList, tryReadText } from '../fs/index.ts';

/** How long a command has to end by itself on Ctrl-C before it is told so, and then before it is ended. */
const GRACE_MS = 200;
const KILL_AFTER_MS = 5000;

interface Child {
  pid?: number | undefined;
  exitCode: number | null;
  signalCode: NodeJS.Signals | null;
}

/**
 * While a command runs, signals to this process are for the command: it ends, and what it wrote
 * is kept. A terminal sends Ctrl-C to the command itself; from elsewhere it is passed on, to what
 * the command has started too. A second signal ends everything at once.
 *
 * @returns stops passing on
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
      // Whoever signals a group has reached the command already: it should not hear it twice.
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

/** Signals a process and all that descend from it, a shell before what it waits for. */
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

/** Known where there is a /proc; elsewhere the command is left to pass signals on. */
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

/** Field 4 of /proc/PID/stat (proc(5)); the name in field 2 may hold blanks. */
function parentOf(pid: string): number {
  const stat = tryReadText(`/proc/${pid}/stat`, 'system') ?? '';
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}
