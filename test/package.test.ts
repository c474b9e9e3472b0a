import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { emitTypes } from '../scripts/build-types.ts';
import { relativeLinks } from './helpers/links.ts';
import { testDir } from './helpers/test-dir.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PLUGIN_MANIFESTS = [
  'claude-code-plugin/.claude-plugin/plugin.json',
  'codex-plugin/.codex-plugin/plugin.json',
  'gemini-extension/gemini-extension.json',
  'openclaw-plugin/package.json',
].map((path) => `templates/${path}`);
const RESOLUTIONS = ['node16', 'nodenext', 'bundler'];
const REQUIRED = ['node16-required', 'nodenext-required'];
/** Both forms of a program in CommonJS; a declaration that says nothing would let the second one pass a number. */
const REQUIRED_BY_NAME = `
  import { openScratchpad, type Scratchpad, ScratchpadError, Sessions } from 'scratchpad';
  import { openAgentMemory } from 'scratchpad/agent-memory';
  const opened: Promise<Scratchpad> = openScratchpad({ workspace: '.' });
  const sessions: Sessions = new Sessions('.');
  const isOurs = (error: unknown): error is ScratchpadError => error instanceof ScratchpadError;
  const answer = openAgentMemory({ host: 'pi' }).tell('prompt', { sessionId: 's' });
  export = { opened, sessions, isOurs, answer };
`;
const REQUIRED_WHOLE = `
  import scratchpad = require('scratchpad');
  const opened: Promise<scratchpad.Scratchpad> = scratchpad.openScratchpad();
  // @ts-expect-error
  const written = opened.then((pad) => pad.notes.append(7));
  const imported = import('scratchpad').then(({ openScratchpad }) => openScratchpad());
  export = { written, imported };
`;

/** Every option of every function: those that may be left out may be undefined. */
const OPTIONS = `
  import type * as s from 'scratchpad';
  import type { openAgentMemory } from 'scratchpad/agent-memory';
  type Strict<T> = T extends Uint8Array | ((...args: never) => unknown) ? never : T extends readonly unknown[] ? Strict<T[number]>
    : T extends object ? { [K in keyof T]-?: {} extends Pick<T, K> ? Record<K, undefined> extends Pick<T, K> ? never : K : never }[keyof T]
    : never;
  type Calls<T> = { [K in keyof T]: T[K] extends (...args: infer A) => unknown ? Strict<A[number]> : never }[keyof T];
  type Pad = s.Scratchpad;
  type Missing = Calls<Pad> | Calls<Pad['notes']> | Calls<Pad['plan']> | Calls<Pad['refs']> | Calls<Pad['notepad']>
    | Calls<Omit<Pad['entries'], 'store' | 'change'>> | Calls<Pad['memory']> | Calls<s.Sessions>
    | Strict<ConstructorParameters<typeof s.Sessions>[number]>
    | Strict<s.OpenOptions | s.AssembleRequest | s.HandoverRequest | s.MessageInput | s.NotepadEdit | s.PruneOptions>
    | Strict<s.SpawnOptions | s.EntryEdit | s.ReadRange | s.SearchOptions | s.WriteOptions | s.FailureDetail>
    | Strict<Parameters<typeof openAgentMemory>[0]> | Strict<Parameters<ReturnType<typeof openAgentMemory>['tell']>[1]>;
  export const missing: [Missing] extends [never] ? true : Missing = true;
  type Probe = Strict<{ a?: string }>;
  export const probe: Probe = 'a';
`;

