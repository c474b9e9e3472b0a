import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { testDir } from './helpers/test-dir.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

test('the packed package installs in an empty folder, runs, and gives the library', async () => {
  const dir = testDir();
  const app = join(dir, 'app');
  mkdirSync(app);
  // The build that the tests run on is what gets packed.
  await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', dir], { cwd: ROOT });
  const tarball = readdirSync(dir).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(app, 'package.json'), '{"name":"app","private":true,"type":"module"}');
  await execa('npm', ['install', '--offline', '--no-audit', '--no-fund', join(dir, tarball)], { cwd: app });

  const cli = join(app, 'node_modules/.bin/scratchpad');
  const { stdout } = await execa(cli, ['notes', 'append', 'installed'], { cwd: app });
  expect(stdout).toBe('notes: 9 of 4,000 characters');
  const input = '[{"role":"user","content":"is the upload test still flaky?"}]';
  const assembled = await execa(cli, ['assemble', '-m', '-'], { cwd: app, input });
  expect(assembled.stdout).toContain('sentiment ok');

  writeFileSync(
    join(app, 'use.js'),
    `import { openScratchpad, ScratchpadError } from 'scratchpad';
     const pad = await openScratchpad({ workspace: '.' });
     await pad.plan.set('1. from the library');
     await pad.refs.add('use.js');
     const refused = await pad.refs.remove('nope').catch((error) => error);
     console.log(JSON.stringify([await pad.notes.read(), await pad.refs.list(), refused instanceof ScratchpadError, refused.kind]));`,
  );
  const used = await execa(process.execPath, ['use.js'], { cwd: app });
  expect(JSON.parse(used.stdout)).toEqual(['installed', ['use.js'], true, 'refused']);
  expect(readFileSync(join(app, 'SCRATCHPAD.md'), 'utf8')).toContain('1. from the library');
});
