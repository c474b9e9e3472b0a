import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ScratchpadError } from '../../src/base/errors.ts';
import { countCharacters, truncate } from '../../src/base/text/strings.ts';
import { DEFAULT_LIMITS, describeUsage, measureUsage, parseRefs, renderRefs } from '../../src/pad/budget.ts';
import {
  addStep,
  markCurrent,
  markDone,
  markOpen,
  moveStep,
  removeSteps,
  rewordStep,
} from '../../src/pad/plan.ts';
import { addRefs, removeRefs, setRefs } from '../../src/pad/refs.ts';
import {
  joinText,
  removeLines,
  replaceText,
  rewordLine,
  type SpaceText,
  setText,
} from '../../src/pad/spaces.ts';
import { findCurrentStep, parseSteps } from '../../src/pad/steps.ts';
import { runs } from '../helpers/runs.ts';

const limits = { notes: 20, plan: 20, refs: 3 };
const notes = (content: string, of = limits): SpaceText => ({ space: 'notes', content, limits: of });
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
      { numRuns: runs(100) },
    );
  });

  test('a first character longer than the limit is cut, so that something is left', () => {
    expect(truncate(`z${'\u0301'.repeat(100)}`, 5)).toBe(`z${'\u0301'.repeat(4)}`);
  });

  test('set cuts, and says from which length to which', () => {
    expect(setText('notes', 'x'.repeat(30), limits)).toEqual({
      content: 'x'.repeat(20),
      warnings: ['notes truncated to 20 characters (original: 30). Consider summarizing.'],
      message: 'set: 1 line',
    });
    expect(setText('notes', '😀'.repeat(20), limits).warnings).toEqual([]);
  });
});

describe('append and prepend', () => {
  test('put the text on a line of its own', () => {
    expect(joinText(notes(''), 'a', 'append').content).toBe('a');
    expect(joinText(notes('a'), 'b\r\nc', 'append').content).toBe('a\nb\nc');
    expect(joinText(notes('a'), 'b\u2028c\u2029d\u0085e', 'append').content).toBe('a\nb\nc\nd\ne');
    expect(joinText(notes('a\n'), 'b', 'append').content).toBe('a\nb');
    expect(joinText(notes('a'), 'b', 'prepend').content).toBe('b\na');
  });

  test('are refused when the sum is over the limit, with the figures', () => {
    const { kind, detail } = failure(() => joinText(notes('x'.repeat(15)), 'y'.repeat(5), 'append'));
    expect(kind).toBe('refused');
    expect(detail.found).toContain('current 15, append 5, together notes: 21 of 20');
  });
});

describe('replace and delete', () => {
  test('take exactly one match, or all', () => {
    expect(replaceText(notes('a b c'), 'b', 'x', false).content).toBe('a x c');
    expect(replaceText(notes('a b b'), 'b', '', true).content).toBe('a  ');
    expect(replaceText(notes('a $& b'), '$&', '$1', false).content).toBe('a $1 b');
    expect(failure(() => replaceText(notes('a b b'), 'b', 'x', false)).message).toContain('2 matches');
    expect(failure(() => replaceText(notes('a'), 'b', 'x', false)).message).toContain('0 matches');
    expect(failure(() => replaceText(notes('a'), '', 'x', false)).kind).toBe('usage');
  });

  test('shrinking is allowed even while the space is over its limit', () => {
    expect(replaceText(notes('x'.repeat(40)), 'x'.repeat(40), 'y'.repeat(30), false).content).toHaveLength(
      30,
    );
  });
});

