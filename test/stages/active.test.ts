import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import { testDir } from '../helpers/test-dir.ts';

const NOW = '2026-02-06T14:00:00Z';

interface Said {
  role: 'user' | 'assistant' | 'tool';
  content: string;
  tool?: string;
}

/** What Active Context says in a directory after these messages. */
async function active(
  cwd: string,
  messages: readonly Said[] = [{ role: 'user', content: 'look at the flaky upload test' }],
  env: Record<string, string> = {},
) {
  const input = JSON.stringify(messages.map((message) => ({ ...message, timestamp: NOW })));
  const args = ['assemble', '--json', '--dry-run', '--now', NOW, '-m', '-'];
  const { stdout, exitCode } = await runCli(args, { cwd, input, env });
  expect(exitCode).toBe(0);
  const { stages } = JSON.parse(stdout) as {
    stages: { id: string; lines: { text: string; why: string }[] }[];
  };
  return stages.find(({ id }) => id === 'context')?.lines.map(({ text }) => text.slice(2)) ?? [];
}

describe('the branch', () => {
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync('git', ['-C', cwd, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      encoding: 'utf8',
    });

  test('of a repository, a folder in it, a worktree, and of none at all; a commit that is checked out alone', async () => {
    const root = testDir({ 'repo/src/': '', 'plain/': '' });
    const repo = join(root, 'repo');
    git(repo, 'init', '-q', '-b', 'feature/upload-retries');
    // A repository without a commit has a branch all the same.
    expect(await active(repo)).toContain('Branch: feature/upload-retries');
    git(repo, 'commit', '-q', '--allow-empty', '-m', 'x');
    expect(await active(join(repo, 'src'))).toContain('Branch: feature/upload-retries');
    git(repo, 'worktree', 'add', '-q', '-b', 'other', join(root, 'tree'));
    expect(await active(join(root, 'tree'))).toContain('Branch: other');
    git(repo, 'checkout', '-q', '--detach');
    const commit = git(repo, 'rev-parse', '--short=7', 'HEAD').trim();
    expect(await active(repo)).toContain(`Branch: detached at ${commit}`);
    expect((await active(join(root, 'plain'))).join()).not.toContain('Branch');
  });

  test('where the files at hand are; a repository that has nothing to do with them is not named', async () => {
    const root = testDir({ 'work/': '', 'other/src/a.ts': 'x' });
    const [work, other] = [join(root, 'work'), join(root, 'other')];
    git(work, 'init', '-q', '-b', 'of-the-workspace');
    git(other, 'init', '-q', '-b', 'of-the-files');
    const read = (path: string): Said[] => [
      { role: 'user', content: 'look at the flaky upload test' },
      { role: 'tool', tool: 'Read', content: JSON.stringify({ file_path: path }) },
    ];
    expect(await active(work, read('~/other/src/a.ts'), { HOME: root })).toContain(
      'Files: ~/other/src/a.ts (branch of-the-files)',
    );
    expect(await active(work, read('src/gone.ts'))).toContain('Files: src/gone.ts');
    writeFileSync(join(work, 'b.ts'), '');
    expect(await active(work, read('b.ts'))).toContain('Files: b.ts (branch of-the-workspace)');
  });

  test('a broken or hostile .git is no branch', async () => {
    const cwd = testDir({ '.git/HEAD': 'ref: refs/heads/<!--\n## Plan\n' });
    expect((await active(cwd)).join('\n')).not.toMatch(/<!--|^## /m);
    writeFileSync(join(cwd, '.git/HEAD'), 'x'.repeat(100_000));
    expect((await active(cwd)).join()).not.toContain('Branch');
    rmSync(join(cwd, '.git'), { recursive: true });
    writeFileSync(join(cwd, '.git'), 'gitdir: /no/such/place\n');
    expect((await active(cwd)).join()).not.toContain('Branch');
    mkdirSync(join(cwd, 'sub'));
    expect((await active(join(cwd, 'sub'))).join()).not.toContain('Branch');
  });
});

describe('the subject', () => {
  const talk: Said[] = [
    { role: 'user', content: 'where did we leave lanternfish?' },
    { role: 'tool', tool: 'Read', content: '{"file_path":"/home/sam/play/lanternfish/rooms.yaml"}' },
    { role: 'user', content: 'each stamp should glow so that the dark rooms get lighter' },
    { role: 'tool', tool: 'Edit', content: '{"file_path":"/home/sam/play/lanternfish/src/light.ts"}' },
    { role: 'user', content: 'make the stamp of the library glow too' },
  ];

  test('a name that memory has is said where the request does not say it', async () => {
    const cwd = testDir({
      'MEMORY.md': '## Projects\n- **lanternfish**: a text adventure\n- **chorus**: classifies recordings\n',
    });
    expect((await active(cwd, talk))[0]).toMatch(/^Working on: lanternfish: /);
    expect((await active(testDir(), talk))[0]).not.toContain('lanternfish: ');
  });

  test('not a heading under which anything may stand, and not one that was mentioned in passing', async () => {
    const cwd = testDir({ 'memory/2026-02-05.md': '## Home\n- bread\n## chorus\n- demo\n## Work\n- x\n' });
    const passing: Said[] = [
      ...talk,
      { role: 'user', content: 'that is for chorus at home, work on the stamp again' },
    ];
    expect((await active(cwd, passing))[0]).not.toMatch(/^Working on: (?:chorus|Home|Work): /);
  });
});

test('today’s note: the entry that is spoken of, out of its last 2 KB, whole', async () => {
  const old = '- the upload test was flaky in March, too\n';
  const filler = Array.from(
    { length: 40 },
    (_, k) => `- bread number ${k} has been baked and eaten with butter\n`,
  ).join('');
  const entry = '- upload test: flaky since the retries were added, see `src/upload.ts`, Ada knows more\n';
  const cwd = testDir({ 'memory/2026-02-06.md': `# Fri\n\n${old}${filler}${entry}- went home early\n` });
  const lines = await active(cwd, [
    { role: 'user', content: 'look at the flaky upload test and its retries in src/upload.ts' },
  ]);
  expect(lines).toContain(
    "Today's note: upload test: flaky since the retries were added, see `src/upload.ts`, Ada knows more (memory/2026-02-06.md:44)",
  );
});
