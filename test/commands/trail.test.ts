import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { ClaudeSession } from '../handover/claude-session.ts';

const NOW = ['--now', '2026-02-05T18:00:00Z'];
let cwd: string;

beforeEach(() => {
  cwd = testDir({ 'SCRATCHPAD.md': '', 'sessions/': '' });
});

function leave(session: ClaudeSession): void {
  mkdirSync(join(cwd, 'sessions'), { recursive: true });
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
    .use('Read', { file_path: join(cwd, 'src/money.ts') })
    .use('Edit', { file_path: join(cwd, 'src/cart.ts') })
    .bash('npm test', '✗ rounds each line\n1 failed', 1)
    .agent('Shall I go on?');
}

describe('scratchpad trail', () => {
  test('shows the facts with their reasons, and as JSON', async () => {
    leave(work());
    const shown = await runWarm(['trail', ...NOW], { cwd });
    expect(shown.exitCode).toBe(0);
    for (const part of [
      'open tasks:',
      'in progress: Round',
      '“Never use tabs.”',
      '`npm test` failed',
      'rounds each line',
      'src/cart.ts',
      'an edit and no commit since',
      '“Shall I go on?”',
    ])
      expect(shown.stdout).toContain(part);
    const { stdout } = await runWarm(['trail', '--json', ...NOW], { cwd });
    const value = JSON.parse(stdout) as {
      from: string;
      facts: { number: number; kind: string; place: number }[];
    };
    expect(value.from).toBe('session');
    expect(value.facts.map(({ number }) => number)).toEqual(value.facts.map((_, index) => index + 1));
    expect(value.facts.every(({ place }) => Number.isInteger(place))).toBe(true);
  });

  test('gives the times of facts in the zone of the person', async () => {
    leave(work());
    const { stdout } = await runWarm(['trail', '--json', ...NOW], { cwd });
    const { facts } = JSON.parse(stdout) as { facts: { time?: string }[] };
    const hour = (facts[0]?.time ?? '').slice(0, 13);
    mkdirSync(join(cwd, '.scratchpad'), { recursive: true });
    writeFileSync(join(cwd, '.scratchpad/config.yaml'), 'timezone: Asia/Tokyo\n');
    const tokyo = new Date(Date.parse(`${hour}:00Z`) + 9 * 3_600_000).toISOString().slice(0, 13);
    const shown = await runWarm(['trail', ...NOW], { cwd });
    expect(shown.stdout).toContain(`      ${tokyo.replace('T', ' ')}:`);
    expect(shown.stdout).not.toMatch(/\d\dZ, at/);
  });

  test('forgets a fact by its number, and lists the valid numbers', async () => {
    leave(work());
    const { stdout } = await runWarm(['trail', '--json', ...NOW], { cwd });
    const { facts } = JSON.parse(stdout) as { facts: { number: number; kind: string }[] };
    const number = facts.find(({ kind }) => kind === 'instruction')?.number;
    const forgotten = await runWarm(['trail', 'forget', `${number}`, ...NOW], { cwd });
    expect(forgotten.stdout).toContain('forgotten: “Never use tabs.”');
    const after = await runWarm(['trail', ...NOW], { cwd });
    expect(after.stdout).not.toContain('tabs');
    expect(after.stdout).toContain('in progress: Round');
    const wrong = await runWarm(['trail', 'forget', '999', ...NOW], { cwd });
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('a number from 1 to')]);
  });

  test('says if there is nothing, and writes nothing', async () => {
    const { stdout, stderr, exitCode } = await runWarm(['trail', ...NOW], { cwd: testDir() });
    expect([stdout, exitCode]).toEqual(['', 0]);
    expect(stderr).toContain('no session of this workspace has a trail yet');
  });

  test('what is hostile in a session does not reach the terminal', async () => {
    const path = join(cwd, 'a\u001b]52;c;eA==\u0007.ts');
    leave(
      new ClaudeSession({ cwd }).person('go').use('Read', { file_path: path }).bash('npm test', '1 passed'),
    );
    const { stdout } = await runWarm(['trail', '--all', ...NOW], { cwd });
    expect(stdout).toContain('npm test');
    expect(stdout).not.toContain('\u001b');
  });

  test('trail.kinds names what is shown', async () => {
    leave(work());
    writeFileSync(join(cwd, 'config.yaml'), 'trail.kinds: [question]\n');
    mkdirSync(join(cwd, '.scratchpad'), { recursive: true, mode: 0o700 });
    writeFileSync(join(cwd, '.scratchpad', 'config.yaml'), 'trail:\n  kinds: [question]\n');
    const { stdout } = await runWarm(['trail', '--json', ...NOW], { cwd });
    const { facts } = JSON.parse(stdout) as { facts: { kind: string }[] };
    expect(facts.map(({ kind }) => kind)).toEqual(['question']);
  });
});

describe('adopting', () => {
  test('plan adopt takes the tasks of the agent, and asks before it replaces a plan', async () => {
    leave(work());
    await runWarm(['plan', 'adopt', ...NOW], { cwd });
    const plan = await runWarm(['plan', 'show'], { cwd });
    expect(plan.stdout).toBe('1. ~~Look~~ DONE\n2. Round <-- current\n3. Test\n');
    const again = await runWarm(['plan', 'adopt', ...NOW], { cwd });
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('plan adopt --replace')]);
    expect((await runWarm(['plan', 'adopt', '--replace', ...NOW], { cwd })).exitCode).toBe(0);
  });

  test('refs adopt adds the files in use, the likeliest as the newest', async () => {
    leave(work());
    await runWarm(['refs', 'add', 'https://example.com'], { cwd });
    await runWarm(['refs', 'adopt', ...NOW], { cwd });
    const { stdout } = await runWarm(['refs', 'list'], { cwd });
    expect(stdout).toBe('https://example.com\nsrc/money.ts\nsrc/cart.ts\n');
  });

  test('refuses where the last session has neither', async () => {
    leave(new ClaudeSession({ cwd }).person('go'));
    for (const space of ['plan', 'refs'])
      expect((await runWarm([space, 'adopt', ...NOW], { cwd })).exitCode).toBe(1);
  });
});
