import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

/**
 * Builds the package: CommonJS bundles for the command line (loading ES modules costs a cold
 * start six milliseconds more), and the library as ES modules with its types.
 */
const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

/**
 * Every module of ours that is imported dynamically becomes a bundle of its own, found by
 * following the imports from the entry: what a command does not use, it does not read. All
 * bundles lie in one folder, so that one finds another whichever it was packed into.
 */
const chunkName = (source: string): string =>
  relative(join(root, 'src'), source).replace(/\.ts$/, '').replaceAll('/', '.');
const chunks = new Set([join(root, 'src/main.ts')]);
const chunksApart: Plugin = {
  name: 'chunks-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const source = resolve(resolveDir, path);
      chunks.add(source);
      return { path: `./${chunkName(source)}.cjs`, external: true };
    });
  },
};

/** commander asks for child_process at load, for a feature that is not used here; it costs four milliseconds. */
const noChildProcess: Plugin = {
  name: 'no-child-process-for-commander',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('commander') ? { path: 'unused', namespace: 'empty' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'module.exports = {}' }));
  },
};

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  define: { SCRATCHPAD_VERSION: JSON.stringify(version) },
  // Its main file asks for its parts in a way that cannot be packed.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  logLevel: 'warning',
  metafile: true,
} as const;

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

/** One round finds the chunks that the chunks before it ask for; the last finds no more. */
async function buildProgram(): Promise<string[]> {
  for (let known = 0; ; ) {
    known = chunks.size;
    const { metafile } = await build({
      ...shared,
      entryPoints: [...chunks].map((source) => ({ in: source, out: chunkName(source) })),
      outdir: 'dist/cli',
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
      minify: true,
      // One thing only is needed of `import.meta`: finding files that ship beside the code.
      define: { ...shared.define, 'import.meta.url': 'importMetaUrl' },
      inject: ['scripts/import-meta-url.mjs'],
      supported: { 'dynamic-import': false },
      plugins: [chunksApart, noChildProcess],
    });
    if (chunks.size === known) return Object.keys(metafile.inputs);
  }
}

const programInputs = await buildProgram();
const library = await build({
  ...shared,
  entryPoints: ['src/index.ts'],
  outdir: 'dist',
  format: 'esm',
  splitting: true,
  banner: {
    js: "import{createRequire as scratchpadRequire}from'node:module';const require=scratchpadRequire(import.meta.url);",
  },
});
writeFileSync(
  join(dist, 'THIRD-PARTY-LICENSES.md'),
  notices([...programInputs, ...Object.keys(library.metafile.inputs)]),
);
if (!process.argv.includes('--no-types')) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
}

/** The licences of everything that is packed into the bundles. */
function notices(inputs: readonly string[]): string {
  const packages = new Set(
    inputs.flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []),
  );
  const parts = [...packages].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      version: string;
      license?: string;
    };
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file
      ? readFileSync(join(folder, file), 'utf8').trim()
      : `Licence: ${manifest.license ?? 'not stated'}`;
    return `## ${name} ${manifest.version}\n\n${text}\n`;
  });
  return ['# Software that is packed into these files', ...parts].join('\n\n');
}