describe('refs', () => {
  test('any items that were set come back', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 20 })), (items) => {
        const { content } = setRefs(['a', ...items], DEFAULT_LIMITS);
        const kept = parseRefs(content);
        expect(renderRefs(kept)).toBe(content);
        for (const ref of kept)
          expect(removeRefs(content, [ref]).content.split('\n')).toHaveLength(Math.max(1, kept.length - 1));
      }),
    );
  });

  test('add drops the oldest, moves a known ref to the end, and refuses what is empty or too long', () => {
    expect(addRefs('- a\n- b\n- c', ['d'], limits)).toEqual({
      content: '- b\n- c\n- d',
      warnings: ['refs is full: dropped the oldest, a'],
      message: 'added: d',
    });
    expect(addRefs('- a', ['b', 'c', 'd', 'e'], limits)).toEqual({
      content: '- c\n- d\n- e',
      warnings: ['refs is full: dropped the oldest, a', 'refs is full: left out b'],
      message: 'added: c\nadded: d\nadded: e',
    });
    expect(addRefs('- a\n- b\n- c', ['a'], limits)).toMatchObject({
      content: '- b\n- c\n- a',
      message: 'moved to the newest: a',
    });
    expect(failure(() => addRefs('', [' \n '], limits)).kind).toBe('usage');
    expect(failure(() => addRefs('', ['x'.repeat(1001)], limits)).kind).toBe('refused');
    expect(addRefs('', ['two\n  lines'], limits).content).toBe('- two\n- lines');
  });

  test('remove takes an exact match or a number; set keeps the first and says what it left out', () => {
    expect(failure(() => removeRefs('- a', ['A'])).kind).toBe('refused');
    expect(removeRefs('- a\n- b', ['1']).content).toBe('- b');
    expect(removeRefs('- 2\n- b', ['2']).content).toBe('- b');
    const set = setRefs(['a', 1, null, 'b', 'a', 'c', 'd'], limits);
    expect(set.content).toBe('- a\n- b\n- c');
    expect(set.warnings).toEqual(['3 left out: empty, too long, not a string, or over the limit of 3']);
    expect(failure(() => setRefs([], limits)).kind).toBe('refused');
  });

  test('a set without one usable item is refused', () => {
    for (const items of [[''], [' ', '\n'], ['x'.repeat(1001)], [7, null]])
      expect(failure(() => setRefs(items, limits)).kind).toBe('refused');
  });

  test('lines of notes are edited and removed by their numbers', () => {
    const lots = { ...limits, notes: 100 };
    expect(rewordLine(notes('a\nb', lots), 2, 'c').content).toBe('a\nc');
    expect(removeLines(notes('a\nb\nc'), [1, 3]).content).toBe('b');
    expect(failure(() => removeLines(notes('a'), [2])).detail.expected).toBe('a number from 1 to 1');
    expect(failure(() => removeLines(notes(''), [1])).message).toContain('notes is empty');
  });

  test('lines that a person typed without bullets count', () => {
    expect(parseRefs('* a\n+ b\n\nc\n  - d')).toEqual(['a', 'b', 'c', 'd']);
    expect(describeUsage(measureUsage('refs', '- a\n- b', limits))).toBe('refs: 2 of 3 items');
  });
});

