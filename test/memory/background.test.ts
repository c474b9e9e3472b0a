import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { searchMemory } from '../../src/memory/search.ts';
import { updateIndex } from '../../src/memory/update.ts';
import { runCli } from '../helpers/run-cli.ts';
import { testDir } from '../helpers/test-dir.ts';

const MANY = 80;

test('a search of a large memory has an old index refreshed in the background', async () => {
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

test('the first search of a large memory reads the newest files and has the index built in the background, once', async () => {
  const notes = Array.from({ length: 1100 }, (_, k) => [`memory/n${k}.md`, `- note ${k} of many\n`]);
  const workspace = testDir({ ...Object.fromEntries(notes), 'MEMORY.md': '- a zeppelin landed here\n' });
  const longAgo = Date.now() / 1000 - 86_400;
  for (let k = 0; k < 1100; k++) utimesSync(join(workspace, `memory/n${k}.md`), longAgo, longAgo);
  let started = 0;
  const options = { workspace, mostFiles: 1000, background: () => void started++ };
  for (let i = 0; i < 2; i++) {
    const { hits, leftOut, source } = await searchMemory({ text: 'zeppelin' }, options);
    expect(hits).toMatchObject([{ path: 'MEMORY.md', line: 1 }]);
    expect({ source, leftOut }).toEqual({
      source: 'scan',
      leftOut: [{ reason: 'not indexed yet', count: 101 }],
    });
  }
  expect(started).toBe(1);
  expect(existsSync(join(workspace, '.scratchpad/index/memory.base'))).toBe(false);
  await updateIndex({ workspace });
  expect(await searchMemory({ text: 'note 77 many' }, options)).toMatchObject({ source: 'index' });
});

test('hooks alone are enough to build the index of a large memory', async () => {
  const notes = Array.from({ length: 1100 }, (_, k) => [`memory/topics/n${k}.md`, `- note ${k} of many\n`]);
  const cwd = testDir({
    'SCRATCHPAD.md': '# Pad\n',
    '.scratchpad/.gitignore': '*\n',
    ...Object.fromEntries(notes),
  });
  // A prompt that leaves no time: what is read of the memory by then makes no index.
  writeFileSync(join(cwd, '.scratchpad/config.yaml'), 'hook: {deadline: 1s}\n');
  const index = join(cwd, '.scratchpad/index/memory.base');
  // On a busy machine a hook may run out of time before it comes to the memory; the next one tries again.
  for (let k = 0; k < 20 && !existsSync(index); k += 1) {
    const input = JSON.stringify({
      session_id: 's',
      cwd,
      prompt: `where did airship ${k} and its zeppelin crew land?`,
    });
    await runCli(['hook', 'claude-code', 'UserPromptSubmit'], { cwd, input });
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await expect.poll(() => existsSync(index), { timeout: 30_000 }).toBe(true);
});
