// The main job on the example workspace: read its last session, write the state block, print the file.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// The example is a night in February; its story only makes sense at its own hour.
const workspace = ['--workspace', join(root, 'workspace-example'), '--now', '2026-02-06T01:30:00+11:00'];
for (const command of ['assemble', 'show']) {
  const { status } = spawnSync(process.execPath, [join(root, 'bin/scratchpad.js'), command, ...workspace], {
    stdio: 'inherit',
  });
  console.log();
  if (status !== 0) process.exit(status ?? 3);
}
