import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
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
    expect((exports as string[]).sort()).toEqual(['ScratchpadError', 'Sessions', 'openScratchpad']);
  });

  test('opening a workspace and looking at it creates nothing, and holds nothing open', async () => {
    const cwd = testDir();
    const script = `
      const { openScratchpad, Sessions } = await import(${JSON.stringify(LIBRARY)});
      const pad = await openScratchpad();
      await pad.notes.read(); await pad.entries.list(); await pad.context(); await pad.tools();
      await new Sessions(process.cwd()).list();
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

test('importing the library reads no more than what it is made of', async () => {
  const script = `import { createRequire } from 'node:module';
    import { statSync } from 'node:fs';
    await import(${JSON.stringify(LIBRARY)});
    const files = Object.keys(createRequire(${JSON.stringify(LIBRARY)}).cache);
    console.log(JSON.stringify(files.map((file) => statSync(file).size)));`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', script]);
  const sizes = JSON.parse(stdout) as number[];
  expect(sizes.length).toBeLessThanOrEqual(2);
  // 160 KB of it read front matter: each pad's goes through gray-matter and yaml.
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(390_000);
});

describe.each(['cjs', 'esm'] as const)(
  'a program that was bundled as %s with the library in it',
  (format) => {
    const app = testDir({ 'node_modules/': '' });
    const outfile = join(app, `out/bundled.${format === 'cjs' ? 'cjs' : 'mjs'}`);
    const run = async (): Promise<string> =>
      (await execa(process.execPath, [outfile], { cwd: app, env: minimalEnv(), extendEnv: false })).stdout;

    beforeAll(async () => {
      symlinkSync(ROOT, join(app, 'node_modules/scratchpad'));
      writeFileSync(join(app, 'SCRATCHPAD.md'), '# Pad\n');
      const contents = `import { openScratchpad, ScratchpadError } from 'scratchpad';
      import { openAgentMemory } from 'scratchpad/agent-memory';
      const say = (error) => console.log(error instanceof ScratchpadError, error.kind, error.explain());
      try { openAgentMemory({ host: 'pi' }); } catch (error) { say(error); }
      openScratchpad({ workspace: ${JSON.stringify(app)} }).then(async (pad) => {
        await pad.notes.append('bundled');
        console.log(await pad.notes.read());
      }, say);`;
      const input = { contents, resolveDir: app };
      const how = { bundle: true, platform: 'node', minify: true, logLevel: 'silent' } as const;
      await build({ stdin: input, format, outfile, ...how });
    });

    test('is told that the models are missing, and to mark the package external', async () => {
      const expected = /^true environment the models of scratchpad are not beside its code/;
      const answers = (await run()).split(/^(?=true)/m);
      expect(answers).toEqual([expect.stringMatching(expected), expect.stringMatching(expected)]);
      expect(answers[1]).toContain('--external:scratchpad');
      expect(answers[1]).toContain('no mood.bin, synonyms.bin, tokens.bin');
      expect(readFileSync(join(app, 'SCRATCHPAD.md'), 'utf8')).toBe('# Pad\n');
    });

    test.runIf(format === 'cjs')('runs with the models beside it', async () => {
      writeFileSync(join(app, 'package.json'), '{}');
      symlinkSync(join(ROOT, 'models'), join(app, 'models'));
      expect(await run()).toBe('bundled');
    });
  },
);
