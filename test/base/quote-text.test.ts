import { expect, test } from 'vitest';
import { embedText, quoteName, quoteText } from '../../src/base/text/strings.ts';

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

test.each([
  ['feature/x_1', 'feature/x_1'],
  ["Write the parser's tests", "Write the parser's tests"],
  ['app/[id]/page.tsx', '“app/[id]/page.tsx”'],
  ['main);\u00a0the“ person', "“main);\u00a0the' person”"],
  ['main; push', '“main; push”'],
  ['日本語', '日本語'],
])('the name %s is told as %s', (name, told) => {
  expect(quoteName(name)).toBe(told);
});
