import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const TOKEN = /tk\d+z/g;

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** What must be true after a merge, as one set: the tokens of a pad, and which steps of the plan are done. */
export type Facts = ReadonlySet<string>;

export function factsIn(text: string): Set<string> {
  const facts = new Set(text.match(TOKEN) ?? []);
  for (const [, token] of text.matchAll(/~~(tk\d+z)~~ DONE/g)) facts.add(`${token} done`);
  return facts;
}

/** A three-way merge: what one side removed is gone, and what one side added is there. */
export function merged(base: Facts, ours: Facts, theirs: Facts): Set<string> {
  return new Set(
    [...ours, ...theirs].filter((fact) => !base.has(fact) || (ours.has(fact) && theirs.has(fact))),
  );
}

export function difference(expected: Facts, found: Facts): string | undefined {
  const missing = [...expected].filter((fact) => !found.has(fact));
  const extra = [...found].filter((fact) => !expected.has(fact));
  if (missing.length + extra.length === 0) return undefined;
  return `missing ${missing.join(', ') || 'nothing'}; too much ${extra.join(', ') || 'nothing'}`;
}

/** Runs a program with a home of its own and without anybody's settings. */
export function runIn(
  home: string,
  command: string,
  args: readonly string[],
  cwd: string,
  input: string,
): Promise<Ended> {
  const identity = {
    GIT_AUTHOR_NAME: 'S',
    GIT_AUTHOR_EMAIL: 's@x',
    GIT_COMMITTER_NAME: 'S',
    GIT_COMMITTER_EMAIL: 's@x',
  };
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TZ: 'UTC',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_EDITOR: 'true',
    ...identity,
  };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

export function textOf(files: readonly string[]): string {
  return files
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}
