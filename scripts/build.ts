import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { configSchema } from '../src/config/schema.ts';
import { emitTypes } from './build-types.ts';
import { commandsPage } from './docs.ts';
import { manualPage } from './man.ts';

/**
 * Builds the package: CommonJS bundles for the command line (loading ES modules costs a cold
 * start six milliseconds more), and the library as ES modules with its types.
 */
const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

/**
 * Every module of ours that is imported dynamically becomes a bundle of its own, found by following the
 * imports from the entry, so that a command reads only what it uses. All bundles are in one folder, so that
 * they find each other.
 */
const chunkName = (source: string): string =>
  relative(join(root, 'src'), source).replace(/\.ts$/, '').replaceAll('/', '.');
/**
 * Large modules that many commands share are bundles of their own, too: packed into each command they made up
 * two thirds of the package, and a prompt read some of them four times.
 */
const APART = new Set(
  [
    'assembly/assemble-pad.ts',
    'commands/open.ts',
    'config/file.ts',
    'core/sessions.ts',
    'entries/file-entries.ts',
    'base/fs/index.ts',
    'transcript/hearing/paste.ts',
    'hosts/install/hooks-json.ts',
    'tools/mcp/sdk.ts',
    'pad/yaml.ts',
    'base/safety/execa.ts',
    'base/safety/index.ts',
    'sentiment/cues.ts',
    'session/file-store.ts',
    'stages/mood.ts',
    'tools/entries.ts',
    'base/text/stem.ts',
    'base/text/yaml.ts',
    'handover/index.ts',
    'transcript/formats/index.ts',
    'transcript/read.ts',
  ].map((source) => join(root, 'src', source)),
);
const chunks = new Set(['main.ts', 'base/start/loader.ts'].map((source) => join(root, 'src', source)));
const chunksApart: Plugin = {
  name: 'chunks-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path, resolveDir }) => {
      const source = resolve(resolveDir, path);
      const apart = kind === 'import-statement' && APART.has(source);
      if (kind !== 'dynamic-import' && !apart) return undefined;
      chunks.add(source);
      // Loading one changes nothing else, so a bundle whose code needs nothing of it does not load it.
      return { path: `./${chunkName(source)}.cjs`, external: true, sideEffects: false };
    });
  },
};

/** commander loads child_process for a feature that is not used here; it costs four milliseconds. */
const noChildProcess: Plugin = {
  name: 'no-child-process-for-commander',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('commander') ? { path: 'unused', namespace: 'empty' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'module.exports = {}' }));
  },
};

/**
 * The tokenizer's table of two megabytes would be packed twice, into the program and into the library. It
 * ships once, compressed; as data it loads faster than as code.
 */
const TOKEN_TABLE = 'o200k.json.br';
const tokenTable = (home: string): Plugin => ({
  name: 'token-table',
  setup({ onLoad }) {
    onLoad({ filter: /bpeRanks[\\/]o200k_base\.js$/ }, () => ({
      contents: [
        "import { readFileSync } from 'node:fs';",
        "import { brotliDecompressSync } from 'node:zlib';",
        `const file = import.meta.dirname + '/${home}${TOKEN_TABLE}';`,
        'export default JSON.parse(brotliDecompressSync(readFileSync(file)).toString());',
      ].join('\n'),
    }));
  },
});

async function writeTokenTable(): Promise<void> {
  const { default: ranks } = (await import(
    pathToFileURL(join(root, 'node_modules/gpt-tokenizer/esm/bpeRanks/o200k_base.js')).href
  )) as { default: unknown };
  // Level 9 of 11 is a tenth larger and thirteen times faster.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  writeFileSync(join(dist, TOKEN_TABLE), brotliCompressSync(JSON.stringify(ranks), { params }));
}

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  define: { SCRATCHPAD_VERSION: JSON.stringify(version) },
  // Its main file loads its parts in a way that cannot be bundled.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  logLevel: 'warning',
  metafile: true,
} as const;

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

/** Replaces `import.meta.url` in the bundles that use it: computing it costs a start half a millisecond. */
const META_URL = 'scratchpadMetaUrl';

/** Each round finds the chunks that the previous ones import; the last round finds no more. */
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
      // `import.meta` is only needed to find files that ship with the code.
      define: {
        ...shared.define,
        'import.meta.dirname': '__dirname',
        // Our code uses the folder, which costs nothing; bundled packages use the URL.
        'import.meta.url': META_URL,
      },
      supported: { 'dynamic-import': false },
      plugins: [chunksApart, noChildProcess, tokenTable('../')],
    });
    if (chunks.size > known) continue;
    for (const file of Object.keys(metafile.outputs)) stamp(join(root, file));
    return Object.keys(metafile.inputs);
  }
}

/**
 * What the loader needs (`src/base/start/loader.ts`): a digest of the content in the first line, and ASCII only.
 * esbuild leaves other characters in patterns; a text that contains any takes twice the memory and longer to
 * compile.
 */
function stamp(file: string): void {
  const ascii = readFileSync(file, 'utf8').replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const url = `const ${META_URL}=require("node:url").pathToFileURL(__filename).href;`;
  const script = ascii.includes(META_URL) ? ascii.replace('"use strict";', `$&${url}`) : ascii;
  const digest = createHash('sha256').update(script).digest('hex').slice(0, 16);
  writeFileSync(file, `//${digest}\n${script}`);
}

await writeTokenTable();
const programInputs = await buildProgram();
const library = await build({
  ...shared,
  // The second is for plugins in hosts that keep running.
  entryPoints: ['src/index.ts', { in: 'src/hosts/resident.ts', out: 'resident' }],
  outdir: 'dist',
  format: 'esm',
  splitting: true,
  minify: true,
  plugins: [tokenTable('./')],
  banner: {
    js: "import{createRequire as scratchpadRequire}from'node:module';const require=scratchpadRequire(import.meta.url);",
  },
});
writeFileSync(
  join(dist, 'THIRD-PARTY-LICENSES.md'),
  notices([...programInputs, ...Object.keys(library.metafile.inputs)]),
);
writeFileSync(join(dist, 'config.schema.json'), `${JSON.stringify(configSchema(), null, 2)}\n`);
writeFileSync(join(dist, 'scratchpad.1'), manualPage(version));
writeFileSync(join(root, 'docs/commands.md'), commandsPage());
if (!process.argv.includes('--no-types')) emitTypes(join(dist, 'types'));

/** The licences of everything in the bundles. */
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