describe('plan', () => {
  const plan = '1. first\n   - detail\n2. second <-- current\n3. third';

  test('done strikes through, and the marker moves to the next open step', () => {
    expect(markDone(plan, [2]).content).toBe(
      '1. first\n   - detail\n2. ~~second~~ DONE\n3. third <-- current',
    );
    expect(markDone(markDone(plan, [2]).content, [2]).content).toBe(markDone(plan, [2]).content);
    expect(markDone('- [ ] a\n- [ ] b', [2]).content).toBe('- [ ] a\n- [x] ~~b~~ DONE');
    expect(failure(() => markDone(plan, [9])).detail.expected).toBe('one of 1, 2, 3');
    expect(failure(() => markDone('', [1])).kind).toBe('refused');
  });

  test('done says what comes next; without a number it means the current step', () => {
    expect(markDone('1. Fix auth bug\n2. Add test', []).message).toBe(
      '1. ~~Fix auth bug~~ DONE - next: 2. Add test',
    );
    expect(markDone('1. ~~a~~ DONE\n2. b\n3. c <-- current', []).message).toBe('3. ~~c~~ DONE - next: 2. b');
    expect(markDone('- a\n- b', [1, 2]).message).toBe('1. ~~a~~ DONE\n2. ~~b~~ DONE - all 2 steps are done');
    expect(failure(() => markDone('1. ~~a~~ DONE', [])).message).toContain('no open step');
  });

  test('a person who ticks the current step in the file makes the next open one current', () => {
    const plan = '- [x] a <-- current\n- [ ] b\n- [ ] c';
    expect(findCurrentStep(parseSteps(plan))?.text).toBe('b');
    expect(markDone(plan, []).message).toBe('2. ~~b~~ DONE - next: 3. c');
    expect(findCurrentStep(parseSteps('- [x] a <-- current'))).toBeUndefined();
  });

  test('a step added to a list that has one number everywhere has it, too', () => {
    const { content, message } = addStep('1. a\n1. b', 'c');
    expect([content, message]).toEqual(['1. a\n1. b\n1. c', 'added: 3. c']);
    expect(markDone(content, [2]).message).toContain('2. ~~b~~ DONE');
    expect(addStep('１．a\n１．b', 'c').content).toBe('１．a\n１．b\n１．c');
    expect(addStep('1. a', 'b').content).toBe('1. a\n2. b');
    expect(addStep('3. a', 'b').content).toBe('3. a\n4. b');
  });

  test('undone removes the mark, and keeps checkbox and marker', () => {
    expect(markOpen('1. ~~a~~ DONE (see #3)\n2. b <-- current', [1]).content).toBe('1. a\n2. b <-- current');
    expect(markOpen('- [x] ~~a~~ DONE\n- [X] b', [1, 2]).content).toBe('- [ ] a\n- [ ] b');
    expect(markOpen('1. a <-- current', [1]).content).toBe('1. a <-- current');
  });

  test('edit changes only the words', () => {
    expect(rewordStep('1. [x] ~~a~~ DONE <-- current\n2. b', 1, 'c').content).toBe(
      '1. [x] ~~c~~ DONE <-- current\n2. b',
    );
    expect(rewordStep(plan, 1, 'other\nwords').content).toBe(
      '1. other words\n   - detail\n2. second <-- current\n3. third',
    );
  });

  test('remove also removes what belongs to the step, and renumbers the others', () => {
    expect(removeSteps(plan, [1]).content).toBe('1. second <-- current\n2. third');
    expect(removeSteps(plan, [2]).content).toBe('1. first\n   - detail\n2. third <-- current');
    expect(removeSteps('Goal\n\n5. a\n6. b\n\nAfterwards: rest', [5]).content).toBe(
      'Goal\n\n5. b\n\nAfterwards: rest',
    );
    expect(removeSteps('1. a\n1. b\n1. c', [2]).content).toBe('1. a\n1. c');
    expect(removeSteps(plan, [1, 2, 3]).content).toBe('');
  });

  test('move takes a step to the place of another', () => {
    expect(moveStep(plan, 3, 1).content).toBe('1. third\n2. first\n   - detail\n3. second <-- current');
    expect(moveStep('- a\n- b\n- c', 1, 3).content).toBe('- b\n- c\n- a');
    expect(failure(() => moveStep(plan, 1, 4)).detail.expected).toBe('one of 1, 2, 3');
  });

  test('moving a step there and back gives the plan again, whatever the steps are', () => {
    const step = fc
      .tuple(fc.string({ unit: 'binary', maxLength: 12 }), fc.boolean())
      .map(([text, nested]) => `${text.replace(/[\r\n]/g, '')} x${nested ? '\n   - below' : ''}`);
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 6 }), fc.nat(), fc.nat(), (texts, a, b) => {
        const list = texts.map((text, k) => `${k + 1}. ${text}`).join('\n');
        const [from, to] = [(a % texts.length) + 1, (b % texts.length) + 1];
        fc.pre(parseSteps(list).length === texts.length);
        expect(moveStep(moveStep(list, from, to).content, to, from).content).toBe(list);
      }),
    );
  });

  test('current moves the one marker', () => {
    expect(markCurrent(plan, 3).content).toBe('1. first\n   - detail\n2. second\n3. third <-- current');
    expect(() => markCurrent('1. ~~a~~ DONE\n2. b', 1)).toThrow('step 1 is done');
  });

  test('a current marker that a formatter has escaped is the current marker', () => {
    const plan = '1. a\n2. b \\<-- current\n3. c';
    expect(parseSteps(plan)[1]).toMatchObject({ text: 'b', current: true });
    expect(markDone(plan, []).content).toBe('1. a\n2. ~~b~~ DONE\n3. c <-- current');
  });

  test('indented lines that are added stay below their step', () => {
    expect(addStep('1. a', 'b\n  - x\nc').content).toBe('1. a\n2. b\n  - x\n3. c');
  });

  test('add continues the style of the list', () => {
    expect(addStep('', 'a').content).toBe('1. a');
    expect(addStep('1. a\n2. b\n- of b\n3. c', 'd')).toMatchObject({
      content: '1. a\n2. b\n- of b\n3. c\n5. d',
      message: 'added: 5. d',
    });
    expect(addStep('1) a\n7) b', 'c\nd').content).toBe('1) a\n7) b\n8) c\n9) d');
    expect(addStep('* [x] a', 'b').content).toBe('* [x] a\n* [ ] b');
    expect(addStep('words', 'b').content).toBe('words\nb');
    expect(addStep('## Work', 'b').content).toBe('## Work\n1. b');
    expect(failure(() => addStep('', ' \n ')).kind).toBe('usage');
  });

  test('what was added is the last step, whatever it is; any text is read without fail', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ minLength: 1 }), (text, step) => {
        fc.pre(step.trim() !== '');
        const before = parseSteps(text).length;
        expect(parseSteps(addStep(text, step).content).length).toBeGreaterThan(before === 0 ? 0 : before - 1);
      }),
    );
  });

  test('a hundred thousand blanks or steps take hardly any time', () => {
    const blanks = ' '.repeat(100_000);
    expect(parseSteps(`1.${blanks}x\u2028y`)).toHaveLength(1);
    expect(markCurrent(`1. a${blanks}b`, 1).content).toHaveLength(100_017);
    expect(addRefs('', [`a${blanks.slice(0, 900)}b`], limits).content).toHaveLength(904);
    expect(addStep('', `a${blanks}b`).content).toHaveLength(100_005);
    expect(parseSteps('- a\n'.repeat(200_000))).toHaveLength(200_000);
  });
});

