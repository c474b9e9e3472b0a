import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson5, removeJson5, setJson5 } from '../../src/install/json5.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** As people write it. */
const SETTINGS = [
  "// mine\n{\n  // agents\n  agents: { defaults: { workspace: '~/x', }, },\n  gateway: {\n    port: 18789, // port\n    bind: 'loopback',\n  },\n}\n",
  "{\n\tagents: {workspace: 'x'},\n\tplugins: {\n\t\tentries: {\n\t\t\tother: { enabled: true }, // kept\n\t\t},\n\t},\n}",
  "{\r\n  a: +0x1F, /* b */\r\n  'c': .5,\r\n}\r\n",
  '{\n  a: 1 // last words\n}\n',
  "\uFEFF{ a: 'x\\\n y', b: Infinity, c: NaN, d: [1, -2,], }",
  "{ plugins: { entries: {}, allow: ['scratchpad'] } }\n",
];

test.each(SETTINGS)(
  'openclaw.json in JSON5 is taken, and the rest of it is kept to the byte: %j',
  async (text) => {
    const home = testDir({ '.openclaw/openclaw.json': text });
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
    const env = { HOME: home };
    const path = join(home, '.openclaw/openclaw.json');
    expect((await runWarm(['install', 'openclaw', '--yes'], { cwd, env })).exitCode).toBe(0);
    const after = readFileSync(path, 'utf8');
    const entry = { scratchpad: { enabled: true, hooks: { allowConversationAccess: true } } };
    expect(readJson5(after)).toMatchObject({ ...readJson5(text), plugins: { entries: entry } });
    // Nothing of a person's is gone, nothing has moved.
    let at = 0;
    for (const character of text) {
      at = after.indexOf(character, at) + 1;
      expect(at).toBeGreaterThan(0);
    }
    expect((await runWarm(['doctor'], { cwd, env })).stdout).toContain('openclaw: plugin enabled');
    expect((await runWarm(['install', 'openclaw', '--yes'], { cwd, env })).exitCode).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(after);
    // Taken out of a file that a person has changed since.
    writeFileSync(path, `${after}// since\n`);
    await runWarm(['uninstall', 'openclaw', '--yes'], { cwd, env });
    expect(readJson5(readFileSync(path, 'utf8'))).toEqual(
      text.includes('allow') ? { plugins: { allow: ['scratchpad'] } } : readJson5(text),
    );
    expect(readFileSync(path, 'utf8')).toContain('// since');
    expect(existsSync(join(home, '.openclaw/extensions/scratchpad/index.js'))).toBe(false);
  },
);

test('what is not JSON5 is refused and stays as it is', async () => {
  for (const text of [
    '{ a: b }',
    '{ get a() { return 1 } }',
    '{ ...x }',
    '{ a: `x` }',
    '{ a: 1 } }',
    'nothing',
  ]) {
    expect(readJson5(text), text).toBeUndefined();
    const home = testDir({ '.openclaw/openclaw.json': text });
    const env = { HOME: home };
    const { exitCode } = await runWarm(['install', 'openclaw', '--yes'], { cwd: testDir({}), env });
    expect(exitCode).toBe(1);
    expect(readFileSync(join(home, '.openclaw/openclaw.json'), 'utf8')).toBe(text);
  }
});

test('a value is read back, and removing it restores the text', () => {
  const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\r\n\t', ' // a: {b},\n', '/* } */');
  const key = fc.constantFrom('a', 'b1', '"c d"', "'e'", '$f');
  const value = fc.constantFrom(
    '1',
    "'x'",
    '[1, 2,]',
    '{}',
    '{ in: { ner: 1, }, }',
    '-.5',
    'null',
    'Infinity',
  );
  const property = fc.tuple(gap, key, gap, value, gap);
  const settings = fc
    .tuple(fc.array(property, { maxLength: 4 }), fc.boolean(), gap)
    .map(
      ([properties, comma, end]) =>
        `{${properties.map(([a, k, b, v, c]) => `${a}${k}:${b}${v}${c}`).join(',')}${comma && properties.length > 0 ? ',' : ''}${end}}`,
    );
  fc.assert(
    fc.property(settings, (text) => {
      const before = readJson5(text);
      const after = setJson5(text, ['new', 'deep'], { x: true });
      expect(readJson5(after)).toEqual({ ...before, new: { deep: { x: true } } });
      const back = removeJson5(after, ['new']);
      expect(readJson5(back)).toEqual(before);
      if (Object.keys(before ?? {}).length > 0) expect(back).toBe(text);
    }),
    { numRuns: 500 },
  );
});
