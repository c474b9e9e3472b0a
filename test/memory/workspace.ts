import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder with these files, gone when the test is over. */
export function workspaceOf(files: Record<string, string | Buffer>): string {
  const root = mkdtempSync(join(tmpdir(), 'scratchpad-memory-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  // Without it a search writes no index.
  writeFileSync(join(root, 'SCRATCHPAD.md'), '');
  for (const [path, content] of Object.entries(files)) write(root, path, content);
  return root;
}

export function write(root: string, path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}