describe('a plan in which a person has typed the same number twice', () => {
  const plan = '1. a\n2. b\n2. typed\n3. c';

  test('of several steps with the same word the only open one is done, and the only done one reopened', () => {
    const plan = '1. ~~Write parser~~ DONE\n2. Test parser\n3. Ship';
    const { content } = markDone(plan, ['parser']);
    expect(content).toContain('2. ~~Test parser~~ DONE');
    expect(() => markOpen(content, ['parser'])).toThrow('2 steps of the plan hold "parser"');
    expect(markOpen(plan, ['parser']).content).toMatch(/^1\. Write parser\n/);
    expect(() => markDone('1. Write parser\n2. Test parser', ['parser'])).toThrow('2 steps of the plan hold');
  });

  test('a name of many blanks or marks is refused in little time', () => {
    for (const [mark, times] of [
      [' ', 100_000],
      ['#', 100_000],
      [' \u00a0\n', 40_000],
    ] as const) {
      const start = performance.now();
      expect(() => markDone(plan, [`1${mark.repeat(times)}x`])).toThrow('the plan has no step');
      expect(performance.now() - start).toBeLessThan(2000);
    }
  });

  test('a number that may be two steps changes nothing, and their words are named', () => {
    expect(() => markDone(plan, [3])).toThrow('"3" is ambiguous: two steps have that number');
    expect(() => markDone(plan, [2])).toThrow('"2" is ambiguous: two steps have that number');
    expect(markDone(plan, [1]).content).toContain('1. ~~a~~ DONE');
    expect(markDone(plan, ['typed']).content).toContain('2. ~~typed~~ DONE');
  });

  test('the numbers of a list that Markdown numbers are positions', () => {
    expect(markDone('1. a\n1. b\n1. c', [2]).content).toBe('1. a\n1. ~~b~~ DONE\n1. c');
  });
});
