import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, testRepository } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';

async function assembled(): Promise<{ cwd: string; run: (...args: string[]) => Promise<string> }> {
  const cwd = testRepository();
  const run = async (...args: string[]): Promise<string> => (await runWarm(args, { cwd })).stdout;
  await run('plan', 'set', '1. Find it\n2. Add a test');
  const input = JSON.stringify([{ role: 'user', content: 'please look at src/a.ts' }]);
  await runWarm(['assemble', '-m', '-'], { cwd, input });
  return { cwd, run };
}

test('a step that is done is not what the file says is worked on', async () => {
  const { cwd, run } = await assembled();
  const file = (): string => readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8');
  expect(file()).toContain('- Working on: Find it');
  await run('plan', 'done', '1');
  expect(file()).not.toContain('Working on: Find it');
  expect(file()).toContain('- Branch: main');
});

test('another branch is not told the branch of the state, nor the step of its plan', async () => {
  const { cwd, run } = await assembled();
  expect(await run('context')).toContain('- Branch: main');
  expect(await run('show')).toContain('Working on: Find it');
  git(cwd, 'checkout', '-q', '-b', 'other');
  expect(await run('context')).not.toContain('Branch: main');
  expect(await run('show')).not.toContain('Working on: Find it');
});
