import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What every endurance script uses: a copy of the program, fresh folders, reproducible random numbers. */
const ROOT = join(import.meta.dirname, '../..');

/** Copies the built program, so that a build in the meantime has no effect. */
export function copyProgram(): string {
  const home = freshDir('program');
  for (const part of ['bin', 'dist', 'models', 'package.json'])
    cpSync(join(ROOT, part), join(home, part), { recursive: true });
  return join(home, 'bin/scratchpad.js');
}

const made: string[] = [];

export function freshDir(name: string, base = tmpdir()): string {
  const dir = mkdtempSync(join(base, `scratchpad-chaos-${name}-`));
  made.push(dir);
  return dir;
}

/** A workspace with limits that are never reached. */
export function freshWorkspace(name: string, base?: string): string {
  const root = freshDir(name, base);
  mkdirSync(join(root, '.scratchpad'));
  writeFileSync(
    join(root, '.scratchpad/config.yaml'),
    'limits:\n  notes: 1000000\n  plan: 1000000\n  refs: 100000\n',
  );
  return root;
}

export function removeAll(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
}

export interface Ended {
  /** `null` if a signal ended it. */
  code: number | null;
  stderr: string;
  ms: number;
}

/** Starts a Node program with a minimal environment. */
export function start(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const from = process.hrtime.bigint();
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, TZ: 'UTC', SCRATCHPAD_INIT: '1', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stderr, ms: Number(process.hrtime.bigint() - from) / 1e6 }));
  });
  return { child, ended };
}

/** Whole-number arguments of the script, by position. */
export function numbers(...defaults: readonly number[]): number[] {
  return defaults.map((value, k) => {
    const given = process.argv[k + 2];
    if (given === undefined) return value;
    if (/^\d+$/.test(given)) return Number(given);
    throw new Error(`expected a whole number, found ${given}`);
  });
}

/** Prints one line of figures; a script with failures ends with code 1. */
export function report(
  name: string,
  figures: Readonly<Record<string, string | number>>,
  failures: readonly string[],
): void {
  const told = Object.entries(figures).map(([what, value]) => `${what} ${value}`);
  console.log(`${name}: ${told.join(' · ')} · ${failures.length === 0 ? 'ok' : `FAILED ${failures.length}`}`);
  for (const failure of failures.slice(0, 10)) console.log(`  ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
}
