import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ScratchpadError } from '../../src/errors.ts';
import { DEFAULT_LIMITS, describeUsage, refsContent, refsOf, usageOf } from '../../src/pad/budget.ts';
import { addStep, markCurrent, markDone, stepsOf } from '../../src/pad/plan.ts';
import { addRef, joinText, removeRef, replaceText, setRefs, setText } from '../../src/pad/spaces.ts';
import { countCharacters, truncate } from '../../src/pad/text.ts';

const limits = { notes: 20, plan: 20, refs: 3 };
const failure = (run: () => unknown): ScratchpadError => {
  try {
    run();
  } catch (error) {
    if (error instanceof ScratchpadError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('truncation', () => {
  test('keeps within the limit, cuts no grapheme, and is a prefix', () => {
    const piece = fc.constantFrom('a', 'é', 'e\u0301', '😀', '👩‍👩‍👧', '🏳️‍🌈', '한', '\r\n', '\udc80');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 1, max: 40 }), (pieces, limit) => {
        const text = pieces.join('');
        const cut = truncate(text, limit);
        expect(text.startsWith(cut)).toBe(true);
        expect(countCharacters(cut)).toBeLessThanOrEqual(limit);
        if (cut !== text && cut !== '') {
          const boundaries = [
            ...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text),
          ].map(({ index }) => index);
          if (countCharacters(text.slice(0, boundaries[1] ?? text.length)) <= limit)
            expect(boundaries).toContain(cut.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('a first character that is longer than the limit is cut rather than nothing left', () => {
    expect(truncate(`z${'\u0301'.repeat(100)}`, 5)).toBe(`z${'\u0301'.repeat(4)}`);
  });

  test('set cuts and says from what to what', () => {
    expect(setText('notes', 'x'.repeat(30), limits)).toEqual({
      content: 'x'.repeat(20),
      warnings: ['notes truncated to 20 characters (original: 30). Consider summarizing.'],
    });
    expect(setText('notes', '😀'.repeat(20), limits).warnings).toEqual([]);
  });
});

describe('append and prepend', () => {
  test('put the text on a line of its own', () => {
    expect(joinText('notes', '', 'a', 'append', limits).content).toBe('a');
    expect(joinText('notes', 'a', 'b\r\nc', 'append', limits).content).toBe('a\nb\nc');
    expect(joinText('notes', 'a\n', 'b', 'append', limits).content).toBe('a\nb');
    expect(joinText('notes', 'a', 'b', 'prepend', limits).content).toBe('b\na');
  });

  test('are refused when the sum is over the limit, with the figures', () => {
    const { kind, detail } = failure(() =>
      joinText('notes', 'x'.repeat(15), 'y'.repeat(5), 'append', limits),
    );
    expect(kind).toBe('refused');
    expect(detail.found).toContain('current 15, append 5, together notes: 21 of 20');
  });
});

describe('replace and delete', () => {
  test('take exactly one match, or all', () => {
    expect(replaceText('notes', 'a b c', 'b', 'x', false, limits).content).toBe('a x c');
    expect(replaceText('notes', 'a b b', 'b', '', true, limits).content).toBe('a  ');
    expect(replaceText('notes', 'a $& b', '$&', '$1', false, limits).content).toBe('a $1 b');
    expect(failure(() => replaceText('notes', 'a b b', 'b', 'x', false, limits)).message).toContain(
      '2 matches',
    );
    expect(failure(() => replaceText('notes', 'a', 'b', 'x', false, limits)).message).toContain('0 matches');
    expect(failure(() => replaceText('notes', 'a', '', 'x', false, limits)).kind).toBe('usage');
  });

  test('shrinking is allowed even while the space is over its limit', () => {
    expect(
      replaceText('notes', 'x'.repeat(40), 'x'.repeat(40), 'y'.repeat(30), false, limits).content,
    ).toHaveLength(30);
  });
});

describe('refs', () => {
  test('any items that were set come back', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 20 })), (items) => {
        const { content } = setRefs(items, DEFAULT_LIMITS);
        const kept = refsOf(content);
        expect(refsContent(kept)).toBe(content);
        for (const ref of kept)
          expect(removeRef(content, ref).content.split('\n')).toHaveLength(Math.max(1, kept.length - 1));
      }),
    );
  });

  test('add drops the oldest, moves what is there to newest, refuses what is too long or nothing', () => {
    expect(addRef('- a\n- b\n- c', 'd', limits)).toEqual({
      content: '- b\n- c\n- d',
      warnings: ['refs is full: dropped the oldest, a'],
    });
    expect(addRef('- a\n- b\n- c', 'a', limits)).toEqual({ content: '- b\n- c\n- a', warnings: [] });
    expect(failure(() => addRef('', ' \n ', limits)).kind).toBe('usage');
    expect(failure(() => addRef('', 'x'.repeat(1001), limits)).kind).toBe('refused');
    expect(addRef('', 'two\n  lines', limits).content).toBe('- two lines');
  });

  test('remove takes an exact match only; set keeps the first and drops what is no string', () => {
    expect(failure(() => removeRef('- a', 'A')).kind).toBe('refused');
    expect(setRefs(['a', 1, null, 'b', 'a', 'c', 'd'], limits).content).toBe('- a\n- b\n- c');
  });

  test('lines that a person typed without bullets count', () => {
    expect(refsOf('* a\n+ b\n\nc\n  - d')).toEqual(['a', 'b', 'c', 'd']);
    expect(describeUsage(usageOf('refs', '- a\n- b', limits))).toBe('refs: 2 of 3 items');
  });
});

