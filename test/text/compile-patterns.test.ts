import { expect, test } from 'vitest';
import { compilePatterns } from '../../src/text/compile-patterns.ts';

test('patterns match afterwards as they did before', () => {
  const patterns = [/a(b)?/g, /a/y, /^x.*$/su, /[a-z]{2}/gi];
  const found = (): unknown[] =>
    patterns.map((pattern) => [...'xab ab'.matchAll(new RegExp(pattern, 'g'))].map((m) => [...m]));
  const before = found();
  compilePatterns(...patterns);
  expect(patterns.map(({ lastIndex }) => lastIndex)).toEqual([0, 0, 0, 0]);
  expect(found()).toEqual(before);
});
