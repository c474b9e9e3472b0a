import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEachTest } from './cleanup.ts';
import { minimalEnv, PROGRAM } from './run-cli.ts';

export interface TriggerEvent {
  event: string;
  [key: string]: unknown;
}

/** A command that runs on, and the events that it prints with `--json`. */
export interface Running {
  child: ChildProcess;
  /** The next event of that name that nobody has taken yet, whatever comes before it. */
  next(event: string): Promise<TriggerEvent>;
  /** Events that came and were not taken. */
  rest(): TriggerEvent[];
  ended: Promise<{ code: number | null; stderr: string }>;
}

/** Shorter than a test may take, so that the failure says what came instead. */
const PATIENCE_MS = 50_000;

const running: ChildProcess[] = [];

afterEachTest(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

export interface ResidentOptions {
  cwd: string;
  env?: Readonly<Record<string, string>>;
  /** A program that starts it, and its words. */
  within?: readonly string[];
}

/** Starts the built program with `--json`. What still runs when the test ends is killed. */
export function startCli(args: readonly string[], { cwd, env = {}, within = [] }: ResidentOptions): Running {
  const [command = '', ...words] = [...within, process.execPath, PROGRAM, ...args, '--json'];
  const child = spawn(command, words, {
    cwd,
    env: { ...minimalEnv(), HOME: join(cwd, 'no-home'), ...env },
  });
  running.push(child);
  const events: TriggerEvent[] = [];
  let wake: () => void = () => undefined;
  let text = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    events.push(...lines.map((line) => JSON.parse(line) as TriggerEvent));
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  let over = false;
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.on('close', (code) => {
      over = true;
      wake();
      resolve({ code, stderr });
    });
  });
  return {
    child,
    ended,
    rest: () => events,
    async next(event) {
      const until = Date.now() + PATIENCE_MS;
      for (;;) {
        const at = events.findIndex((each) => each.event === event);
        const found = events[at];
        if (found) {
          events.splice(0, at + 1);
          return found;
        }
        const came = JSON.stringify(events);
        if (over) throw new Error(`ended without ${event}: ${came} ${stderr}`);
        if (Date.now() > until) throw new Error(`no ${event} in ${PATIENCE_MS} ms: ${came} ${stderr}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, until - Date.now() + 1).unref();
        });
      }
    },
  };
}
