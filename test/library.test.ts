import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { minimalEnv } from './helpers/run-cli.ts';
import { testDir } from './helpers/test-dir.ts';

const ROOT = join(import.meta.dirname, '..');
const LIBRARY = pathToFileURL(join(ROOT, 'dist/index.js')).href;

describe('importing the library', () => {
  test('does nothing: no file, no timer, no listener, no global, no change of the environment', async () => {
    const cwd = testDir();
    const home = testDir();
    const script = `
      const state = () => JSON.stringify({
        env: process.env,
        cwd: process.cwd(),
        globals: Reflect.ownKeys(globalThis).map(String),
        listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
        streams: [process.stdin, process.stdout].map((stream) => stream.eventNames().length),
        resources: process.getActiveResourcesInfo().sort(),
        prototypes: [Object, Array, String, Map, Promise].map(({ prototype }) => Reflect.ownKeys(prototype).length),
        exitCode: process.exitCode ?? null,
      });
      await new Promise((resolve) => setImmediate(resolve));
      const before = state();
      const library = await import(${JSON.stringify(LIBRARY)});
      await new Promise((resolve) => setImmediate(resolve));
      const after = state();
      console.log(JSON.stringify({ same: before === after, before, after, exports: Object.keys(library) }));`;
    const from = Date.now();
    const { stdout, stderr } = await execa(process.execPath, ['--input-type=module', '-e', script], {
      cwd,
      env: { ...minimalEnv(), HOME: home },
      extendEnv: false,
      // It must end by itself.
      timeout: 30_000,
    });
    const { same, before, after, exports } = JSON.parse(stdout) as Record<string, unknown>;
    expect(after).toBe(before);
    expect(same).toBe(true);
    expect(stderr).toBe('');
    expect(Date.now() - from).toBeLessThan(30_000);
    expect([readdirSync(cwd), readdirSync(home)]).toEqual([[], []]);
    expect((exports as string[]).sort()).toEqual([
      'MemoryStore',
      'ScratchpadError',
      'Sessions',
      'openScratchpad',
      'tokenCounter',
    ]);
  });

  test('opening a workspace and looking at it creates nothing, and holds nothing open', async () => {
    const cwd = testDir();
    const script = `
      const { openScratchpad, Sessions, MemoryStore } = await import(${JSON.stringify(LIBRARY)});
      const pad = await openScratchpad();
      await pad.notes.read(); await pad.entries.list(); await pad.context(); await pad.tools();
      await new Sessions(process.cwd()).list(); new MemoryStore();
      console.log(process.getActiveResourcesInfo().filter((kind) => /Timeout|FSEvent|TCP/.test(kind)).length);`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', script], {
      cwd,
      env: minimalEnv(),
      extendEnv: false,
      timeout: 30_000,
    });
    expect(stdout).toBe('0');
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('what an app that imports the library carries', () => {
  /** Bytes of ours that are in the app from the start; what loads on demand is not. */
  async function carried(source: string, splitting = false): Promise<number> {
    const app = testDir({ 'node_modules/': '' });
    symlinkSync(ROOT, join(app, 'node_modules/scratchpad'));
    const { metafile } = await build({
      stdin: { contents: source, resolveDir: app },
      bundle: true,
      splitting,
      format: 'esm',
      platform: 'node',
      minify: true,
      write: false,
      metafile: true,
      outdir: join(app, 'out'),
      logLevel: 'silent',
    });
    const outputs = metafile.outputs;
    const [entry = ''] = Object.keys(outputs).filter((path) => outputs[path]?.entryPoint === '<stdin>');
    const loaded = new Set<string>();
    const load = (path: string): void => {
      if (loaded.has(path)) return;
      loaded.add(path);
      for (const { kind, path: next } of outputs[path]?.imports ?? []) {
        if (kind === 'import-statement' && outputs[next]) load(next);
      }
    };
    load(entry);
    return [...loaded].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
  }

  test('one function bundles to what that function needs', async () => {
    expect(await carried("import 'scratchpad';")).toBe(0);
    expect(await carried("export { ScratchpadError } from 'scratchpad';")).toBeLessThan(4_000);
    expect(await carried("export { tokenCounter } from 'scratchpad';")).toBeLessThan(40_000);
    // With its parts loaded on demand, as the app's bundler splits them. What makes texts safe is 48 KB: each write of
    // the file names the other open plans, and each entry its origin.
    expect(await carried("export { openScratchpad } from 'scratchpad';", true)).toBeLessThan(195_000);
  });
});

test('tokens counted exactly, by the table that ships once', async () => {
  expect(existsSync(join(ROOT, 'dist/o200k.json.br'))).toBe(true);
  const script = `const { tokenCounter } = await import(${JSON.stringify(LIBRARY)});
    const count = await tokenCounter(true);
    console.log(count('hello world'), count('größer als 日本語 🦀'), count('<|endoftext|>'));`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout).toBe('2 8 7');
});
