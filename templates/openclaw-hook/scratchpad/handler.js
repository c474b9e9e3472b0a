import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** A bootstrap file is cut at 20,000 characters by the host; the scratchpad stays far below. */
export default async function scratchpad(event) {
  const { context } = event;
  const dir = context?.workspaceDir;
  if (!dir || !Array.isArray(context.bootstrapFiles)) return;
  const content = await new Promise((resolve) => {
    execFile('scratchpad', ['context', '--quiet'], { cwd: dir, timeout: 5000 }, (error, stdout) =>
      resolve(error ? '' : stdout),
    );
  });
  if (content === '') return;
  const others = context.bootstrapFiles.filter((file) => file.name !== 'SCRATCHPAD.md');
  // A new array: what is pushed onto the old one would pile up turn after turn.
  context.bootstrapFiles = [
    ...others,
    { name: 'SCRATCHPAD.md', path: join(dir, 'SCRATCHPAD.md'), content, missing: false },
  ];
}
