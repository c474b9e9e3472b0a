import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { type BuildResult, build, type Metafile, type Plugin, transform } from 'esbuild';
import { emitTypes } from './build-types.ts';
import { renderCommandsPage } from './manual.ts';

/**
 * Builds the package: CommonJS bundles (loading ES modules costs a cold start six milliseconds more), and two small ES
 * modules that give the library and the hooks out of them.
 */
const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

/**
 * The program, the library, and the hooks of a process that stays. Every module that is imported dynamically becomes a
 * file of its own beside them, so that a command reads only what it uses; what several of them need is in shared files.
 */
const ENTRIES = ['main', 'commands/hook', 'hosts/agent-memory', 'index'].map((name) => `src/${name}.ts`);

/** The ES modules of the package, and the bundle of each. */
const LIBRARIES = [
  ['index', 'index'],
  ['agent-memory', 'hosts.agent-memory'],
] as const;

/** Packs of modules that are read together: these, and what several entries share of their imports, in this order. */
const PACKS = {
  core: [
    'src/main.ts',
    ...['spaces', 'plan', 'open'].map((name) => `src/commands/${name}.ts`),
    'src/index.ts',
  ],
  memory: ['src/commands/memory.ts', 'src/memory/search.ts'],
  hooks: ['src/commands/hook.ts', 'src/hosts/spill.ts'],
  engine: ['src/assembly/assemble-pad.ts', 'src/handover/index.ts'],
  resident: ['src/hosts/agent-memory.ts'],
};

/**
 * commander loads child_process for a feature that is not used here, which costs four milliseconds; gray-matter its own
 * reader of YAML, in whose place it is given ours.
 */
const unused: Plugin = {
  name: 'unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:child_process|js-yaml)$/ }, ({ path, importer }) =>
      importer.includes(path === 'js-yaml' ? 'gray-matter' : 'commander')
        ? { path, namespace: 'empty' }
        : undefined,
    );
    const contents = 'module.exports = { safeLoad() {}, safeDump() {} }';
    onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents }));
    // Our own package.json is read at every start, for the version alone.
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    onLoad({ filter: /package\.json$/ }, ({ path }) =>
      path === join(root, 'package.json')
        ? { contents: JSON.stringify({ version }), loader: 'json' }
        : undefined,
    );
  },
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

/** Replaces `import.meta.url` in the bundles that use it: computing it costs a start half a millisecond. */
const META_URL = 'scratchpadMetaUrl';

const bundle = (
  sources: readonly string[],
  options: { write?: boolean; splitting?: boolean } = {},
): Promise<BuildResult<{ metafile: true }>> =>
  build({
    absWorkingDir: root,
    entryPoints: sources.map((source) => ({ in: source, out: bundleName(source) })),
    outdir: 'dist/cli',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    metafile: true,
    ...options,
    define: {
      // `import.meta` is only needed to find files that ship with the code. Our code uses the folder, which costs
      // nothing; bundled packages use the URL.
      'import.meta.dirname': '__dirname',
      'import.meta.url': META_URL,
    },
    // Its main file loads its parts in a way that cannot be bundled.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    plugins: [unused],
    logLevel: 'warning',
  });

const bundleName = (source: string): string => source.replace(/^src\/|\.m?[jt]s$/g, '').replaceAll('/', '.');

/**
 * The first pass finds what is imported dynamically. esbuild shares code only between ES modules, so these are
 * translated to CommonJS afterwards. The loader, and the code with which a hook asks a running server, share nothing.
 * @returns the paths of all files in the bundles
 */
async function buildProgram(): Promise<string[]> {
  const { metafile: firstPass } = await bundle(ENTRIES, { splitting: true, write: false });
  const sources = Object.values(firstPass.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  const { metafile } = await bundle(sources, { splitting: true });
  const loader = await bundle(['src/base/start.ts', 'src/hosts/ask-server.ts']);
  const packs = choosePacks(metafile.outputs);
  const partsOfPacks = new Map<string, string[]>();

  for (const output of Object.keys({ ...metafile.outputs, ...loader.metafile.outputs })) {
    const name = basename(output, '.js');
    const code = linkParts(await translateToCommonJs(join(root, output)), packs);
    // tsx compiles an ES module of a program in CommonJS to CommonJS, and there asks for a default export by name.
    const isLibrary = LIBRARIES.some(([, source]) => source === name);
    const exported = isLibrary ? `${code}module.exports.default=module.exports;` : code;

    const pack = packs.get(name);
    if (pack === undefined) writeBundle(name, exported);
    else partsOfPacks.set(pack, [...(partsOfPacks.get(pack) ?? []), `"${name}"(module,exports){${code}}`]);
  }

  for (const [pack, parts] of partsOfPacks)
    writeBundle(
      pack,
      `const made={},parts={${parts.join(',')}};module.exports=name=>{let part=made[name];if(!part){part=made[name]={exports:{}};parts[name](part,part.exports)}return part.exports};`,
    );
  return Object.keys(metafile.inputs);
}

/** The code of a bundle as CommonJS; its file is removed. */
async function translateToCommonJs(file: string): Promise<string> {
  const { code } = await transform(readFileSync(file, 'utf8'), {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    // Node prints the line that threw an uncaught error.
    lineLimit: 200,
    supported: { 'dynamic-import': false },
  });
  rmSync(file);

  return code.trim();
}

/** Requires other bundles by their files, or from the packs that they are in. */
const linkParts = (code: string, packs: ReadonlyMap<string, string>): string =>
  code.replace(/require\(\s*"\.\/([^"]+)\.js"\s*\)/g, (_, name: string) => {
    const pack = packs.get(name);
    return pack ? `require("./${pack}.cjs")("${name}")` : `require("./${name}.cjs")`;
  });

