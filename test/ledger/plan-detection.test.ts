import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasPlan } from '../../src/ledger/plan-detection.ts';

describe('plans', () => {
  test.each([
    ['a numbered list', 'I will:\n\n1. Read the code\n2. Fix it\n3. Test it'],
    ['with brackets', '1) Read\n2) Fix\n3) Test'],
    ['bold numbers', '**1.** Read\n**2.** Fix\n**3.** Test'],
    ['details between the steps', '1. Read\n   - all of it\n2. Fix\n\n   carefully\n3. Test'],
    ['Step N', 'Step 1: read\nStep 2: fix\nStep 3: test'],
    ['Step N as headings', '## Step 1\nread\n## Step 2\nfix\n## Step 3\ntest'],
    ['a task list', '- [ ] read\n- [ ] fix\n- [ ] test'],
    ['a task list with done ones in either case', '- [x] read\n* [X] fix\n+ [ ] test'],
    ['a numbered task list', '1. [x] read\n2. [ ] fix\n3. [ ] test'],
    ['what was done and what is left', '1. Added a flag\n2. Read it\n3. Test it\n4. Document it'],
    ['CRLF', '1. Read\r\n2. Fix\r\n3. Test\r\n'],
  ])('%s', (_, text) => expect(hasPlan(text)).toBe(true));
});

describe('no plans', () => {
  test.each([
    ['nothing', ''],
    ['two items', '1. Read\n2. Fix'],
    ['bullets', '- a\n- b\n- c\n- d'],
    ['fenced code', '```\n1. a\n2. b\n3. c\n```'],
    ['fenced with tildes', '~~~md\n- [ ] a\n- [ ] b\n- [ ] c\n~~~'],
    ['indented code', 'Output:\n\n    1. a\n    2. b\n    3. c'],
    ['a quote', '> 1. a\n> 2. b\n> 3. c'],
    ['numbers that do not count up', '3. a\n7. b\n12. c'],
    ['versions', '1.2.3\n1.2.4\n1.2.5'],
    ['a fence that is never closed', '```\n1. a\n2. b\n3. c'],
  ])('%s', (_, text) => expect(hasPlan(text)).toBe(false));

  test('never throws, and reads long lines in linear time', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('1', '.', ' ', '[', 'x', ']', '-', '`', '\n', 'Step ') }),
        (text) => {
          expect(typeof hasPlan(text)).toBe('boolean');
        },
      ),
    );
    expect(hasPlan(`1. ${' '.repeat(200_000)}\n`.repeat(3))).toBe(false);
  });
});