describe('the packed package', () => {
  const dir = testDir();
  const app = join(dir, 'app');
  let tarball = '';

  beforeAll(async () => {
    mkdirSync(app);
    // The build that the tests run on is what gets packed; it may have come without types.
    if (!existsSync(join(ROOT, 'dist/types'))) emitTypes(join(ROOT, 'dist/types'));
    await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', dir], { cwd: ROOT });
    tarball = join(dir, readdirSync(dir).find((name) => name.endsWith('.tgz')) ?? '');
    writeFileSync(join(app, 'package.json'), '{"name":"app","private":true,"type":"module"}');
    await execa('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: app });
  }, 120_000);

  test('installs in an empty folder, runs, and gives the library', async () => {
    const cli = join(app, 'node_modules/.bin/scratchpad');
    await execa(cli, ['init'], { cwd: app });
    const { stdout } = await execa(cli, ['notes', 'append', 'installed'], { cwd: app });
    expect(stdout).toBe('added: installed\nnotes: 9 of 4,000 characters');
    const input = '[{"role":"user","content":"wtf, why did you break the upload test again?"}]';
    const assembled = await execa(cli, ['assemble', '-m', '-'], { cwd: app, input });
    expect(assembled.stdout).toContain('written: sentiment, ');

    writeFileSync(
      join(app, 'use.js'),
      `import { openScratchpad, ScratchpadError } from 'scratchpad';
       const pad = await openScratchpad({ workspace: '.' });
       await pad.plan.set('1. from the library');
       await pad.refs.add('use.js');
       const refused = await pad.refs.remove('nope').catch((error) => error);
       console.log(JSON.stringify([await pad.notes.read(), await pad.refs.list(), refused instanceof ScratchpadError, refused.kind]));`,
    );
    const used = await execa(process.execPath, ['use.js'], { cwd: app });
    expect(JSON.parse(used.stdout)).toEqual(['installed', ['use.js'], true, 'refused']);
    expect(readFileSync(join(app, 'SCRATCHPAD.md'), 'utf8')).toContain('1. from the library');

    writeFileSync(
      join(app, 'use.cjs'),
      `const { openScratchpad } = require('scratchpad');
       openScratchpad({ workspace: '.' })
         .then((pad) => pad.notes.read())
         .then((notes) => console.log(notes));`,
    );
    const required = await execa(process.execPath, ['use.cjs'], { cwd: app });
    expect(required.stdout).toBe('installed');
  });

  test('is imported by a program in CommonJS that tsx runs', async () => {
    const folder = join(app, 'common');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
    writeFileSync(
      join(folder, 'use.ts'),
      `import { openScratchpad, ScratchpadError } from 'scratchpad';
       import { openAgentMemory } from 'scratchpad/agent-memory';
       const { tools } = openAgentMemory({ host: 'pi' }).offer();
       openScratchpad().then((pad) => console.log(typeof pad.notes.read, typeof ScratchpadError, tools.length > 0));`,
    );
    const tsx = join(ROOT, 'node_modules/tsx/dist/cli.mjs');
    const { stdout } = await execa(process.execPath, [tsx, 'use.ts'], { cwd: folder });
    expect(stdout).toBe('function function true');
  });

  test('is packed again without the tools that build it', async () => {
    const installed = join(app, 'node_modules/scratchpad');
    const { stdout } = await execa('npm', ['pack', '--dry-run', '--json'], { cwd: installed });
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'scratchpad' }]);
  });

  // Of these, 2.4 MB are `models/synonyms.bin`, the words of like meaning in memory search.
  test('is at most 7 MB installed, without development files', () => {
    const installed = join(app, 'node_modules/scratchpad');
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    const sizes = files.map((file) => statSync(join(installed, file))).filter((stats) => stats.isFile());
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(7_000_000);
    expect(readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'scratchpad',
    ]);
    for (const wanted of ['docs/commands.md', 'examples/heartbeat.sh']) expect(files).toContain(wanted);
    expect(files.filter((file) => /^(src|test|scripts)\b|\.map$/.test(file))).toEqual([]);
  });

  test('has the version of its plugins', () => {
    const readVersion = (path: string): unknown =>
      (JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as { version?: unknown }).version;
    const version = readVersion('package.json');

    for (const manifest of PLUGIN_MANIFESTS)
      expect([manifest, readVersion(manifest)]).toEqual([manifest, version]);
  });

  test('contains every file that its pages link to', () => {
    const installed = join(app, 'node_modules/scratchpad');
    const pages = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.md'),
    );
    expect(pages).toContain('README.md');
    const broken = pages.flatMap((page) =>
      relativeLinks(readFileSync(join(installed, page), 'utf8'))
        .map((target) => target.replace(/#.*/, ''))
        .filter((target) => !existsSync(join(installed, dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  describe('the example of docs/tools.md', () => {
    const [, example = '', , expected] =
      /```ts\n([\s\S]*?)```([\s\S]*?)```text\n([\s\S]*?)\n```/.exec(
        readFileSync(join(ROOT, 'docs/tools.md'), 'utf8'),
      ) ?? [];

    beforeAll(() => {
      for (const moduleResolution of RESOLUTIONS) {
        const project = join(app, moduleResolution);
        mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
        symlinkSync(join(ROOT, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
        writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
        writeFileSync(join(project, 'example.ts'), example);
        // What a program must not do is an error for the compiler, too.
        writeFileSync(join(project, 'wrong.ts'), `${example}\nawait pad.plan.move('one', 'two');\n`);
        const compilerOptions = {
          moduleResolution,
          module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
          target: 'es2022',
          // With the types of a browser, and without.
          ...(moduleResolution === 'bundler' ? {} : { lib: ['es2022'] }),
          // Not asked for by the program: our declarations name them.
          types: [],
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
          // The declarations have to be right by themselves.
          skipLibCheck: false,
        };
        writeFileSync(join(project, 'options.ts'), OPTIONS);
        const files = ['example.ts', 'options.ts', 'wrong.ts'];
        writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));

        if (moduleResolution === 'bundler') continue;
        const required = join(app, `${moduleResolution}-required`);
        mkdirSync(join(required, 'node_modules/@types'), { recursive: true });
        symlinkSync(join(ROOT, 'node_modules/@types/node'), join(required, 'node_modules/@types/node'));
        writeFileSync(join(required, 'package.json'), '{"private":true}');
        writeFileSync(join(required, 'named.ts'), REQUIRED_BY_NAME);
        writeFileSync(join(required, 'whole.ts'), REQUIRED_WHOLE);
        const both = ['named.ts', 'whole.ts'];
        writeFileSync(join(required, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: both }));
      }
    });

    test('compiles, and what is wrong does not', async () => {
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      // One process for all of them reads the libraries once.
      const args = [tsc, '-b', '--force', '--pretty', 'false', ...RESOLUTIONS, ...REQUIRED];
      const { stdout } = await execa(process.execPath, args, { cwd: app, reject: false });
      expect(stdout.split('\n')).toEqual(
        RESOLUTIONS.map((name) =>
          expect.stringMatching(
            new RegExp(
              `^${name}/wrong\\.ts.*Argument of type 'string' is not assignable to parameter of type 'number'`,
            ),
          ),
        ),
      );
    });

    test('prints the documented output', async () => {
      const project = join(app, 'node16');
      mkdirSync(join(project, 'agent'));
      const { code } = await transform(example, { loader: 'ts', format: 'esm' });
      writeFileSync(join(project, 'example.js'), code);
      const { stdout } = await execa(process.execPath, ['example.js'], { cwd: project });
      expect(stdout).toBe(expected);
    });
  });
});