type Outputs = Metafile['outputs'];

/**
 * Chooses the pack of each bundle. esbuild makes a file of each set of modules that the same entries share. Those that
 * nearly every run reads are packed into one, where each is a function that runs when it is needed: opening a hundred files
 * takes longer.
 */
function choosePacks(outputs: Outputs): Map<string, string> {
  const packs = new Map<string, string>();
  const follow = (output: string, pack: string): void => {
    const { entryPoint, imports = [] } = outputs[output] ?? {};
    const name = basename(output, '.js');
    if (packs.has(name)) return;
    // Other programs name the entries, which therefore keep their files.
    if (entryPoint === undefined || !ENTRIES.includes(entryPoint)) packs.set(name, pack);
    for (const { kind, path } of imports)
      if (kind === 'import-statement' && outputs[path]) follow(path, pack);
  };
  for (const [pack, entries] of Object.entries(PACKS)) {
    const unknown = entries.find(
      (entry) => !Object.values(outputs).some(({ entryPoint }) => entryPoint === entry),
    );
    if (unknown !== undefined) throw new Error(`${unknown} is in the pack ${pack}, but nothing loads it`);
    for (const [output, { entryPoint = '' }] of Object.entries(outputs))
      if (entries.includes(entryPoint)) follow(output, pack);
  }
  return packs;
}

/**
 * Writes a file for the loader (`src/base/start.ts`), with a digest of the content in the first line, and ASCII only.
 * esbuild leaves other characters in patterns; a text that contains any takes twice the memory and longer to compile.
 */
function writeBundle(name: string, code: string): void {
  const ascii = code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const url = ascii.includes(META_URL)
    ? `const ${META_URL}=typeof __filename>"u"?"":require("node:url").pathToFileURL(__filename).href;`
    : '';
  // A program that bundles these files into an ES module has no `require`.
  const builtin = ascii
    .replace(/\brequire\(\s*"([^"]+)"\s*\)/g, (call, id: string) =>
      isBuiltin(id) ? `process.getBuiltinModule("${id}")` : call,
    )
    .replace('typeof require<"u"?require:', 'process.getBuiltinModule?process.getBuiltinModule:');
  const script = `"use strict";${url}${builtin}`;
  const digest = createHash('sha256').update(script).digest('hex').slice(0, 16);
  writeFileSync(join(dist, `cli/${name}.cjs`), `//${digest}\n${script}`);
}

writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.md'), collectNotices(await buildProgram()));
for (const [name, source] of LIBRARIES) {
  const { default: code } = createRequire(import.meta.url)(join(dist, `cli/${source}.cjs`)) as {
    default: object;
  };
  const names = Object.keys(code)
    .filter((key) => key !== 'default')
    .sort();
  writeFileSync(
    join(dist, `${name}.js`),
    `import code from './cli/${source}.cjs';\nexport const { ${names.join(', ')} } = code;\n`,
  );
}
writeFileSync(join(root, 'docs/commands.md'), await renderCommandsPage());
if (!process.argv.includes('--no-types')) emitTypes(join(dist, 'types'));

/** The licences of everything in the bundles; packages with the same text share it. */
function collectNotices(inputs: readonly string[]): string {
  const packages = new Set(
    inputs.flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []),
  );
  const titles = new Map<string, string[]>();
  for (const name of [...packages].sort()) {
    const folder = join(root, 'node_modules', name);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      version: string;
      license?: string;
    };
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file
      ? readFileSync(join(folder, file), 'utf8')
          .trim()
          .replace(/^[ \t]+/gm, '')
      : `Licence: ${manifest.license ?? 'not stated'}`;
    titles.set(text, [...(titles.get(text) ?? []), `${name} ${manifest.version}`]);
  }

  const parts = [...titles].map(([text, names]) => `## ${names.join(', ')}\n\n${text}\n`);
  return ['# Software that is packed into these files', ...parts].join('\n\n');
}
