import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ClaudeSession } from '../handover/claude-session.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const NOW = ['--now', '2026-02-05T18:00:00Z'];
let cwd: string;

beforeEach(() => {
  const config = 'transcript: {paths: [sessions]}\n';
  cwd = testDir({ 'SCRATCHPAD.md': '', '.scratchpad/config.yaml': config, 'sessions/': '' });
});

function leave(session: ClaudeSession): void {
  writeFileSync(join(cwd, 'sessions', 'one.jsonl'), session.text);
}

function work(): ClaudeSession {
  return new ClaudeSession({ cwd })
    .person('Never use tabs. Round the totals.')
    .use('TodoWrite', {
      todos: [
        { content: 'Look', status: 'completed' },
        { content: 'Round', status: 'in_progress' },
        { content: 'Test', status: 'pending' },
      ],
    })
    .use('Edit', { file_path: join(cwd, 'src/cart.ts') })
    .agent('Which file?')
    .person('yes please')
    .person('the one of the cart, and keep the log line')
    .agent('Shall I go on?');
}

interface Shown {
  line: string;
  messages: { number: number; text: string; told: boolean }[];
  state: { open: string[]; tasks: object[] };
}

async function asJson(): Promise<Shown> {
  return JSON.parse((await runWarm(['handover', '--json', ...NOW], { cwd })).stdout) as Shown;
}

