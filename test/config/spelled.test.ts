import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

test('the names of the designs, with their prefix, are the settings: in a file, for set, get and unset', async () => {
  const cwd = testDir({
    'SCRATCHPAD.md': '# Pad\n',
    '.scratchpad/config.yaml': 'scratchpad:\n  nudgeAfterTurns: 3\n  maxTokens: 100\n',
  });
  const config = async (...args: string[]): Promise<string> =>
    (await runWarm(['config', ...args], { cwd })).stdout.trim();
  const file = (): string => readFileSync(join(cwd, '.scratchpad/config.yaml'), 'utf8');
  expect(await config('check')).toBe('no problems');
  expect([await config('get', 'nudgeAfterTurns'), await config('get', 'scratchpad.nudgeAfterTurns')]).toEqual(
    ['3', '3'],
  );
  await config('set', 'scratchpad.nudgeAfterTurns', '5');
  expect(file()).toBe('scratchpad:\n  maxTokens: 100\nnudgeAfterTurns: 5\n');
  await config('unset', 'scratchpad.nudgeAfterTurns');
  expect([file(), await config('get', 'nudgeAfterTurns')]).toEqual(['scratchpad:\n  maxTokens: 100\n', '0']);
  for (const [key, value] of [
    ['scratchpad.nudgeAfterTurns', '-1'],
    ['scratchpad.maxTokens', '0'],
  ] as const) {
    const refused = await runWarm(['config', 'set', key, value], { cwd });
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('expected:')]);
  }
});

test('a percentage may have a fraction, as in the file', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/': '' });
  await runWarm(['config', 'set', 'alerts.disk', '97.5'], { cwd });
  expect((await runWarm(['config', 'get', 'alerts.disk'], { cwd })).stdout).toBe('97.5\n');
});

test('a list may be written with brackets, as YAML and JSON write it', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/': '' });
  for (const written of ['[a, b]', '["a","b"]', "[ 'a' , b ]", 'a, b', 'a,b,']) {
    await runWarm(['config', 'set', 'subagent.inherit', written], { cwd });
    const got = await runWarm(['config', 'get', 'subagent.inherit', '--json'], { cwd });
    expect(JSON.parse(got.stdout)).toMatchObject({ value: ['a', 'b'] });
  }
  await runWarm(['config', 'set', 'subagent.inherit', '["a, b", "c"]'], { cwd });
  const quoted = await runWarm(['config', 'get', 'subagent.inherit', '--json'], { cwd });
  expect(JSON.parse(quoted.stdout)).toMatchObject({ value: ['a, b', 'c'] });
  await runWarm(['config', 'set', 'subagent.inherit', '[]'], { cwd });
  expect((await runWarm(['config', 'get', 'subagent.inherit'], { cwd })).stdout).toBe('');
});
