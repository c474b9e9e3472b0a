import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import { testDir } from '../helpers/test-dir.ts';

const MANY = 80;

test('a search of a large memory that was not compared for a while has it compared behind its back', async () => {
  const notes = Array.from({ length: MANY }, (_, k) => [`memory/topics/n${k}.md`, `- note ${k} of many\n`]);
  const cwd = testDir({ 'AGENTS.md': '', ...Object.fromEntries(notes) });
  expect((await runCli(['memory', 'index'], { cwd })).exitCode).toBe(0);
  // Among so many, a file that was changed in place is found by comparing all of them only.
  writeFileSync(join(cwd, 'memory/topics/n7.md'), '- a zeppelin landed here\n');
  const hourAgo = Date.now() / 1000 - 3600;
  utimesSync(join(cwd, '.scratchpad/index/memory.checked'), hourAgo, hourAgo);
  const search = async (): Promise<string> =>
    (await runCli(['memory', 'search', 'zeppelin landed'], { cwd })).stdout;
  const first = await search();
  expect(first).not.toContain('zeppelin landed here');
  let found = first;
  for (let look = 0; look < 200 && !found.includes('zeppelin'); look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    found = await search();
  }
  expect(found).toContain('memory/topics/n7.md:1: a zeppelin landed here');
});
