import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../helpers/run-cli.ts';
import { testDir, vouchFor } from '../../helpers/test-dir.ts';

/** Modules of Node that cost a cold start four to ten milliseconds each; `crypto` and `tty`, with what they load, cost two. */
const HEAVY = 'child_process fs/promises http readline v8 worker_threads zlib'.split(' ');
/** Together they cost two in a hundred of a `node -e 0` (medians of 40 processes), and check and read the index of a memory. */
const OF_INDEX = ['v8', 'zlib'];

/** Modules of Node that a command line loads beyond those that Node itself starts with. */
async function loadedBy(args: readonly string[], input = ''): Promise<string[]> {
  const dir = testDir();
  mkdirSync(join(dir, 'memory'));
  writeFileSync(join(dir, 'memory/2026-02-05.md'), '- the upload test is flaky since the pool leaks\n');
  const list = join(dir, 'modules.json');
  const preload = join(dir, 'preload.cjs');
  writeFileSync(
    preload,
    `const before = new Set(process.moduleLoadList);
process.on('exit', () => {
  const loaded = process.moduleLoadList.filter((name) => !before.has(name) && name.startsWith('NativeModule '));
  require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(loaded));
});`,
  );
  const run = (): ReturnType<typeof runCli> => {
    // Without a state: a hook has to assemble one.
    writeFileSync(join(dir, 'SCRATCHPAD.md'), '# Pad\n\n## Plan\n1. Find the leak\n');
    vouchFor(dir);
    const env = { HOME: join(dir, 'home'), NODE_OPTIONS: `--require=${preload}` };
    return runCli(args, { cwd: dir, input, env });
  };
  // The first run may have something to make: an index, a copy of the configuration.
  await run();
  const { exitCode, stderr } = await run();
  // The second file does not have what the first run added.
  expect(stderr).toMatch(/^(?:warning: \w+: its section was missing in the file [^\n]*\n)?$/);
  expect(exitCode).toBe(0);
  const loaded = JSON.parse(readFileSync(list, 'utf8')) as string[];
  return loaded.map((name) => name.replace('NativeModule ', ''));
}

test.each<[args: string[], heavy: string[]]>([
  [['notes', 'append', 'found it'], []],
  [['context'], []],
  [['refs', 'add', 'https://example.org/a'], []],
  [['memory', 'search', 'flaky upload test'], OF_INDEX],
])('%j loads no part of Node that costs more than the command', async (args, heavy) => {
  const loaded = await loadedBy(args);
  expect(loaded).toContain('vm');
  expect(loaded.filter((name) => HEAVY.includes(name) && !heavy.includes(name))).toEqual([]);
});

test('nor does a hook that assembles', async () => {
  const prompt = {
    hook_event_name: 'UserPromptSubmit',
    session_id: 's',
    prompt: 'is the upload test fixed?',
  };
  const loaded = await loadedBy(['hook', 'claude-code', 'UserPromptSubmit'], JSON.stringify(prompt));
  expect(loaded).toContain('vm');
  expect(loaded.filter((name) => HEAVY.includes(name) && !OF_INDEX.includes(name))).toEqual([]);
});
