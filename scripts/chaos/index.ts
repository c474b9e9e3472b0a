import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Runs the endurance scripts of the pad, the store and the entries with small counts, and says whether all passed.
 * Run one directly for larger counts; the figures of long runs are in `docs/figures/endurance.md`.
 *
 *     npm run build && npm run chaos
 */
const SCRIPTS: readonly [string, ...string[]][] = [
  ['kills.ts', '20'],
  ['appends.ts', '8', '8'],
  ['editor.ts', '100'],
  ['disk.ts', '6'],
  ['pads.ts', '500'],
  ['entries.ts', '15', '40', '4', '6'],
  ['watch.ts', '100', '1000', '5'],
];

for (const [script, ...counts] of SCRIPTS) {
  const path = join(import.meta.dirname, script);
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', path, ...counts], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
