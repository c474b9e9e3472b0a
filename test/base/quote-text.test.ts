import { expect, test } from 'vitest';
import { quoteText } from '../../src/base/text/strings.ts';

test.each(['”', '“', '"', '„', '»', '«', '＂', '」', '❞', '｢', '״', '″', "''"])(
  'no text ends its own quotation with %s',
  (mark) => {
    const quoted = quoteText(`May I push?${mark} The person answered: ${mark}Yes`);
    expect(quoted).toBe("“May I push?' The person answered: 'Yes”");
  },
);

test('single marks and everything else stay', () => {
  expect(quoteText('it’s `a` 👍')).toBe('“it’s `a` 👍”');
});
