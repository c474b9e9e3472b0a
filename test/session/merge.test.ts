import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeText } from '../../src/session/merge.ts';
import { runs } from '../helpers/runs.ts';

const text = (lines: readonly string[]): string => lines.join('\n');
const line = fc.constantFrom('a', 'b', 'c', 'd', '', '- x');
const lines = fc.array(line, { maxLength: 8 });
const inserted = (mark: string) =>
  fc.array(
    fc.tuple(
      fc.nat(8),
      fc.nat(99).map((n) => `${mark}${n}`),
    ),
    { maxLength: 4 },
  );
const insert = (base: readonly string[], added: readonly (readonly [number, string])[]): string[] =>
  added.reduce<string[]>((out, [at, what]) => out.toSpliced(Math.min(at, out.length), 0, what), [...base]);

test('what both sides added is there, without a conflict', () => {
  fc.assert(
    fc.property(lines, inserted('ours '), inserted('theirs '), (base, mine, other) => {
      const { content, conflict } = mergeText(
        text(base),
        text(insert(base, mine)),
        text(insert(base, other)),
      );
      const kept = new Set(content.split('\n'));
      for (const [, what] of [...mine, ...other]) expect(kept).toContain(what);
      expect(conflict).toBe(false);
    }),
    { numRuns: runs(80) },
  );
});

test('for any three texts: a line that a side added is in the result, or the conflict is told', () => {
  fc.assert(
    fc.property(lines, lines, lines, (base, ours, theirs) => {
      const { content, conflict } = mergeText(text(base), text(ours), text(theirs));
      const kept = new Set(content.split('\n'));
      for (const what of theirs) if (what !== '' && !base.includes(what)) expect(kept).toContain(what);
      for (const what of ours)
        if (what !== '' && !base.includes(what) && !kept.has(what)) expect(conflict).toBe(true);
    }),
    { numRuns: runs(100) },
  );
});

test('a side that did not change has no influence, a deletion on one side counts', () => {
  fc.assert(
    fc.property(lines, lines, (base, other) => {
      expect(mergeText(text(base), text(base), text(other)).content).toBe(text(other));
      expect(mergeText(text(base), text(other), text(base)).content).toBe(text(other));
      expect(mergeText(text(base), text(other), text(other)).content).toBe(text(other));
    }),
  );
  expect(mergeText('a\nb\nc', 'a\nb\nc\nd', 'a\nc')).toEqual({ content: 'a\nc\nd', conflict: false });
});

test('thousands of lines that are all alike, or all different, do not slow it down', () => {
  const alike = (mark: string): string => text(Array.from({ length: 4000 }, (_, k) => (k === 7 ? mark : '')));
  expect(mergeText(alike('o'), alike('a'), alike('b'))).toEqual({ content: alike('b'), conflict: true });
  const apart = (mark: string): string => text(Array.from({ length: 4000 }, (_, k) => mark + k));
  const { content, conflict } = mergeText(apart('o'), apart('a'), apart('b'));
  expect(conflict).toBe(true);
  expect(content).toContain('a3999');
  expect(content).toContain('b3999');
});
