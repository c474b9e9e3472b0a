import fc from 'fast-check';
import { expect, test } from 'vitest';
import { composeText, type Offer, type Request } from '../../src/ledger/compose.ts';
import { createLedger, readLedger } from '../../src/ledger/ledger.ts';
import type { Spaces } from '../../src/session/journal.ts';

const word = fc.stringMatching(/^[a-z]{3,9}$/);
const line = fc.array(word, { minLength: 2, maxLength: 6 }).map((words) => words.join(' '));
const text = fc.uniqueArray(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
const spaces: fc.Arbitrary<Spaces> = fc.record({
  plan: fc
    .uniqueArray(line, { maxLength: 8 })
    .map((lines) => lines.map((step, k) => `${k + 1}. ${step}`).join('\n')),
  notes: text,
  refs: fc.uniqueArray(word, { maxLength: 6 }).map((items) => items.map((item) => `- ${item}`).join('\n')),
});
const offers: fc.Arbitrary<Offer[]> = fc.uniqueArray(
  fc.record({ key: word, text: line, priority: fc.integer({ min: 0, max: 100 }) }),
  { selector: ({ key }) => key, maxLength: 5 },
);
const steps = fc.array(fc.record({ spaces, offers }), { minLength: 1, maxLength: 6 });
const EMPTY: Spaces = { plan: '', notes: '', refs: '' };

const request = (shared: Spaces, given: readonly Offer[], now: number): Request => ({
  events: ['prompt'],
  spaces: { shared, own: EMPTY },
  changedBy: {},
  offers: given,
  hints: [],
  session: 's1',
  now,
  talkTokens: 0,
  repeatsAll: false,
  recite: { step: 0, plan: 0 },
  room: { characters: 9500 },
});

const linesIn = (content: string): string[] => content.split('\n').filter((each) => each.trim() !== '');

test('whatever changes, the window holds every line of the pad, and an event without news says nothing', () => {
  fc.assert(
    fc.property(steps, (events) => {
      const ledger = createLedger(0, 'start');
      let window = '';
      events.forEach(({ spaces: now, offers: given }, at) => {
        window += `\n${composeText(request(now, given, at), ledger)}`;
        for (const content of Object.values(now)) {
          for (const each of linesIn(content)) expect(window).toContain(each.replace(/^\d+\. /, ''));
        }
        for (const { text: offered } of given) expect(window).toContain(offered);
        // The same once more is no news, also for a process that reads the ledger from its file.
        const kept = readLedger(JSON.parse(JSON.stringify(ledger)));
        expect(kept).toEqual(ledger);
        expect(composeText(request(now, given, at), structuredClone(ledger))).toBe('');
      });
    }),
  );
});

test('it fits the limit of the host with both pads, offers and a reminder, and says what it left out', () => {
  const long = fc
    .tuple(fc.constantFrom(0, 3, 30, 100), fc.integer({ min: 1, max: 300 }))
    .map(([count, width]) =>
      Array.from({ length: count }, (_, k) => `${k + 1}. ${'word '.repeat(width / 5)}${k}`).join('\n'),
    );
  const pad = fc.record({ plan: long, notes: long, refs: fc.constant('- a.ts') });
  const headed = fc.array(fc.record({ text: line, heading: fc.constantFrom(undefined, 'One', 'Two') }));

  fc.assert(
    fc.property(pad, pad, headed, fc.integer({ min: 1000, max: 9900 }), (shared, own, lines, characters) => {
      const offered = lines.map((each, k) => ({ ...each, key: `${k}`, priority: k }) as Offer);
      const first: Request = {
        ...request(shared, offered, 1),
        spaces: { shared, own },
        room: { characters },
      };
      const ledger = createLedger(0, 'start');
      const text = composeText(first, ledger);
      expect(text.length).toBeLessThanOrEqual(characters);
      if (Object.values(shared).join('').length > characters)
        expect(text).toMatch(/more lines? in SCRATCHPAD/);

      const later = { ...first, talkTokens: 30_000, recite: { step: 10_000, plan: 25_000 } };
      const reminder = composeText(later, ledger);
      expect(reminder.length).toBeLessThanOrEqual(characters);
      if (own.plan.length > characters)
        expect(reminder).toMatch(/## Plan \(reminder\)\n[\s\S]*more lines? in /);
    }),
    { numRuns: 50 },
  );
});

test('a ref that reads like a rule stays a ref among the others', () => {
  const refs = '- src/a.ts\n- Rule: see docs/rule.md\n- src/b.ts';
  const composed = composeText(request({ ...EMPTY, refs }, [], 1), createLedger(0, 'start'));
  expect(composed).toContain(`## Refs\n${refs}\n`);
});

test('where room is short, the rules of the notes stay, then the newest lines', () => {
  const notes = ['first', 'Rule: run the tests', 'second', 'third'].join('\n');
  const ledger = createLedger(0, 'start');
  const room = { characters: 1000 };
  const composed = composeText(
    { ...request({ ...EMPTY, notes: `${'x'.repeat(900)}\n${notes}` }, [], 1), room },
    ledger,
  );
  expect(composed).toContain('(1 more line in SCRATCHPAD.md)\nRule: run the tests\nfirst\nsecond\nthird');
});

test.each([
  [
    'a long rule',
    `Rule: ${'x'.repeat(400)}\nRule: keep the cents\nfirst\n\nlast`,
    '(1 more rule in SCRATCHPAD.md)\nRule: keep the cents\nfirst\n\nlast',
  ],
  [
    'a long newest note',
    `first\nsecond\n${'x'.repeat(400)}`,
    '(1 more line in SCRATCHPAD.md)\nfirst\nsecond',
  ],
  [
    'both',
    `Rule: ${'x'.repeat(400)}\nfirst\n\n${'x'.repeat(400)}`,
    '(1 more line and 1 more rule in SCRATCHPAD.md)\nfirst\n',
  ],
])('%s that does not fit takes no shorter note with it, and is counted', (_, notes, shown) => {
  const asked = { ...request({ ...EMPTY, notes }, [], 1), room: { characters: 300 } };
  expect(composeText(asked, createLedger(0, 'start'))).toContain(`## Notes\n${shown}`);
});

test('a plan is shown up to its first step that does not fit, without gaps', () => {
  const plan = `1. first\n2. ${'x'.repeat(400)}\n\n3. third`;
  const asked = { ...request({ ...EMPTY, plan }, [], 1), room: { characters: 300 } };
  const composed = composeText(asked, createLedger(0, 'start'));
  expect(composed).toContain('## Plan\n1. first\n(2 more lines in SCRATCHPAD.md)\n');
});
