import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDir } from './test-dir.ts';

/** Runs git in a folder as a person without settings of their own. @returns what it printed */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: cwd,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Sam',
      GIT_AUTHOR_EMAIL: 'sam@example.com',
      GIT_COMMITTER_NAME: 'Sam',
      GIT_COMMITTER_EMAIL: 'sam@example.com',
    },
  }).trim();
}

const made = new Map<string, string>();

/** A repository on branch `main` with one commit, in a folder of its own so that worktrees may lie beside it. */
export function testRepository(files: Readonly<Record<string, string>> = { 'x.txt': 'x\n' }): string {
  const root = join(testDir({ 'repo/': '' }), 'repo');
  const kind = JSON.stringify(files);
  const first = made.get(kind) ?? firstRepository(files);
  made.set(kind, first);
  cpSync(first, root, { recursive: true, preserveTimestamps: true });
  return root;
}

/** The same to be copied, which takes a tenth of the time of three runs of git. */
function firstRepository(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'scratchpad-test-git-'));
  process.once('exit', () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  git(root, 'init', '-q', '-b', 'main');
  rmSync(join(root, '.git/hooks'), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'begin');
  return root;
}
