import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Json, object, type Program } from './hosts/host.ts';

/** What to do after a line: go on, end the host as a person interrupts it, or as a machine that is shut down. */
export type Next = 'go on' | 'interrupt' | 'kill';

export interface Ended {
  code: number | null;
  /** What it printed beside its lines. */
  noise: string;
  by: Next | 'deadline';
}

const running = new Set<ChildProcess>();

/** Ends everything that is running, with what it started itself. */
export function endAll(): void {
  for (const child of running) end(child, 'SIGKILL');
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

interface Run {
  program: Program;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  deadlineMs: number;
  hear(line: Json): Next;
  /** A program whose lines are heard instead of its own. */
  follow?: Program | undefined;
}

const GRACE_MS = 5000;
const SETTLE_MS = 1000;

/** Runs a host for one turn. */
export async function runHost({ program, args, cwd, env, deadlineMs, hear, follow }: Run): Promise<Ended> {
  let by: Ended['by'] = 'go on';
  let noise = '';
  const start = ({ command, args: own }: Program, more: string[]): ChildProcess => {
    const child = spawn(command, [...own, ...more], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    running.add(child);
    child.on('close', () => running.delete(child));
    return child;
  };
  const follower = follow && start(follow, []);
  if (follower) await new Promise((ready) => follower.stdout?.once('data', ready));
  const child = start(program, args);
  const stop = (how: Ended['by']): void => {
    if (by !== 'go on') return;
    by = how;
    end(child, how === 'interrupt' ? 'SIGINT' : 'SIGKILL');
    if (how === 'interrupt') setTimeout(() => end(child, 'SIGKILL'), GRACE_MS).unref();
  };
  const listen = (to: ChildProcess, heard: boolean): Promise<void> => {
    const add = (text: string): void => {
      noise = (noise + text).slice(-8000);
    };
    to.stderr?.on('data', (data) => add(String(data)));
    if (to.stdout === null) return Promise.resolve();
    const lines = createInterface({ input: to.stdout });
    lines.on('line', (line) => {
      const read = heard ? parsed(line) : undefined;
      if (read === undefined) add(`${line}\n`);
      else if (by === 'go on') {
        const next = hear(read);
        if (next !== 'go on') stop(next);
      }
    });
    return new Promise((done) => lines.on('close', done));
  };
  const deadline = setTimeout(() => stop('deadline'), deadlineMs);
  const quiet = listen(child, follower === undefined);
  if (follower) void listen(follower, true);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  await quiet;
  clearTimeout(deadline);
  if (follower) {
    const gone = new Promise((done) => follower.on('close', done));
    end(follower, 'SIGTERM');
    setTimeout(() => end(follower, 'SIGKILL'), SETTLE_MS).unref();
    await gone;
  }
  return { code, noise, by };
}

const parsed = (line: string): Json | undefined => {
  if (!line.startsWith('{')) return undefined;
  try {
    return object(JSON.parse(line));
  } catch {
    return undefined;
  }
};
