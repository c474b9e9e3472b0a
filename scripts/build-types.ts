import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Writes the declarations of the library, and of what it imports. */
export function emitTypes(target: string): void {
  rmSync(target, { recursive: true, force: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', target];
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  // TypeScript 6 and later look for types of Node only where they are asked for.
  for (const name of ['index.d.ts', 'hosts/agent-memory.d.ts']) {
    const entry = join(target, name);
    writeFileSync(entry, `/// <reference types="node" />\n${readFileSync(entry, 'utf8')}`);
  }
}
