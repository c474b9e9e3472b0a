import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Runs the endurance scripts with small counts, and says whether all passed.
 * Run one directly for larger counts; the figures of long runs are in `docs/figures.md`.
 *
 *     npm run build && npm run chaos
 */
const SCRIPTS: readonly [string, ...string[]][] = [
  ['kills.ts', '20', '60'],
  ['crowd.ts', '4', '6'],
  ['editor.ts', '100'],
  ['disk.ts', '20'],
  ['git.ts', '4', '1', '12'],
  ['strangers.ts', '50'],
  ['deadline.ts', '0', '1'],
];

for (const [script, ...counts] of SCRIPTS) {
  const path = join(import.meta.dirname, script);
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', path, ...counts], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
