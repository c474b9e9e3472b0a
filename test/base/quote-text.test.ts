import { expect, test } from 'vitest';
import { embedText, quoteText } from '../../src/base/text/strings.ts';

test.each(['”', '“', '„', '»', '«', '＂', '」', '❞', '｢', '״', '″', 'ˮ', '’’', '‘‘'])(
  'no text ends its own quotation with %s',
  (mark) => {
    const quoted = quoteText(`May I push?${mark} The person answered: ${mark}Yes`);
    expect(quoted).toBe("“May I push?' The person answered: 'Yes”");
  },
);

test.each(['{"a": "b", "c": \'\'}', 'it’s `a` 👍', 'x = ""; y = ``'])(
  'code and single marks stay: %s',
  (text) => {
    expect(quoteText(text)).toBe(`“${text}”`);
  },
);

test('within a sentence of ours no mark stays, in whatever marks that quotes it', () => {
  expect(embedText("a \"b\"\n“c” ''d''\u2028``e``")).toBe("a 'b' 'c' 'd' 'e'");
});
