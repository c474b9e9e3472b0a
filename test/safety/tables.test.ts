import { describe, expect, it } from 'vitest';
import { prefixRules, SHORTEST_PREFIXED } from '../../src/safety/prefixes.ts';
import { findSecrets } from '../../src/safety/redact.ts';
import { SHAPES } from '../../src/safety/shapes.ts';
import { WORDS } from '../../src/safety/words.ts';

/** A pattern without its escapes and character classes: what is left are groups and quantifiers. */
function skeleton(source: string): string {
  return source
    .replace(/\\./g, 'x')
    .replace(/\[(?:[^\]]|\\\])*\]/g, 'x')
    .replace(/\(\?(?::|=|!|<=|<!)/g, '(');
}

/** The shortest text that a pattern matches, with an `x` for every character that is no blank. */
function shortestOf(source: string): string {
  let text = source
    .replace(/\(\?!.*?\)/g, '')
    .replace(/\\[nrst]/g, ' ')
    .replace(/\[[^\]]*\]|\\./g, (one) => (/^\[.*\s.*\]$/.test(one) ? ' ' : 'x'));
  const times = (part: string, least: string | undefined): string =>
    least === '?' ? '' : part.repeat(Number(/\d+/.exec(least ?? '1')?.[0]));
  const plain = (part: string): string =>
    part.replace(/(.)(\{\d+(?:,\d+)?\}|\?)/g, (_, char: string, least: string) => times(char, least));
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/\(\?:([^()]*)\)(\{\d+(?:,\d+)?\}|\?)?/, (_, group: string, least?: string) => {
      const ways = group.split('|').map(plain);
      return times(
        ways.reduce((a, b) => (b.length < a.length ? b : a)),
        least,
      );
    });
  }
  return plain(text);
}

describe('the tables', () => {
  const patterns = [
    ...prefixRules().map(([kind, prefix, rest]) => [`${kind} ${prefix}`, rest] as const),
    ...SHAPES.map(([kind, , pattern]) => [kind, pattern] as const),
  ];

  // A pattern that takes a bounded number of steps from any one position is linear over a text.
  it.each(patterns)('%s has no unbounded quantifier', (_, source) => {
    expect(skeleton(source)).not.toMatch(/[*+]|\{\d+,\}/);
    expect(() => new RegExp(source, 'u')).not.toThrow(/Invalid group|Unterminated/);
  });

  it.each(prefixRules())('%s %s is as long as what is looked at', (_, prefix, rest) => {
    expect((prefix + shortestOf(rest)).slice(0, SHORTEST_PREFIXED)).toMatch(/^\S*$/);
    expect((prefix + shortestOf(rest)).length).toBeGreaterThanOrEqual(SHORTEST_PREFIXED);
  });

  it('search shapes in lower case only', () => {
    for (const [, hints, pattern] of SHAPES) {
      expect(hints).toBe(hints.toLowerCase());
      expect(pattern.replace(/\\[A-Z]/g, '')).not.toMatch(/[A-Z]/);
    }
  });

  it('give a word one meaning, however it is spelt', () => {
    const kinds = new Map<string, string>();
    for (const [group, kind, list] of WORDS) {
      for (const word of list) {
        const letters = word.replace(/^[<_]/, '').replace(/[ .]/g, '');
        expect(kinds.get(letters) ?? `${group} ${kind}`, word).toBe(`${group} ${kind}`);
        kinds.set(letters, `${group} ${kind}`);
      }
    }
  });

  it('get through a long run of every prefix, hint and word', () => {
    const units = [
      ...prefixRules().map(([, prefix]) => prefix),
      ...SHAPES.flatMap(([, hints]) => hints.split('|')),
      ...WORDS.flatMap(([, , list]) => list.map((word) => `${word.replace(/^[<_]/, '')}=`)),
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
    for (const unit of units) findSecrets(unit.repeat(Math.ceil(600 / unit.length)));
  });
});
