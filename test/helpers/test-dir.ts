import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { markFolder } from '../../src/base/trust/index.ts';
import { afterEachFile } from './cleanup.ts';

const made: string[] = [];

afterEachFile(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

/**
 * A fresh folder with the given files (path: content), removed when the test file has run.
 * A path that ends in `/` makes an empty folder.
 */
export function testDir(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'scratchpad-test-')));
  made.push(root);
  // Sessions of other tests have the same ids.
  rmSync(join(process.env.XDG_STATE_HOME ?? root, 'scratchpad/sessions'), {
    recursive: true,
    force: true,
    maxRetries: 5,
  });
  for (const [path, content] of Object.entries(files)) {
    const target = join(root, path);
    mkdirSync(path.endsWith('/') ? target : dirname(target), { recursive: true });
    if (!path.endsWith('/')) writeFileSync(target, content);
  }
  // What a test finds there was made here, unless it makes another place for the records of that.
  for (const path of Object.keys(files)) {
    const [, folder] = /^(.*?\/?)(?:SCRATCHPAD\.md$|\.scratchpad\/.)/.exec(path) ?? [];
    const holder = folder === undefined ? undefined : join(root, folder);
    if (
      holder !== undefined &&
      statSync(join(holder, '.scratchpad'), { throwIfNoEntry: false })?.isFile() !== true
    )
      vouchFor(holder);
  }
  return root;
}

/** Records that a workspace was made here, as the program does when it makes one. */
export function vouchFor(root: string, env = process.env): void {
  mkdirSync(join(root, '.scratchpad'), { recursive: true });
  markFolder(join(root, '.scratchpad'), root, env);
}