describe('scratchpad handover', () => {
  test.each(['handover', 'trail'])(
    '`%s` shows where the session stands and all that was said, with the reason',
    async (name) => {
      leave(work());
      const { stdout, exitCode } = await runWarm([name, ...NOW], { cwd });
      expect(exitCode).toBe(0);
      for (const part of [
        'The last session here',
        'open tasks: “Round”; “Test”',
        // The question names nothing that a next session could answer.
        'the person wrote “the one of the cart, and keep the log line”',
        '1. “Never use tabs. Round the totals.”',
        'will be told',
        '2. “yes please”',
        'will not be told',
        '3. “the one of the cart, and keep the log line”',
      ])
        expect(stdout).toContain(part);
    },
  );

  test('a message has its own age, where the agent spoke long after it', async () => {
    const session = new ClaudeSession({ cwd }).person('Remind me to pay the printing bill tonight.');
    const wrote = Date.parse(JSON.parse(session.lines[0] ?? '').timestamp);
    session.agent('I will.').agent('Reminder: the printing bill is overdue.');
    const lines = session.text.trim().split('\n');
    const last = {
      ...JSON.parse(lines.pop() ?? ''),
      timestamp: new Date(wrote + 5 * 3_600_000).toISOString(),
    };
    writeFileSync(join(cwd, 'sessions', 'one.jsonl'), `${[...lines, JSON.stringify(last)].join('\n')}\n`);
    const now = new Date(wrote + 5.5 * 3_600_000).toISOString();
    const { stdout } = await runWarm(['handover', '--now', now], { cwd });
    expect(stdout).toContain(
      'The last session here, 30 min ago: the person wrote “Remind me to pay the printing bill tonight.”, 6 h ago (answered)',
    );
  });

  test.each([['init'], ['install', 'agents-md', '--yes']])(
    'is what `%s` names first, once, where the person has a session here',
    async (...args) => {
      leave(work());
      rmSync(join(cwd, 'SCRATCHPAD.md'));
      const begin = async () => (await runWarm([...args, '--now', '2026-02-06T00:20:00Z'], { cwd })).stdout;
      expect(await begin()).toMatch(
        /your last session here, 11 h ago: “the one of the cart, and keep the log line”\nnext: scratchpad handover {13}what the next session will be told/,
      );
      expect(await begin()).not.toContain('your last session');
    },
  );

  test('of a session by its file; one that is not of this folder says that nobody is told', async () => {
    leave(work());
    writeFileSync(join(cwd, 'copy.jsonl'), work().text);
    const see = (...args: string[]) => runWarm(['handover', ...args, ...NOW], { cwd });
    const own = await see('--transcript', 'sessions/one.jsonl');
    expect(own).toEqual(await see());
    const copy = await see('-t', 'copy.jsonl');
    expect(copy.stdout).toContain('1. “Never use tabs. Round the totals.”');
    expect(copy.stderr).toBe(
      'not a session of this folder: a session that goes on with it in its own folder is told this\n',
    );
    expect((await see('-t', 'nosuch')).stderr).toContain('cannot read the file');
    expect((await see('-t', 'copy.jsonl', '--json')).stdout).toContain('"number": 3');
  });

  test('of a session by the beginning of its id; an unknown and an ambiguous one are said', async () => {
    leave(work());
    const see = (id: string) => runWarm(['handover', '--session', id, ...NOW], { cwd });
    expect((await see('5a1f0c9e')).stdout).toContain('open tasks: “Round”; “Test”');
    expect((await runWarm(['transcript', 'show', '5a1f0c9e'], { cwd })).stdout).toContain('Round the totals');
    expect((await see('15803e5e')).stderr).toContain(
      'no session of this workspace was found\n  found:    15803e5e',
    );
    const other = '5a1f0c9e-0000-4000-8000-000000000016';
    writeFileSync(
      join(cwd, 'sessions', 'two.jsonl'),
      new ClaudeSession({ cwd, session: other }).person('Hi').text,
    );
    const { stderr, exitCode } = await see('5a1f0c');
    expect(stderr).toContain(other);
    expect(exitCode).toBe(2);
  });

  test('a pad by the beginning of its id', async () => {
    await runWarm(['-s', 'be90d0bd-0000-4000-8000-000000000001', '--init', 'notes', 'add', 'x is y'], {
      cwd,
    });
    expect((await runWarm(['-s', 'be90d0bd', 'notes'], { cwd })).stdout).toBe('x is y\n');
    expect((await runWarm(['-s', 'be90d', 'notes'], { cwd })).stderr).toContain('no such session');
  });

  test('as JSON', async () => {
    leave(work());
    const { messages, state } = await asJson();
    expect(messages.map(({ number, told }) => [number, told])).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ]);
    expect(state.open).toContain('question');
    expect(state.tasks).toHaveLength(2);
  });

  test('gives times in the zone of the person', async () => {
    leave(work());
    appendFileSync(join(cwd, '.scratchpad/config.yaml'), 'timezone: Asia/Tokyo\n');
    const { stdout } = await runWarm(['handover', ...NOW], { cwd });
    expect(stdout).toContain('(2026-02-05 22:01; ');
  });

  test('forgets a message by its number, and lists the valid numbers', async () => {
    leave(work());
    const wrong = await runWarm(['handover', 'forget', '9', ...NOW], { cwd });
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain('a number from 1 to 3');
    const agent = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'a1' };
    const refused = await runWarm(['handover', 'forget', '1', ...NOW], { cwd, env: agent });
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('for a person')]);
    const forgotten = await runWarm(['handover', 'forget', '1', ...NOW], { cwd });
    expect(forgotten.stdout).toContain('will not be told again: Never use tabs.');
    expect((await asJson()).messages.map(({ text }) => text)).not.toContain(
      'Never use tabs. Round the totals.',
    );
  });

  test('a message that a fork has from its parent is forgotten in both, also in one made later', async () => {
    const fork = (name: string, words: string): void =>
      writeFileSync(
        join(cwd, 'sessions', `${name}.jsonl`),
        work().person(words).agent('ok').text.replaceAll('"sessionId":"s1"', `"sessionId":"${name}"`),
      );
    leave(work());
    await runWarm(['handover', ...NOW], { cwd });
    fork('two', 'and the footer');
    const shown = await asJson();
    const { number } = shown.messages.find(({ text }) => text.startsWith('Never use tabs')) ?? {};
    await runWarm(['handover', 'forget', String(number), ...NOW], { cwd });
    fork('three', 'and the header');

    for (const session of ['one', 'two', 'three', 's1']) {
      const { stdout } = await runWarm(['handover', '--json', '--session', session, ...NOW], { cwd });
      expect(stdout, session).not.toContain('Never use tabs');
    }
  });

  test('where nobody has worked yet says so', async () => {
    const { stdout, stderr, exitCode } = await runWarm(['handover', ...NOW], { cwd });
    expect([stdout, exitCode]).toEqual(['', 0]);
    expect(stderr).toContain('no session of this workspace is known yet');
  });

  test('search finds what each session said, where the hand-over quotes it, and nothing that was forgotten', async () => {
    leave(work());
    const { stdout } = await runWarm(['search', 'totals', ...NOW], { cwd });
    expect(stdout).toMatch(/^session \S+ \(person, [^)]*\): Never use tabs\. Round the totals\.\n$/);
    const agent = await runWarm(['recall', 'what file was it, which?', ...NOW], { cwd });
    expect(agent.stdout).toMatch(/^session \S+ \(agent, [^)]*\): Which file\?$/m);

    await runWarm(['handover', 'forget', '1', ...NOW], { cwd });
    expect((await runWarm(['search', 'totals', ...NOW], { cwd })).exitCode).toBe(1);
  });

  test('search leaves out the session that asks, which has its own words', async () => {
    leave(work());
    const { sessions } = {
      sessions: JSON.parse((await runWarm(['transcript', 'list', '--json'], { cwd })).stdout),
    };
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: (sessions as { id: string }[])[0]?.id ?? '' };
    expect((await runWarm(['search', 'totals', ...NOW], { cwd, env })).exitCode).toBe(1);
  });
});
