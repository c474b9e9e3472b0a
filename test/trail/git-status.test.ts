import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { trailOf } from '../../src/trail/index.ts';
import { testDir } from '../helpers/test-dir.ts';
import { ClaudeSession } from './claude-session.ts';

let root: string;
/** Runs git for real; its output is what the session records. */
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    encoding: 'utf8',
  });

const NAMES = ['a.ts', 'b.ts', 'web/c d.ts', 'web/new/e.ts'];

beforeEach(() => {
  root = testDir();
  git('init', '-q', '-b', 'main');
  mkdirSync(join(root, 'web/new'), { recursive: true });
  for (const name of NAMES.slice(0, 3)) writeFileSync(join(root, name), 'one\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  for (const name of NAMES) writeFileSync(join(root, name), 'two\n');
});

async function uncommitted(talk: ClaudeSession): Promise<string[]> {
  const path = join(root, '.git', 'session.jsonl');
  writeFileSync(path, talk.text);
  const { facts } = await trailOf(path, Date.UTC(2026, 1, 5, 18));
  return facts
    .filter(({ kind, open }) => kind === 'edited' && open)
    .map(({ text }) => text)
    .sort();
}

function edits(): ClaudeSession {
  const talk = new ClaudeSession({ cwd: root }).person('go');
  for (const name of NAMES) talk.use('Edit', { file_path: join(root, name) });
  return talk;
}

/** A git command that the agent runs, with git's own answer. */
function runs(
  talk: ClaudeSession,
  command: string,
  output = git(...command.split(' ').slice(1)),
): ClaudeSession {
  return talk.use('Bash', { command }, output.trimEnd());
}

describe('what git status lists is what is not committed', () => {
  test.each(['git status', 'git status --short', 'git status -sb', 'git status --porcelain'])(
    '%s',
    async (command) => {
      expect(await uncommitted(runs(edits(), command))).toEqual(NAMES);
      git('add', 'a.ts', 'web/c d.ts');
      git('commit', '-qm', 'by hand');
      const talk = runs(edits(), command);
      expect(await uncommitted(talk)).toEqual(['b.ts', 'web/new/e.ts']);
      git('add', '-A');
      git('commit', '-qm', 'the rest, by hand');
      expect(await uncommitted(runs(talk, command))).toEqual([]);
    },
  );

  test('in a folder of the repository', async () => {
    git('add', 'web');
    git('commit', '-qm', 'by hand');
    expect(await uncommitted(runs(edits(), 'git -C web status -s'))).toEqual(['a.ts', 'b.ts']);
  });

  test.each([
    ['of one file', 'git status -s a.ts', undefined],
    ['without untracked files', 'git status -s -uno', undefined],
    ['with more commands', 'git status -s && git log', ' M a.ts\nabc first'],
    ['through a pipe', 'git status -s | head -1', ' M a.ts'],
    ['cut by the host', 'git status -s', ' M a.ts\n[... 3 lines omitted ...]'],
    [
      'cut in its long form',
      'git status',
      'On branch main\nChanges not staged for commit:\n\tmodified:   a.ts\n… +3 lines',
    ],
    ['of another repository', 'git -C /elsewhere status -s', ' M x.ts'],
  ])('nothing is concluded from a status %s', async (_, command, output) => {
    expect(await uncommitted(runs(edits(), command, output))).toEqual(NAMES);
  });
});

describe('a quiet commit', () => {
  test('of everything', async () => {
    git('add', '-A');
    const talk = runs(edits(), 'git add -A', '');
    expect(await uncommitted(runs(talk, 'git commit -q -m all'))).toEqual([]);
  });

  test('of some files', async () => {
    git('add', 'a.ts');
    const talk = runs(edits(), 'git add a.ts', '');
    expect(await uncommitted(runs(talk, 'git commit -qm some'))).toEqual(NAMES.slice(1));
  });

  test('that failed', async () => {
    const talk = runs(edits(), 'git add -A', '');
    talk.bash('git commit -q -m all', 'hook declined', 1);
    expect(await uncommitted(talk)).toEqual(NAMES);
  });
});
