import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dueOf } from '../../../src/stages/tasks.ts';

describe('when a task is due', () => {
  test.each<[text: string, date: string, time: string | undefined, task: string]>([
    [
      'storage report (due 2026-02-09), numbers are there',
      '2026-02-09',
      undefined,
      'storage report, numbers are there',
    ],
    ['(due: 2026-02-09) storage report', '2026-02-09', undefined, 'storage report'],
    ['send it by 2026-02-09 14:00', '2026-02-09', '14:00', 'send it'],
    ['send it due:2026-02-09T9:30', '2026-02-09', '09:30', 'send it'],
    ['send it before 2026-02-09.', '2026-02-09', undefined, 'send it.'],
    ['Deadline on 2026-02-09 - send it', '2026-02-09', undefined, 'send it'],
    ['send it 📅 2026-02-09 #work', '2026-02-09', undefined, 'send it #work'],
    ['send it 📅️ 2026-02-09', '2026-02-09', undefined, 'send it'],
    ['send it [due:: 2026-02-09]', '2026-02-09', undefined, 'send it'],
    ['send it @due(2026-02-09 16:15)', '2026-02-09', '16:15', 'send it'],
    ['send it @{2026-02-09}', '2026-02-09', undefined, 'send it'],
    ['send it DEADLINE: <2026-02-09 Mon>', '2026-02-09', undefined, 'send it'],
  ])('%s', (text, date, time, task) => {
    expect(dueOf(text)).toEqual({
      date,
      task,
      ...(time === undefined ? {} : { time }),
    });
  });

  test.each([
    'send it',
    'released 2026-02-09',
    'due 2026-02-31',
    'due 2026-13-01',
    'by 9 Feb',
    'stand by me',
    'wait until sunset',
    'overdue 2026-02-09x',
  ])('no date: %s', (text) => {
    expect(dueOf(text)).toBeUndefined();
  });

  test('whatever a line says, the result is a valid date', () => {
    const word = fc.constantFrom(
      'due',
      'by',
      'until',
      '(',
      ')',
      '[',
      '::',
      ':',
      '2026-02-09',
      '2026-99-99',
      '31 Feb',
      'Feb 30',
      '25:61',
      'T9:00',
      '📅',
      '@due',
      'x',
      '<',
      '>',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 9 }), (words) => {
        const due = dueOf(words.join(' '));
        if (due) expect(new Date(Date.parse(due.date)).toISOString().slice(0, 10)).toBe(due.date);
      }),
    );
  });
});
