import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isOutside } from '../../src/config/load.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

test('a path leads out of a workspace by its spelling', () => {
  const dir = testDir();
  const root = join(dir, 'work');
  for (const path of ['docs', './docs/a.md', 'docs/../docs', 'not there', '..docs', join(root, 'docs')])
    expect([path, isOutside(root, path)]).toEqual([path, false]);
  for (const path of ['..', '../private', 'docs/../../private', '~', '~/notes', join(dir, 'private')])
    expect([path, isOutside(root, path)]).toEqual([path, true]);
});

test('a workspace does not decide which files outside it are read; the own configuration does', async () => {
  const dir = testDir();
  const [root, home, elsewhere] = [join(dir, 'work'), join(dir, 'home'), join(dir, 'private')] as const;
  for (const path of [join(root, '.scratchpad'), join(root, 'docs'), home, elsewhere])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(elsewhere, 'diary.md'), '- the cluster is called andromeda\n');
  writeFileSync(join(root, 'docs/guide.md'), '- the cluster runs kubernetes\n');
  symlinkSync(elsewhere, join(root, 'link'));
  mkdirSync(join(elsewhere, 'deep'));
  writeFileSync(join(elsewhere, 'deep/diary.md'), '- the cluster is called andromeda\n');
  const config = join(root, '.scratchpad/config.yaml');
  writeFileSync(config, `memory: {paths: [docs, ../private]}\n`);
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
  const search = () => runWarm(['memory', 'search', 'what is the cluster called'], { cwd: root, env });
  const cloned = await search();
  expect(cloned.stdout).not.toContain('andromeda');
  expect(cloned.stderr).toContain('config.yaml: not used until you have run: scratchpad trust');

  await runWarm(['trust'], { cwd: root, env });
  const trusted = await search();
  expect(trusted.stdout).not.toContain('andromeda');
  expect(trusted.stderr).toContain(
    'memory.paths: ../private, outside the workspace, is only taken from your own file',
  );
  writeFileSync(config, 'memory: {paths: [docs]}\n');
  expect((await runWarm(['memory', 'search', 'cluster kubernetes'], { cwd: root, env })).stdout).toContain(
    'docs/guide.md:1',
  );

  writeFileSync(config, 'memory: {paths: [link, link/deep, link/diary.md]}\n');
  expect((await search()).stdout).not.toContain('andromeda');

  writeFileSync(config, `memory: {paths: [${JSON.stringify(elsewhere)}]}\n`);
  const set = await runWarm(['config', 'set', 'memory.paths', elsewhere], { cwd: root, env });
  expect(set.exitCode).toBe(0);
  const own = await search();
  expect(own.stdout).toContain('andromeda');
  expect(own.stderr).toContain('outside the workspace');
});

test("config set writes what a workspace's file may not have into the user's own", async () => {
  const root = testDir({});
  const home = testDir({});
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
  await runWarm(['init'], { cwd: root, env });
  const set = await runWarm(['config', 'set', 'hook.deadline', '20s'], { cwd: root, env });
  expect(set.stdout).toBe(`hook.deadline: 20s   [${join(home, '.config/scratchpad/config.yaml')}]\n`);
  const get = await runWarm(['config', 'get', 'hook.deadline'], { cwd: root, env });
  expect([get.stdout, get.stderr]).toEqual(['20s\n', '']);
});
