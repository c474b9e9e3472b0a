import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4e9;

/**
 * Runs once before all tests: says what to do instead of failing in every test that runs the program, and puts the
 * files of the tests into memory, where this machine has room there. They make and remove a hundred thousand.
 * @returns what removes them
 */
export default function prepare(): (() => void) | undefined {
  if (!existsSync(join(ROOT, 'dist/cli/main.cjs')))
    throw new Error(
      'The program has not been built, and many tests run it: npm run build, or npm test, which builds',
    );
  // Every start of Node would read these certificates, which takes as long as the start itself.
  delete process.env.NODE_EXTRA_CA_CERTS;
  const folder = inMemory();
  if (folder === undefined) return undefined;
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function inMemory(): string | undefined {
  if (!existsSync(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < ENOUGH_BYTES) return undefined;
  const folder = mkdtempSync(join(MEMORY, 'scratchpad-tests-'));
  // As /tmp is: some tests have a second user.
  chmodSync(folder, 0o1777);
  const script = join(folder, 'script');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  if (spawnSync(script).status === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}
