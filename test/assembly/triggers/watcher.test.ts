import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { listWatchedPlaces, PlacesWatcher } from '../../../src/assembly/triggers/watcher.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { startCli } from '../../helpers/resident.ts';
import { runs } from '../../helpers/runs.ts';
import { testDir } from '../../helpers/test-dir.ts';

const open: PlacesWatcher[] = [];

afterEach(async () => {
  for (const watcher of open.splice(0)) await watcher.close();
});

/** Watches a workspace; `next` waits for a change that is told from now on, `quiet` for none any more. */
async function watching(root: string, pollMs?: number) {
  const env = { HOME: join(root, 'no-home') };
  const { config } = await loadConfig(root, env);
  const problems: unknown[] = [];
  let told = 0;
  let wake = (): void => undefined;
  const watcher = new PlacesWatcher({
    onChange: () => {
      told += 1;
      wake();
    },
    onProblem: (problem) => problems.push(problem),
    ...(pollMs === undefined ? {} : { pollMs }),
  });
  open.push(watcher);
  await watcher.watch(listWatchedPlaces({ root, config, env }));
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  // By polling it compares with what it saw at its first look, which comes some time after it is ready.
  if (pollMs !== undefined) await pause(25 * pollMs);
  return {
    problems,
    /** Resolves once a change is told that comes after this call. */
    next: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
    /** Resolves when nothing was told for a while. */
    async quiet() {
      for (let before = -1; before !== told; ) {
        before = told;
        // chokidar passes one change of a file on in 50 ms, and everything is watched anew after 100.
        await pause(250);
      }
    },
  };
}

const EDITS: Record<string, (path: string) => void> = {
  'saved in place': (path) => writeFileSync(path, '- saved\n'),
  appended: (path) => appendFileSync(path, '- more\n'),
  'saved by renaming': (path) => {
    writeFileSync(`${path}~`, '- renamed\n');
    renameSync(`${path}~`, path);
  },
  'away and back': (path) => {
    unlinkSync(path);
    writeFileSync(path, '- back\n');
  },
};

describe.each([
  ['with system events', undefined],
  ['by polling', 20],
])('%s', (_, pollMs) => {
  test.each(Object.keys(EDITS))('%s: reported, and so is the next edit', async (name) => {
    const path = join(testDir({ 'memory/d/f.md': '- one\n' }), 'memory/d/f.md');
    const watcher = await watching(dirname(dirname(dirname(path))), pollMs);
    for (const edit of [name, 'appended']) {
      const told = watcher.next();
      EDITS[edit]?.(path);
      await told;
      await watcher.quiet();
    }
    expect(watcher.problems).toEqual([]);
  });

  test('the next edit is reported, whatever was done to the folders before', async () => {
    const acts = fc.array(fc.tuple(fc.constantFrom(...Object.keys(EDITS)), fc.constantFrom('a', 'b/c')), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(acts, async (steps) => {
        const root = testDir({ 'memory/a/f.md': '-\n', 'memory/b/c/f.md': '-\n' });
        const watcher = await watching(root, pollMs);
        for (const [act, folder] of steps) EDITS[act]?.(join(root, 'memory', folder, 'f.md'));
        await watcher.quiet();
        for (const folder of ['a', 'b/c']) {
          const told = watcher.next();
          appendFileSync(join(root, 'memory', folder, 'f.md'), '- last\n');
          await told;
          await watcher.quiet();
        }
      }),
      { numRuns: runs(pollMs === undefined ? 12 : 4) },
    );
  });

  test('places that do not exist yet, are removed, and come back', async () => {
    const root = testDir({ 'AGENTS.md': '' });
    const watcher = await watching(root, pollMs);
    for (const deep of ['memory', 'memory/2026/02', 'memory']) {
      const told = watcher.next();
      mkdirSync(join(root, deep), { recursive: true });
      writeFileSync(join(root, deep, 'f.md'), '- here\n');
      await told;
      await watcher.quiet();
      const gone = watcher.next();
      rmSync(join(root, 'memory'), { recursive: true });
      await gone;
      await watcher.quiet();
    }
    expect(watcher.problems).toEqual([]);
  });

  test('one file of a folder, which comes and goes', async () => {
    const root = testDir({ 'AGENTS.md': '' });
    const watcher = await watching(root, pollMs);
    for (const act of [
      () => writeFileSync(join(root, 'MEMORY.md'), '-\n'),
      () => unlinkSync(join(root, 'MEMORY.md')),
    ]) {
      const told = watcher.next();
      act();
      await told;
      await watcher.quiet();
    }
    expect(watcher.problems).toEqual([]);
  });

  test('behind a link, and not in circles', async () => {
    const vault = testDir({ 'notes/f.md': '- one\n' });
    const root = testDir({ 'AGENTS.md': '' });
    symlinkSync(vault, join(root, 'memory'));
    symlinkSync(vault, join(vault, 'notes/round'));
    const watcher = await watching(root, pollMs);
    const told = watcher.next();
    appendFileSync(join(vault, 'notes/f.md'), '- two\n');
    await told;
    expect(watcher.problems).toEqual([]);
  });
});

/** Linux lets a namespace of its own have fewer watches, which changes nothing for the machine. */
const FEW_WATCHES = ['-Ur', 'sh', '-c', 'echo 3 >/proc/sys/user/max_inotify_watches && exec "$@"', 'sh'];
const canLimit = spawnSync('unshare', [...FEW_WATCHES, 'true']).status === 0;

test.runIf(canLimit)('a system without free watches is reported, and the rest is watched', async () => {
  const cwd = testDir({ 'memory/a/b/c/f.md': '- one\n' });
  const watcher = startCli(['watch', '--debounce', '20ms', '--interval', '1ms'], {
    cwd,
    within: ['unshare', ...FEW_WATCHES],
  });
  expect(await watcher.next('problem')).toMatchObject({
    problem: expect.stringMatching(/ENOSPC/),
  });
  await watcher.next('assembled');
});
