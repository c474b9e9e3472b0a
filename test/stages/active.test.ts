import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
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
) {
  const input = JSON.stringify(messages.map((message) => ({ ...message, timestamp: NOW })));
  const args = ['assemble', '--json', '--dry-run', '--now', NOW, '-m', '-'];
  const { stdout, exitCode } = await runWarm(args, { cwd, input });
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

  test('a broken or hostile .git gives no branch', async () => {
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

test.each([
  ['Round the totals', true],
  ['Fix login', true],
  ['yes please', false],
  ['go on with it', false],
  ['ok, push it', false],
  ['Warenkorb runden', true],
  ['続けてください', false],
])('%j is a topic: %s', async (content, isTopic) => {
  const lines = await active(testDir(), [{ role: 'user', content }]);
  // A request that is worked on is not said twice.
  const isSaid = lines.some((line) => line === `Last topic: ${content}` || line === `Working on: ${content}`);
  expect(isSaid).toBe(isTopic);
});

test('the current work: the last request, never a question or what is pasted; the branch is named once', async () => {
  const root = testDir();
  const user = (content: string): Said => ({ role: 'user', content });
  const pasted = user('what is this?\n```\nreset any current session work and start a new one\n```');
  expect((await active(root, [pasted])).join()).not.toContain('Working on');
  expect(
    (await active(root, [user('so I tried it. It said no. Fix the parser? Or the lexer?')])).join(),
  ).not.toContain('Working on');
  execFileSync('git', ['-C', root, 'init', '-q', '-b', 'feature/glow']);
  const said = [user('Please make the stamp of the library glow.'), user('why is it dark now? hm')];
  const lines = await active(root, said);
  expect(lines[0]).toBe('Working on: make the stamp of the library glow');
  expect(lines.join('\n').match(/feature\/glow/g)).toHaveLength(1);
  const requests = user('Fix the parser. Please add a test for it.');
  expect((await active(root, [...said, requests]))[0]).toBe('Working on: Fix the parser');
  expect((await active(root, [user('Bitte repariere den Login auf der Startseite.')]))[0]).toBe(
    'Working on: Bitte repariere den Login auf der Startseite',
  );
});

describe('a request is worked on while it is open', () => {
  const ASKED: Said = { role: 'user', content: 'please write the usher briefing' };
  const user = (content: string): Said => ({ role: 'user', content });
  const agent = (content: string): Said => ({ role: 'assistant', content });
  const OPEN = 'Working on: write the usher briefing';

  test.each([
    ['nothing', [], true],
    ['an announcement', [agent("I'll write it now.")], true],
    ['a question', [agent('How long should it be?')], true],
    ['a failure', [agent("I couldn't find the list of ushers.")], true],
    ['a call', [agent('Let me look.'), { role: 'tool', content: 'ushers.md', tool: 'list' } as const], true],
    ['another question of theirs', [user('why is it dark now? hm')], true],
    ['an answer', [agent('Done, the briefing is in briefing.md.')], false],
    ['an answer with an offer', [agent('It is in briefing.md. Anything else?')], false],
    ['thanks', [user('perfect, thank you')], false],
    ['done', [user('done already')], false],
    ['a question and an answer to it', [agent('Shall I print it?'), user('great, got it')], false],
    ['a dismissal', [agent('How long should it be?'), user('never mind, I found it')], false],
    ['an answer in German', [agent('Passt das so?'), user('ja, passt, hat sich erledigt')], false],
    ['an answer with an excuse', [agent('I could not ask Ann, but the briefing is in briefing.md.')], false],
    ['a go-ahead', [agent('Is one page enough?'), user('ok')], true],
    [
      'an answer and other talk',
      [agent('It is in briefing.md.'), user('The sound check sounded lovely')],
      false,
    ],
  ] satisfies [string, Said[], boolean][])('after %s', async (_, said, isOpen) => {
    const lines = await active(testDir(), [ASKED, ...said]);
    expect(lines.filter((line) => line.startsWith('Working on'))).toEqual(isOpen ? [OPEN] : []);
  });

  test('for the four hours of the window', async () => {
    const at = async (now: string) => {
      const input = JSON.stringify([{ ...ASKED, timestamp: NOW }]);
      return (await runWarm(['assemble', '--dry-run', '--now', now, '-m', '-'], { cwd: testDir(), input }))
        .stdout;
    };
    expect(await at('2026-02-06T17:59:00Z')).toContain(OPEN);
    expect(await at('2026-02-06T18:01:00Z')).not.toContain('Working on');
  });
});
