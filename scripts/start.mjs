// The main job on the example workspace: the plan of that night, its last session read, the state block written and
// the file printed. Settings and sessions that came with a clone count once somebody has approved them: whoever runs
// this means to.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const workspace = join(root, 'workspace-example');
// The example takes place on a night in February; its story only makes sense at that time.
const common = ['--workspace', workspace, '--now', '2026-02-06T01:30:00+11:00'];
for (const command of [
  ['trust'],
  ['plan', 'set', '--file', join(workspace, 'plan.md')],
  ['assemble'],
  ['show'],
]) {
  const { status } = spawnSync(process.execPath, [join(root, 'bin/scratchpad.js'), ...command, ...common], {
    stdio: 'inherit',
  });
  console.log();
  if (status !== 0) process.exit(status ?? 3);
}
