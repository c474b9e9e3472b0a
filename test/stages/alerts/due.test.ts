import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayBeRelative, parseDue } from '../../../src/stages/due.ts';

const TODAY = '2026-02-06';

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
    ['send it (**Due:** 2026-02-09)', '2026-02-09', undefined, 'send it'],
    ['send it (**Due:** 9 Feb)', '2026-02-09', undefined, 'send it'],
    ['send it, due 2026/02/09', '2026-02-09', undefined, 'send it'],
    ['send it (2026/02/09)', '2026-02-09', undefined, 'send it'],
    ['send it by 9 February', '2026-02-09', undefined, 'send it'],
    ['send it by Mon, Feb 9th, 2026 at 9:30', '2026-02-09', '09:30', 'send it'],
    ['send it, due 2/28/2026', '2026-02-28', undefined, 'send it'],
    ['Brief bis 9.2.', '2026-02-09', undefined, 'Brief'],
    ['send it, due 9.2.', '2026-02-09', undefined, 'send it'],
    ['send it by 9.2.', '2026-02-09', undefined, 'send it'],
    ['Brief fällig: 09.02.2026 um 14:00 Uhr', '2026-02-09', '14:00', 'Brief'],
    ['Brief bis spätestens Montag, 9. Februar', '2026-02-09', undefined, 'Brief'],
    ['lettre à rendre avant le 9 février', '2026-02-09', undefined, 'lettre à rendre'],
    ["lettre d'ici le 1er mars", '2026-03-01', undefined, 'lettre'],
    ['carta, fecha límite: 9 de febrero de 2026', '2026-02-09', undefined, 'carta'],
    ['lettera entro il 9 febbraio alle 16:00', '2026-02-09', '16:00', 'lettera'],
    ['оплатить счёт до 9 февраля', '2026-02-09', undefined, 'оплатить счёт'],
    ['betala senast 9 februari', '2026-02-09', undefined, 'betala'],
    ['청구서 마감: 2월 9일', '2026-02-09', undefined, '청구서'],
    ['請求書を2月9日までに支払う', '2026-02-09', undefined, '請求書を までに支払う'],
    ['send it ⏰ 2026-02-09', '2026-02-09', undefined, 'send it'],
    ['carta até 09/02', '2026-02-09', undefined, 'carta'],
    ['`due: 2026-02-09` send it', '2026-02-09', undefined, 'send it'],
    ['**send it** — due **9 February**', '2026-02-09', undefined, '**send it**'],
    ['send it, due *2026-02-09*', '2026-02-09', undefined, 'send it'],
    ['send it due 9-Feb-2026', '2026-02-09', undefined, 'send it'],
    ['2026/02/09 due send it', '2026-02-09', undefined, 'send it'],
    ['Abgabe bis Montag', '2026-02-09', undefined, 'Abgabe'],
    ['send it {due: 2026-02-09}', '2026-02-09', undefined, 'send it'],
    ['send it "due 2026-02-09T14:00:00Z"', '2026-02-09', '14:00', 'send it'],
    ['send it, due date = 09/02/2026', '2026-09-02', undefined, 'send it'],
    ['send it due 20260209', '2026-02-09', undefined, 'send it'],
    ['送る 締切：2月9日', '2026-02-09', undefined, '送る'],
    ['提交报告截止2026年2月9日', '2026-02-09', undefined, '提交报告'],
    ['due: tomorrow send it', '2026-02-07', undefined, 'send it'],
    ['send it by end of day', '2026-02-06', undefined, 'send it'],
    ['send it due by Monday at 5pm', '2026-02-09', '17:00', 'send it'],
    ['send it due by Monday at 5 p.m.', '2026-02-09', '17:00', 'send it'],
    ['send it (due 9 Feb 12:30am)', '2026-02-09', '00:30', 'send it'],
    ['send it (due 9 Feb 12 AM)', '2026-02-09', '00:00', 'send it'],
    ['send it (due 9 Feb 12 pm)', '2026-02-09', '12:00', 'send it'],
    ['send it, due 1 sept 2026', '2026-09-01', undefined, 'send it'],
    ['lettre avant le 5 juil.', '2026-07-05', undefined, 'lettre'],
    ['send it due next Friday', '2026-02-13', undefined, 'send it'],
    ['send it (due: **Fri**)', '2026-02-06', undefined, 'send it'],
    ['send it, due in 3 days', '2026-02-09', undefined, 'send it'],
    ['Kuchen bis Montag backen', '2026-02-09', undefined, 'Kuchen backen'],
    ['Kuchen fällig: übermorgen', '2026-02-08', undefined, 'Kuchen'],
    ['gâteau pour lundi prochain', '2026-02-09', undefined, 'gâteau'],
    ['pastel antes del lunes', '2026-02-09', undefined, 'pastel'],
    ['torta entro domani mattina', '2026-02-07', undefined, 'torta'],
    ['send it by EOD Monday', '2026-02-09', undefined, 'send it'],
    ['zapłacić do 9 lutego', '2026-02-09', undefined, 'zapłacić'],
    ['zaplatit do 9. února', '2026-02-09', undefined, 'zaplatit'],
    ['сплатити до 9 лютого', '2026-02-09', undefined, 'сплатити'],
    ['bolo até segunda-feira', '2026-02-09', undefined, 'bolo'],
    ['taart uiterlijk maandag', '2026-02-09', undefined, 'taart'],
    ['send it by 5pm on 9 February', '2026-02-09', '17:00', 'send it'],
    ['send it before noon, Feb 9', '2026-02-09', undefined, 'send it'],
    ['send it by the end of 9 February', '2026-02-09', undefined, 'send it'],
    ['send it by 5:30 p.m. tomorrow', '2026-02-07', '17:30', 'send it'],
    ['Brief bis 17 Uhr am 9.2.', '2026-02-09', '17:00', 'Brief'],
    ['Brief bis einschließlich 9.2.', '2026-02-09', undefined, 'Brief'],
    ['Brief am 9.2. fällig', '2026-02-09', undefined, 'Brief'],
    ['send it, due — 2026-02-09', '2026-02-09', undefined, 'send it'],
    ['rent 9 February due', '2026-02-09', undefined, 'rent'],
    ['send it | Due Date | 2026-02-09', '2026-02-09', undefined, 'send it'],
    ['lettre avant 17h le 9 février', '2026-02-09', '17:00', 'lettre'],
    ['the nearest one: by 30 December', '2025-12-30', undefined, 'the nearest one'],
  ])('%s', (text, date, time, task) => {
    expect(parseDue(text, TODAY)).toEqual({
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
    'released (2026-02-05)',
    'before 2.0.1',
    'until 1.2',
    'due 13.13.',
    'due 3-4.',
    'by 5 pm',
    'due 3/4',
    'moved 9 February due to rain',
    'bis 17 Uhr arbeiten',
    'lunch at noon on 9 February',
    'read the notes of 9.2. again',
    'bis 3',
    'stand by me',
    'send it due to the outage of Monday',
    "wait until tomorrow's build",
    'prepare for Monday morning people',
    'review of Monday by Alice',
    'bis morgens warten',
    'wait until sunset',
    'overdue 2026-02-09x',
    'lettre avant le 5 jui',
    'send it (was due 2026-02-09, now it may wait)',
    'what to do 2.5',
  ])('no date: %s', (text) => {
    expect(parseDue(text, TODAY)).toBeUndefined();
  });

  test('a relative day counts from the day on which the task was written', () => {
    expect(parseDue('send it by tomorrow', TODAY, () => '2026-02-02')?.date).toBe('2026-02-03');
    expect(parseDue('send it by Monday', TODAY, () => '2026-01-30')?.date).toBe('2026-02-02');
    expect(parseDue('send it by 9 Feb', TODAY, () => '2020-01-01')?.date).toBe('2026-02-09');
  });

  test.each([
    'send it by tomorrow',
    'bis Montag',
    'in 3 days',
    'in einer Woche',
    '締切: 明日まで',
    'до понедельника',
  ])('only words that name a relative day open the history: %s', (text) => {
    expect(mayBeRelative(text)).toBe(true);
    expect(mayBeRelative('Spend the money, tag the release, fix the weekend job')).toBe(false);
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
        const due = parseDue(words.join(' '), TODAY);
        if (due) expect(new Date(Date.parse(due.date)).toISOString().slice(0, 10)).toBe(due.date);
      }),
    );
  });
});
