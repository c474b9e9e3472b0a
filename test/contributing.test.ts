import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../src/config/settings.ts';
import { buildConfig, findSetting, readValue } from '../src/config/values.ts';
import { SECTIONS } from '../src/pad/sections.ts';
import { FORMATS } from '../src/transcript/formats/index.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGE = read('docs/contributing.md');

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);
const rooms = [...PAGE.matchAll(/^\| `([\w./-]+)` \|/gm)].map(([, name = '']) => name);
/** The module with the longest name that a path lies in; without one, its first part. */
const roomOf = (path: string): string => {
  const parts = path.split(/[\\/]/);
  const names = parts.map((_, at) => parts.slice(0, parts.length - at).join('/'));
  return names.find((name) => rooms.includes(name)) ?? names.at(-1) ?? '';
};

/** The files of `src` that a file imports from; types as well. */
function filesOf(path: string): string[] {
  const text = readFileSync(join(ROOT, 'src', path), 'utf8');
  const targets = [...text.matchAll(/(?:from |import\()'(\.[^']*\.ts)'/g)];
  return targets.map(([, target = '']) => relative('.', join(dirname(path), target)));
}

/** The modules of `src` that a file imports from, other than its own. */
const importsOf = (path: string): string[] =>
  filesOf(path)
    .map(roomOf)
    .filter((room) => room !== roomOf(path));

describe('the modules', () => {
  test('are all on the page', () => {
    expect([...new Set(sources.map(roomOf))].sort()).toEqual([...rooms].sort());
  });

  test('import only from those above them', () => {
    const wrong = sources.flatMap((path) =>
      importsOf(path)
        .filter((room) => rooms.indexOf(room) > rooms.indexOf(roomOf(path)))
        .map((room) => `${path} imports from ${room}`),
    );
    expect([...new Set(wrong)]).toEqual([]);
  });

  test('stand in the order of the layers', () => {
    const layers = [...read('docs/architecture.md').matchAll(/^\| \w+ \| (`.+`) \|/gm)]
      .map(([, folders = '']) => [...folders.matchAll(/`([\w-]+)`/g)].map(([, name]) => name))
      .reverse();
    // `index.ts` and `main.ts` are in no folder.
    const folders = rooms.filter((room) => room.includes('/') || !room.endsWith('.ts'));
    const order = folders.map((room) => layers.findIndex((names) => names.includes(room.split('/')[0])));

    expect(layers.flat().sort()).toEqual([...new Set(folders.map((room) => room.split('/')[0]))].sort());
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    // A row of the layers begins with the folder that may import all others in it.
    const firsts = new Set(folders.map((room) => room.split('/')[0]));
    expect(layers.flatMap((names) => names.toReversed())).toEqual([...firsts]);
  });
});

test('no files import each other in a circle, types as well', () => {
  const left = new Map(sources.map((path) => [path, filesOf(path).filter((each) => sources.includes(each))]));
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [path, imported] of left) if (imported.every((each) => !left.has(each))) left.delete(path);
  }
  // What is left imports something of a circle, or is in it.
  expect(
    Object.fromEntries([...left].map(([path, all]) => [path, all.filter((each) => left.has(each))])),
  ).toEqual({});
});

test('no file of the source has more than 350 lines', () => {
  const lines = (path: string): number => read(`src/${path}`).split('\n').length - 1;
  expect(sources.filter((path) => lines(path) > 350)).toEqual([]);
});

test('what a module keeps between calls is held by `keepForProcess`, or is a cache by its name', () => {
  const kept = /^(?:export )?(?:let (\w+)|const (\w+)[^=]* = (?:new (?:Map|Set)\b[^(]*\(\)|\[\]);)/gm;
  const named = sources
    .filter((path) => path !== 'base/fs/process.ts')
    .flatMap((path) => [...read(`src/${path}`).matchAll(kept)].map(([, name, constant]) => name ?? constant));
  expect(named.filter((name) => !name?.startsWith('cached'))).toEqual([]);
});

test('the guides name files that exist', () => {
  const named = [...PAGE.matchAll(/`((?:src|docs|test|scripts|bin)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('every section of the state block is explained', () => {
  const headings = [...read('docs/state.md').matchAll(/^## (.+)$/gm)].flatMap(([, text = '']) =>
    text.split(', '),
  );
  expect(SECTIONS.map(({ title }) => title).filter((title) => !headings.includes(title))).toEqual([]);
});

test('every transcript format has its row, in the code and on the page', async () => {
  const folder = join(ROOT, 'src/transcript/formats');
  const exported: unknown[] = [];
  for (const name of readdirSync(folder)) {
    const module = (await import(join(folder, name))) as Record<string, unknown>;
    exported.push(
      ...Object.values(module).filter((value) => typeof value === 'object' && value && 'recognises' in value),
    );
  }
  expect(exported.filter((format) => !FORMATS.includes(format as never))).toEqual([]);
  const page = read('docs/hosts.md');
  expect(FORMATS.filter(({ name }) => !page.includes(`| \`${name}`))).toEqual([]);
});

test('every setting has its default in the configuration, and nothing else is in it', () => {
  const places = new Set(SETTINGS.map(({ key, into }) => into ?? key));
  const leaves = (value: unknown, prefix: string): string[] =>
    value !== null && typeof value === 'object' && !places.has(prefix)
      ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, prefix ? `${prefix}.${key}` : key))
      : [prefix];
  expect(SETTINGS.length).toBeGreaterThan(50);
  expect(leaves(buildConfig(new Map()), '').sort()).toEqual([...places].sort());
  for (const setting of SETTINGS)
    if (setting.default !== undefined) expect(() => readValue(setting, setting.default)).not.toThrow();
});

test.each(['limit.notes', 'limits.note', 'stages.a b', 'stages.user', 'alerts.commands.9', 'nothing'])(
  '%s is no setting',
  (key) => {
    expect(findSetting(key)).toBeUndefined();
  },
);
