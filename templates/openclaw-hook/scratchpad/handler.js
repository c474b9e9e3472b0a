import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A bootstrap file is cut at 20,000 characters by the host; the scratchpad stays far below. */
export default async function scratchpad(event) {
  const { context } = event;
  const dir = context?.workspaceDir;
  if (!dir || !Array.isArray(context.bootstrapFiles)) return;
  const path = join(dir, 'SCRATCHPAD.md');
  // The agent reads the file itself, so its state is written now, not at the end of the turn.
  if (existsSync(path)) await run(dir, 'assemble');
  const content = await run(dir, 'context');
  if (content === '') return;
  const others = context.bootstrapFiles.filter((file) => file.name !== 'SCRATCHPAD.md');
  // A new array: what is pushed onto the old one would pile up turn after turn.
  context.bootstrapFiles = [...others, { name: 'SCRATCHPAD.md', path, content, missing: false }];
}

/** What a command prints; nothing if it fails. */
function run(cwd, command) {
  return new Promise((resolve) => {
    execFile('scratchpad', [command, '--quiet'], { cwd, timeout: 5000 }, (error, stdout) =>
      resolve(error ? '' : stdout),
    );
  });
}
