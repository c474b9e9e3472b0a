import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What every endurance script uses: a copy of the program, fresh folders, faults, small disks, a report. */
const ROOT = join(import.meta.dirname, '../..');

/** Copies the built program, so that a build in the meantime has no effect. */
export function copyProgram(): string {
  const home = makeDirectory('program');
  for (const part of ['bin', 'dist', 'models', 'package.json'])
    cpSync(join(ROOT, part), join(home, part), { recursive: true });
  return join(home, 'bin/scratchpad.js');
}

const made: string[] = [];

export function makeDirectory(name: string, base = tmpdir()): string {
  const dir = mkdtempSync(join(base, `scratchpad-chaos-${name}-`));
  made.push(dir);
  return dir;
}

/** Makes a folder a workspace with limits that are never reached. */
export function makeWorkspace(name: string, root = makeDirectory(name)): string {
  mkdirSync(join(root, '.scratchpad'), { recursive: true });
  const limits = 'limits:\n  notes: 1000000\n  plan: 1000000\n  refs: 100000\n';
  writeFileSync(join(root, '.scratchpad/config.yaml'), limits);
  return root;
}

export function removeAll(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
}

export interface Ended {
  /** `null` if a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
  ms: number;
}

export interface StartOptions {
  cwd: string;
  /** The program; this Node unless given. */
  command?: string;
  env?: Readonly<Record<string, string>>;
  input?: string;
}

/** Starts a program with a minimal environment. */
export function start(
  args: readonly string[],
  { cwd, command = process.execPath, env = {}, input = '' }: StartOptions,
): { child: ChildProcess; ended: Promise<Ended> } {
  const from = performance.now();
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, TZ: 'UTC', SCRATCHPAD_INIT: '1', ...env },
    stdio: 'pipe',
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr, ms: performance.now() - from }));
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return { child, ended };
}

/** What `fault.cjs` ends a process with in which there were fewer calls than that. */
export const NO_SUCH_CALL = 77;

/** The environment in which a fault happens at a file system call, by its number. */
export const planFault = (fault: string, at: number, stays = false): Record<string, string> => ({
  NODE_OPTIONS: `--require=${join(import.meta.dirname, 'fault.cjs')}`,
  FAULT: fault,
  FAULT_AT: String(at),
  FAULT_STAYS: stays ? '1' : '0',
});

/** Mounts a small file system in memory. @returns whether this is permitted, which it often is not in a container */
export function mount(dir: string, options: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

/** Fills a disk except for so many pages. */
export function fill(path: string, free: number): void {
  const pages = fillDisk(() => writeFileSync(path, Buffer.alloc(4096), { flag: 'a' }));
  rmSync(path);
  writeFileSync(path, Buffer.alloc(Math.max(0, pages - free) * 4096));
}

/** Uses up the inodes of a disk except for so many. */
export function fillNames(dir: string, free: number): void {
  mkdirSync(dir);
  const names = fillDisk((k) => writeFileSync(join(dir, String(k)), ''));
  for (let k = Math.max(0, names - free); k < names; k += 1) rmSync(join(dir, String(k)));
}

function fillDisk(write: (k: number) => void): number {
  for (let k = 0; ; k += 1) {
    try {
      write(k);
    } catch {
      return k;
    }
  }
}

/** Whole-number arguments of the script, by position. */
export const readNumbers = (...defaults: readonly number[]): number[] =>
  defaults.map((value, k) => {
    const given = process.argv[k + 2];
    if (given === undefined) return value;
    if (/^\d+$/.test(given)) return Number(given);
    throw new Error(`expected a whole number, found ${given}`);
  });

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
