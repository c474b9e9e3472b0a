import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { searchMemory } from '../../src/memory/search.ts';
import { refreshIndex, updateIndex } from '../../src/memory/update.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { workspaceOf } from './workspace.ts';

const MANY = 600;

test('a search of a large memory has an old index refreshed in the background', async () => {
  const notes = Array.from({ length: MANY }, (_, k) => [`memory/topics/n${k}.md`, `- note ${k} of many\n`]);
  const cwd = testDir({ 'AGENTS.md': '', ...Object.fromEntries(notes) });
  const hourAgo = Date.now() / 1000 - 3600;
  // A folder that has just changed is listed again.
  for (const folder of ['memory', 'memory/topics']) utimesSync(join(cwd, folder), hourAgo, hourAgo);
  for (const [name] of notes) utimesSync(join(cwd, name as string), hourAgo, hourAgo);
  expect((await runCli(['memory', 'index'], { cwd })).exitCode).toBe(0);
  // Among so many, a file that was changed in place is found by comparing all of them only.
  writeFileSync(join(cwd, 'memory/topics/n7.md'), '- a zeppelin landed here\n');
  utimesSync(join(cwd, '.scratchpad/index/memory.checked'), hourAgo, hourAgo);
  const search = async (): Promise<string> =>
    (await runWarm(['memory', 'search', 'zeppelin landed'], { cwd })).stdout;
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
  const workspace = testDir({
    ...Object.fromEntries(notes),
    'SCRATCHPAD.md': '',
    'MEMORY.md': '- a zeppelin landed here\n',
  });
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

test('many new files: a search reads the newest and leaves the rest to the background', async () => {
  const numbered = (from: number, count: number): [string, string][] =>
    Array.from({ length: count }, (_, k) => [`memory/n${from + k}.md`, `- note ${from + k} of many\n`]);
  const workspace = workspaceOf(Object.fromEntries(numbered(0, 2100)));
  await new Promise((done) => setTimeout(done, 150));
  await updateIndex({ workspace });
  const checked = join(workspace, '.scratchpad/index/memory.checked');
  let started = 0;
  const options = { workspace, now: Date.UTC(2026, 10, 23, 12), background: () => void started++ };
  const search = async (text: string): Promise<string[]> =>
    (await searchMemory({ text }, options)).hits.map(({ path }) => path);
  expect(await search('zeppelin')).toEqual([]);
  expect(started).toBe(0);

  const before = Date.now() / 1000 - 30;
  utimesSync(checked, before, before);
  for (const [path, text] of numbered(2100, 600)) writeFileSync(join(workspace, path), text);
  writeFileSync(join(workspace, 'memory/2026-11-23.md'), '- a zeppelin landed here\n');
  for (let times = 0; times < 3; times++) {
    expect(await search('zeppelin')).toEqual(['memory/2026-11-23.md']);
    const { files } = await searchMemory({ text: 'note 2500' }, options);
    expect(files).toBe(2356);
  }
  // Once, not at each search.
  expect(started).toBe(1);

  await new Promise((done) => setTimeout(done, 150));
  await refreshIndex({ workspace });
  const { files, hits } = await searchMemory({ text: 'note 2500' }, { ...options, limit: 1 });
  expect([files, hits[0]?.path]).toEqual([2701, 'memory/n2500.md']);
  utimesSync(checked, before, before);
  await search('zeppelin');
  expect(started).toBe(1);
});

test('many new files beside a few: a search reads some, and all of them where there is no background', async () => {
  const workspace = workspaceOf({ 'memory/first.md': '- a zeppelin landed here\n' });
  await new Promise((done) => setTimeout(done, 150));
  await updateIndex({ workspace });
  const before = Date.now() / 1000 - 30;
  utimesSync(join(workspace, '.scratchpad/index/memory.checked'), before, before);
  for (let k = 0; k < 600; k++) {
    const path = join(workspace, `memory/n${1000 + k}.md`);
    writeFileSync(path, `- note ${k}\n`);
    // One after the other, however fast the disk is.
    utimesSync(path, before + k / 100, before + k / 100);
  }
  let started = 0;
  const waiting = await searchMemory({ text: 'note 599' }, { workspace, background: () => void started++ });
  expect([started, waiting.files, waiting.hits[0]?.path]).toEqual([1, 257, 'memory/n1599.md']);
  expect((await searchMemory({ text: 'note 5' }, { workspace })).files).toBe(601);
});

test('hooks alone are enough to build the index of a large memory', async () => {
  const notes = Array.from({ length: 1100 }, (_, k) => [`memory/topics/n${k}.md`, `- note ${k} of many\n`]);
  const cwd = testDir({
    'SCRATCHPAD.md': '# Pad\n',
    '.scratchpad/.gitignore': '*\n',
    ...Object.fromEntries(notes),
  });
  // Time enough on a busy machine; there are more files than a first search reads, so only the background makes an index.
  writeFileSync(join(cwd, '.scratchpad/config.yaml'), 'hook: {deadline: 5s}\n');
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
