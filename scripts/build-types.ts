import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Writes the declarations of the library, and of what it imports. */
export function emitTypes(target: string): void {
  rmSync(target, { recursive: true, force: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', target];
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  // TypeScript 6 and later look for types of Node only where they are asked for.
  for (const name of ENTRIES) {
    const entry = join(target, `${name}.d.ts`);
    const text = readFileSync(entry, 'utf8');
    writeFileSync(entry, `/// <reference types="node" />\n${text}`);
    writeFileSync(join(target, `${name}.d.cts`), renderRequired(`./${basename(name)}.js`, text));
  }

  removeUnused(target);
}

/** The compiler declares every module that the entries run, most of whose types they do not name. */
function removeUnused(target: string): void {
  const used = new Set(
    ENTRIES.flatMap((name) => [`${name}.d.ts`, `${name}.d.cts`].map((path) => join(target, path))),
  );
  // A set goes on with what is added to it.
  for (const path of used)
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(/['"](\.{1,2}\/[^'"]+)\.[jt]s['"]/g))
      used.add(join(dirname(path), `${name}.d.ts`));

  for (const name of readdirSync(target, { recursive: true, encoding: 'utf8' }))
    if (/\.d\.c?ts$/.test(name) && !used.has(join(target, name))) rmSync(join(target, name));
}

const ENTRIES = ['index', 'hosts/agent-memory'];

/** Declarations for `require`: under `module: node16` TypeScript lets CommonJS name an ES module by its types alone. */
function renderRequired(path: string, text: string): string {
  const values = text.matchAll(/export (?:declare function (\w+)|\{([^}]*)\})/g);
  const names = [...values].flatMap(
    ([, name, list = '']) => name ?? list.split(',').map((each) => each.trim()),
  );
  const mode = "with: { 'resolution-mode': 'import' }";
  return [
    '/// <reference types="node" />',
    `export type * from '${path}' ${mode.replace(':', '')};`,
    ...names
      .filter((name) => /^\w+$/.test(name))
      .flatMap((name) => [
        `export declare const ${name}: typeof import('${path}', { ${mode} }).${name};`,
        ...(/^[A-Z]/.test(name) ? [`export type ${name} = import('${path}', { ${mode} }).${name};`] : []),
      ]),
    '',
  ].join('\n');
}