describe('plan', () => {
  const plan = '1. first\n   - detail\n2. second <-- current\n3. third';

  test('done strikes through, and the marker moves to the next open step', () => {
    expect(markDone(plan, 2)).toBe('1. first\n   - detail\n2. ~~second~~ DONE\n3. third <-- current');
    expect(markDone(markDone(plan, 2), 2)).toBe(markDone(plan, 2));
    expect(markDone('- [ ] a\n- [ ] b', 2)).toBe('- [ ] a\n- [x] ~~b~~ DONE');
    expect(failure(() => markDone(plan, 9)).detail.expected).toBe('one of 1, 2, 3');
    expect(failure(() => markDone('', 1)).kind).toBe('refused');
  });

  test('current moves the one marker', () => {
    expect(markCurrent(plan, 3)).toBe('1. first\n   - detail\n2. second\n3. third <-- current');
  });

  test('add goes on in the style of the list', () => {
    expect(addStep('', 'a')).toBe('1. a');
    expect(addStep('1) a\n7) b', 'c\nd')).toBe('1) a\n7) b\n8) c d');
    expect(addStep('* [x] a', 'b')).toBe('* [x] a\n* [ ] b');
    expect(addStep('words', 'b')).toBe('words\n1. b');
    expect(failure(() => addStep('', ' \n ')).kind).toBe('usage');
  });

  test('what was added is the last step, whatever it is; any text is read without fail', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ minLength: 1 }), (text, step) => {
        fc.pre(step.trim() !== '');
        const before = stepsOf(text).length;
        expect(stepsOf(addStep(text, step)).length).toBeGreaterThan(before === 0 ? 0 : before - 1);
      }),
    );
  });

  test('a hundred thousand blanks or steps take no time to speak of', () => {
    const blanks = ' '.repeat(100_000);
    expect(stepsOf(`1.${blanks}x\u2028y`)).toHaveLength(1);
    expect(markCurrent(`1. a${blanks}b`, 1)).toHaveLength(100_017);
    expect(addRef('', `a${blanks.slice(0, 900)}b`, limits).content).toHaveLength(904);
    expect(addStep('', `a${blanks}b`)).toHaveLength(100_005);
    expect(stepsOf('- a\n'.repeat(200_000))).toHaveLength(200_000);
  });
});
