import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** "Working Memory & Integration Protocol": the assembler that the design names, and its note on the trajectory. */

const ROOT = join(import.meta.dirname, '../..');
const SCRIPT = join(ROOT, 'scripts/assemble-scratchpad.ts');

test('scripts/assemble-scratchpad.ts: messages on stdin, SCRATCHPAD.md and the block as its output', async () => {
  const cwd = testDir();
  const input = JSON.stringify({
    messages: [{ role: 'user', content: 'please look at the flaky upload test' }],
    utcOffsetHours: 11,
  });
  const done = await execa(
    process.execPath,
    ['--import', 'tsx', join(ROOT, 'scripts/assemble-scratchpad.ts'), cwd],
    { cwd: ROOT, env: minimalEnv(), extendEnv: false, input, reject: false },
  );
  expect([done.exitCode, done.stderr]).toEqual([0, '']);
  for (const section of ['## Active Context', '## Time Context', 'flaky upload test', 'UTC+11'])
    expect(done.stdout).toContain(section);
  expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain(done.stdout.trim());
});

test('scripts/assemble-scratchpad.ts FILE reads the file', async () => {
  const cwd = testDir({
    'messages.json': '[{"role": "user", "content": "please look at the flaky upload test"}]',
  });
  const run = (...args: string[]) =>
    execa(
      process.execPath,
      ['--import', join(ROOT, 'node_modules/tsx/dist/esm/index.mjs'), SCRIPT, ...args],
      {
        ...{ cwd, env: minimalEnv(), extendEnv: false, reject: false, input: '' },
      },
    );
  const done = await run('messages.json');
  expect([done.exitCode, done.stderr]).toEqual([0, '']);
  expect(done.stdout).toContain('flaky upload test');
  expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain(done.stdout.trim());
  const gone = await run('gone.json');
  expect([gone.exitCode, gone.stderr]).toEqual([2, 'assemble-scratchpad: no such file: gone.json']);
});

const ANGRY = [
  'why do you keep ignoring my instructions, this is useless',
  'WHY is it broken AGAIN?! third time you say it is fixed!!',
  'you broke it again, wtf, this is so frustrating',
];
const CALM = ['add a test for it', 'run the linter', 'list the files'];

test.each([
  ['rises', [...CALM, ...ANGRY], 'rising'],
  ['falls', [...ANGRY, ...CALM, 'no, you ignored the linter again'], 'easing'],
  ['falls and is over', [...ANGRY, ...CALM], 'easing'],
  ['falls at once', [ANGRY[1] ?? '', 'thanks, that works. now add a test for it'], 'easing'],
  ['falls at once, without thanks', [ANGRY[0] ?? '', 'list the files'], 'easing'],
  ['falls at once after calm work', [...CALM, ANGRY[2] ?? '', 'ok, good. now the readme'], 'easing'],
  [
    'falls slowly',
    [...ANGRY, 'hm, better, but the order is off', 'yes, that is right', 'run the linter'],
    'easing',
  ],
  ['rises anew', [ANGRY[0] ?? '', ...CALM, ...ANGRY], 'rising'],
] as const)(
  'trajectory: frustration that %s over a session is said with both figures',
  async (_, said, direction) => {
    const messages = said.flatMap((content, n) => [
      { role: 'user', content, timestamp: `2026-02-06T01:0${n}:00Z` },
      { role: 'assistant', content: 'Done.', timestamp: `2026-02-06T01:0${n}:30Z` },
    ]);
    const { stdout } = await runWarm(['assemble', '-m', '-', '--dry-run', '--now', '2026-02-06T01:08:00Z'], {
      cwd: testDir(),
      input: JSON.stringify(messages),
    });
    const [, start, now, told] =
      /\*\*Trajectory:\*\* frustration ([01]\.\d) to ([01]\.\d), (\w+)/.exec(stdout) ?? [];
    expect(stdout).toMatch(/\*\*Primary:\*\* \w+/);
    expect(told).toBe(direction);
    expect(Number(now) > Number(start)).toBe(direction === 'rising');
  },
);
