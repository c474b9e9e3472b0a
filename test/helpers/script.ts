import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

/** Bundles a script of ours, to be run by Node alone: starting tsx takes a second of processor time. @returns its path */
export function bundled(path: string): string {
  const outfile = join(ROOT, 'node_modules/.cache', path.replaceAll('/', '.').replace(/ts$/, 'mjs'));
  buildSync({
    entryPoints: [join(ROOT, path)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    define: {
      'import.meta.dirname': JSON.stringify(join(ROOT, dirname(path))),
      'import.meta.filename': JSON.stringify(outfile),
    },
  });
  return outfile;
}
