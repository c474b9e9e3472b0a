import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** The state folder of the user that all tests play, set by `setup.ts`. */
export function testState(): string {
  return process.env.XDG_STATE_HOME ?? '';
}

/** The folders of the user that a test process plays: another process, or another run, has its own. */
export const USER = join(tmpdir(), `scratchpad-test-user-${process.pid}`);
// A watcher of the settings would notice the folder when the first test makes it.
for (const folder of ['home', 'state']) mkdirSync(join(USER, folder), { recursive: true, mode: 0o700 });
process.once('exit', () => rmSync(USER, { recursive: true, force: true, maxRetries: 5 }));

export const PROGRAM = join(import.meta.dirname, '../../bin/scratchpad.js');

/** As at a user's, who has run the program before: compiling anew makes a run a third longer. */
const CODE_CACHE = join(tmpdir(), 'scratchpad-test-cache');
mkdirSync(CODE_CACHE, { recursive: true, mode: 0o700 });

export interface CliOptions {
  cwd: string;
  /** What the program reads from stdin; nothing unless given. */
  input?: string | Uint8Array;
  /** Set beside the minimal environment, which has no settings of the person who runs the tests. */
  env?: Readonly<Record<string, string>>;
  /** Another copy of the program than the one that was built here. */
  program?: string;
}

export interface CliResult {
  stdout: string;
  stderr: string;
  /** -1 when a signal ended the program. */
  exitCode: number;
}

/** Runs the built program as a user would (build first), and waits for its end. Never rejects. */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const { stdout, stderr, exitCode } = await execa(process.execPath, [options.program ?? PROGRAM, ...args], {
    cwd: options.cwd,
    env: { ...minimalEnv(), ...options.env },
    extendEnv: false,
    input: options.input ?? '',
    reject: false,
    stripFinalNewline: false,
  });
  return { stdout, stderr, exitCode: exitCode ?? -1 };
}

/** Nothing but what a program needs to start, and a home without settings. */
export function minimalEnv(): Record<string, string> {
  const home = join(USER, 'home');
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_STATE_HOME: testState(),
    // Tests begin in an empty folder; what is made unasked is the matter of `command-table.test.ts`.
    SCRATCHPAD_INIT: '1',
    TZ: 'UTC',
    XDG_CACHE_HOME: CODE_CACHE,
  };
}
