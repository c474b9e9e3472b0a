import { describe, expect, it } from 'vitest';
import { findSecrets } from '../../../src/base/safety/index.ts';
import { listProviders, listSecretWords, listShapes } from '../../../src/base/safety/tables.ts';

/** A pattern without its escapes and character classes: what is left are groups and quantifiers. */
function skeleton(source: string): string {
  return source
    .replace(/\\./g, 'x')
    .replace(/\[(?:[^\]]|\\\])*\]/g, 'x')
    .replace(/\(\?(?::|=|!|<=|<!)/g, '(');
}

describe('the tables', () => {
  const patterns = [
    ...listProviders().map(({ kind, prefixes, rest }) => [`${kind} ${prefixes}`, rest] as const),
    ...listShapes().map(({ kind, pattern }) => [kind, pattern] as const),
  ];
  const words = listSecretWords().flatMap(({ group, kind, words: list }) =>
    list.map((word) => [group, kind, word] as const),
  );

  // A pattern that takes a bounded number of steps from any one position is linear over a text.
  it.each(patterns)('%s has no unbounded quantifier', (_, source) => {
    expect(skeleton(source)).not.toMatch(/[*+]|\{\d+,\}/);
    expect(() => new RegExp(source, 'u')).not.toThrow(/Invalid group|Unterminated/);
  });

  it('search shapes in lower case only', () => {
    for (const { pattern } of listShapes()) expect(pattern.replace(/\\[A-Z]/g, '')).not.toMatch(/[A-Z]/);
  });

  it('give a word one meaning, however it is spelt', () => {
    const kinds = new Map<string, string>();
    for (const [group, kind, word] of words) {
      const letters = word.replace(/^[<_]/, '').replace(/[ .]/g, '');
      if (letters === 'key') continue;
      expect(kinds.get(letters) ?? `${group} ${kind}`, word).toBe(`${group} ${kind}`);
      kinds.set(letters, `${group} ${kind}`);
    }
  });

  it('are fast on long runs of every prefix, word and opening', () => {
    const units = [
      ...listProviders().flatMap(({ prefixes }) => prefixes.split(' ')),
      ...words.filter((_, at) => at % 3 === 0).map(([, , word]) => `${word.replace(/^[<_]/, '')}=`),
      ...['curl -u ', 'mysql -', 'echo ', 'password "', 'user a, pass ', 'https://a:', 'key_', 'cookie: a='],
      ...[
        'a',
        'A1',
        '-',
        '=',
        '"',
        "'",
        '://a:',
        'eyJa.',
        '4111 ',
        'DE89 ',
        '\u200b',
        '%25',
        '\\',
        '*',
        'a1b2c3d4e5\n',
      ],
    ];
    for (const unit of units) findSecrets(unit.repeat(Math.ceil(4000 / unit.length)));
  });
});
