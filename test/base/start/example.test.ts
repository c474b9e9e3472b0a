import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyExample } from '../../../scripts/samples.ts';
import { git } from '../../helpers/git.ts';
import { minimalEnv } from '../../helpers/run-cli.ts';
import { testDir } from '../../helpers/test-dir.ts';

const ROOT = join(import.meta.dirname, '../../..');

test('npm start in a clone reads the session and the settings of the example', () => {
  const clone = testDir();
  mkdirSync(join(clone, 'scripts'));
  cpSync(join(ROOT, 'scripts/start.mjs'), join(clone, 'scripts/start.mjs'));
  copyExample(join(clone, 'workspace-example'));
  symlinkSync(join(ROOT, 'bin'), join(clone, 'bin'));
  git(clone, 'init', '-q');
  git(clone, 'add', '-A');
  git(clone, 'commit', '-qm', 'clone');
  const said = execFileSync(process.execPath, ['scripts/start.mjs'], {
    cwd: clone,
    env: { ...minimalEnv(), HOME: testDir() },
    encoding: 'utf8',
  });
  expect(said).toContain('- **Primary:** frustrated');
  expect(said).toContain('Local time: Fri 01:30 AEDT');
  expect(said).toContain('the CPU tag is the safety net for the demo');
});
