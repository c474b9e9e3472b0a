import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const ENTRY = 'index.d.ts';
/** `from './x.ts'` and `import('./x.ts')`, as the compiler writes them into declarations. */
const IMPORT = /(?:\bfrom |\bimport\()['"](\.{1,2}\/[^'"]+)\.ts['"]/g;

/** Writes the library's declarations, those alone that can be reached from its entry: programs see no others. */
export function emitTypes(target: string): void {
  const all = mkdtempSync(join(tmpdir(), 'scratchpad-types-'));
  try {
    const require = createRequire(import.meta.url);
    const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
    const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', all];
    execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
    rmSync(target, { recursive: true, force: true });
    for (const file of reachable(join(all, ENTRY))) cpSync(file, join(target, relative(all, file)));
    // TypeScript 6 and later look for types of Node only where they are asked for.
    const entry = join(target, ENTRY);
    writeFileSync(entry, `/// <reference types="node" />\n${readFileSync(entry, 'utf8')}`);
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
}

function reachable(entry: string): Set<string> {
  const found = new Set([entry]);
  for (const file of found) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      found.add(resolve(dirname(file), `${path}.d.ts`));
    }
  }
  return found;
}
