import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extractProse, isPasted, READ_HEAD, READ_TAIL } from '../../../src/transcript/pasted-text.ts';

const kept = (text: string): string => extractProse(text).replace(/\s+/g, ' ').trim();

describe('extractProse', () => {
  test.each([
    ['fenced code', 'look at this\n```\nthrow new Error("terrible");\n```\nthanks', 'look at this thanks'],
    ['an open fence', 'look\n~~~\nfatal: awful', 'look'],
    ['inline code', 'why is `killAll()` here', 'why is here'],
    ['a quoted line', '> this is the worst idea ever\nI agree', 'I agree'],
    ['a web address', 'see https://example.com/awful/terrible?x=1 please', 'see please'],
    ['a path', 'open src/kill/dead.ts and ~/bad/hate.log', 'open and'],
    ['a mail address', 'ask angry@example.com about it', 'ask about it'],
    [
      'log lines',
      'result:\n2026-02-03 10:00:00 ERROR terrible failure\n2026-02-03 10:00:01 FATAL dead',
      'result:',
    ],
    [
      'a Python trace',
      'see\nTraceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: bad',
      'see',
    ],
    ['a Java trace', 'see\njava.lang.Error: bad\n\tat a.B.c(B.java:1)\nCaused by: x.Y: worse', 'see'],
    [
      "a browser's console",
      'see\nspinner.js:183 POST http://127.0.0.1/upload net::ERR_FAILED 200 (OK)\nonclick\t@\t(index):69\n(anonymous) @ spinner.js:236\nPromise.catch',
      'see',
    ],
    ['a diff', 'apply\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-awful\n+terrible', 'apply'],
    ['what a program said', 'it says "fatal: you broke everything" again', 'it says again'],
    ['markup', 'hello <b class="awful">there</b>', 'hello there'],
  ])('takes out %s', (_, text, expected) => {
    expect(kept(text)).toBe(expected);
  });

  test.each([
    'This is a terrible mess!',
    'no :( why?',
    '- first do this\n- then do that',
    'I <3 this',
    'Note: I would rather wait',
    'why do you ignore me?\nI told you twice.',
  ])('leaves what a person says: %s', (text) => {
    expect(kept(text)).toBe(text.replace(/\n/g, ' '));
  });

  test.each(['it is still broken, please look again', 'Why?! I told you...', "don't use 3 of them"])(
    'a person speaks: %s',
    (line) => expect(isPasted(line)).toBe(false),
  );

  test('reads the beginning and the end of a long message', () => {
    const text = `first words ${'x '.repeat(400_000)} last words`;
    const prose = extractProse(text);
    expect(prose.length).toBeLessThanOrEqual(READ_HEAD + READ_TAIL + 1);
    expect(prose).toMatch(/^first words/);
    expect(prose).toMatch(/last words$/);
  });

  test('any text gives prose that is no longer than what was read', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc
        .array(
          fc.constantFrom(
            '```',
            '> ',
            'at x(y:1)',
            '\n',
            '@@ -1',
            '<a',
            '"',
            '`',
            '\\',
            '/',
            'a/',
            '=',
            ' ',
            'ERROR ',
          ),
          { maxLength: 200 },
        )
        .map((p) => p.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const prose = extractProse(text);
        expect(prose.length).toBeLessThanOrEqual(text.length + 1);
      }),
    );
  });
});
