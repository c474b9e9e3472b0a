import { describe, expect, test } from 'vitest';
import { alphabetOf, isLetter } from '../../src/text/alphabet.ts';

describe('the common alphabet', () => {
  test('tells of every character that is in it what the whole one tells', () => {
    const whole = alphabetOf('語');
    const common = alphabetOf('a');
    const parts = (['letter', 'mark', 'picture'] as const).map((part) => [
      part,
      new RegExp(`[${common[part]}]`, 'u'),
      new RegExp(`[${whole[part]}]`, 'u'),
    ]) as [string, RegExp, RegExp][];
    const wrong: string[] = [];
    let count = 0;
    for (let point = 0; point <= 0x10ffff; point++) {
      const character = String.fromCodePoint(point);
      if (isLetter(character) !== /\p{L}/u.test(character)) wrong.push(`letter ${point.toString(16)}`);
      if (alphabetOf(character) !== common) continue;
      count++;
      for (const [part, ours, theirs] of parts)
        if (ours.test(character) !== theirs.test(character)) wrong.push(`${part} ${point.toString(16)}`);
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(500);
  });

  test.each(['plain words', 'naïve café – “yes”, 5 € … →', 'done ✅ thanks 🎉 ❤️ 👍'])(
    'is enough for: %s',
    (text) => {
      expect(alphabetOf(text)).toBe(alphabetOf('a'));
    },
  );

  test.each(['привет', '東京', 'e\u0301', 'Ł', '\ud83c'])('is not for: %s', (text) => {
    expect(alphabetOf(text)).not.toBe(alphabetOf('a'));
  });
});
