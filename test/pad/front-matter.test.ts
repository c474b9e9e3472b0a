import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { locateFrontMatter, readFields } from '../../src/pad/front-matter.ts';
import { runs } from '../helpers/runs.ts';

const value = fc.oneof(
  fc.constantFrom(
    '30m',
    '"a b"',
    "'it''s'",
    "'x'",
    '{a: ok, b: no}',
    '2026-02-06T03:00:00+11:00',
    '007',
    '12:30',
    'a # b',
    'main',
    'null',
    '0',
    '42',
    '2026-02-06T03:',
    '"main x"',
  ),
  fc.constantFrom(
    'a#b',
    '~',
    'null',
    'yes',
    '0x1f',
    '1e3',
    '-',
    '- a',
    '? a',
    ': a',
    'a:',
    'a: b',
    '&x y',
    '*x',
    '!t v',
  ),
  fc.constantFrom(
    '[1]',
    '{',
    '}',
    '|',
    '>',
    '%a',
    '@a',
    '`a`',
    '"a',
    "a'",
    '\u2028',
    'a\tb',
    'a\u0085b',
    '\ufeffa',
    'a\u0000',
  ),
  fc.string({ maxLength: 8 }),
);
const fieldLine = fc
  .tuple(fc.constantFrom('a', 'b', 'revision', 'b_c', 'd-e', 'F1', 'x y', '9'), value)
  .map(([k, v]) => `${k}: ${v}`);
const inner = fc
  .array(fc.oneof(fieldLine, fc.constantFrom('', '# remark', '  indented: 1', '- item', 'bare')), {
    maxLength: 5,
  })
  .map((lines) => lines.map((line) => `${line.replaceAll('\n', ' ')}\n`).join(''));

test('the fields of a pad are those that YAML finds, and none where it finds no map', () => {
  const asYaml = (text: string): unknown => {
    try {
      return parse(text, { logLevel: 'error' }) ?? {};
    } catch {
      return undefined;
    }
  };
  return fc.assert(
    fc.asyncProperty(inner, async (text) => {
      fc.pre(locateFrontMatter(`---\n${text}---\n`).kind === 'fenced');
      const found = asYaml(text);
      const map = typeof found === 'object' && !Array.isArray(found) ? found : undefined;
      expect(await readFields(`---\n${text}---\nbody\n`)).toEqual(map);
    }),
    { numRuns: runs(300) },
  );
});

test('front matter is between two lines of ---, at the top, before the sections', () => {
  const kind = (text: string): string => locateFrontMatter(text).kind;
  expect(kind('---\na: 1\n---\n')).toBe('fenced');
  expect(kind('\ufeff--- \r\na: 1\r\n---\r\n')).toBe('fenced');
  expect(kind('---\na: 1\n')).toBe('unclosed');
  expect(kind('---\n\ntext\n')).toBe('none');
  expect(kind('---js\nprocess.exit()\n---\n')).toBe('none');
  expect(kind('\n---\na: 1\n---\n')).toBe('none');
  expect(kind('---\n<!-- scratchpad:notes -->\n---\n<!-- /scratchpad:notes -->\n')).toBe('none');
});

test('YAML is read as YAML 1.2, runs no code, and does not swell', async () => {
  expect(await readFields('---\na: 12:30\nb: "007"\nc: no\n---\n')).toEqual({
    a: '12:30',
    b: '007',
    c: 'no',
  });
  expect(await readFields('---js\n{a: 1}\n---\n')).toEqual({});
  const laughs = Array.from(
    { length: 9 },
    (_, k) => `${'abcdefghij'[k + 1]}: &${'abcdefghij'[k + 1]} [${`*${'abcdefghij'[k]},`.repeat(9)}]`,
  );
  for (const text of [`a: &a [x]\n${laughs.join('\n')}`, '- a', 'a: [', 'a: 1\na: 2'])
    expect(await readFields(`---\n${text}\n---\n`)).toBeUndefined();
});
