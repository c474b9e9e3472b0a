import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitizeForTerminal } from '../../../src/base/safety/index.ts';
import { hostileText } from './hostile.ts';

describe('forTerminal', () => {
  it.each([
    ['plain\ttext\nstays', 'plain\ttext\nstays'],
    ['naïve 日本 👩‍👧', 'naïve 日本 👩‍👧'],
    ['\u001b[2J\u001b[Hgone', 'gone'],
    ['\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b]52;c;cm0gLXJm\u0007clip', 'clip'],
    ['\u001bPq#0\u001b\\sixel', 'sixel'],
    ['safe\rEVIL', 'safeEVIL'],
    ['a\r\nb', 'a\nb'],
    ['if (a \u202e}\u2066 x', 'if (a } x'],
    ['never closed \u001b]0;title', 'never closed 0;title'],
  ])('%j', (text, expected) => {
    expect(sanitizeForTerminal(text)).toBe(expected);
  });

  it('leaves no control character but line feed and tab', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        expect(sanitizeForTerminal(text)).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
        );
        expect(sanitizeForTerminal(sanitizeForTerminal(text))).toBe(sanitizeForTerminal(text));
      }),
    );
  });
});
