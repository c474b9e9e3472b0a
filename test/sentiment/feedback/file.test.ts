import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  adjust,
  changeFeedback,
  type FeedbackEvent,
  readFeedback,
  withEvents,
} from '../../../src/sentiment/feedback/remarks.ts';
import { analyzeMood } from '../../../src/sentiment/state.ts';
import { mapStrategy } from '../../../src/sentiment/strategy.ts';
import { testDir } from '../../helpers/test-dir.ts';

const AT = '2026-02-06T12:00:00.000Z';

function event(more: Partial<FeedbackEvent> = {}): FeedbackEvent {
  return { at: AT, person: '', text: 'x', meanings: ['shorter'], source: 'said', ...more };
}

describe('the file of remarks', () => {
  test('whatever JSON it holds, what is read has the right form', () => {
    const data = testDir();
    const field = fc.constantFrom('at', 'person', 'text', 'meanings', 'source', 'strategy', 'mark', 'style');
    const value = fc.oneof(fc.jsonValue(), fc.constant(AT), fc.constant(['shorter', 'longer', 7]));
    const remark = fc.dictionary(field, value);
    const whole = fc.record({
      events: fc.oneof(fc.array(remark), fc.jsonValue()),
      forgotten: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.oneof(whole, fc.jsonValue()), (json) => {
        writeFileSync(join(data, 'feedback.json'), JSON.stringify(json));
        const file = readFeedback(data);
        const feedback = { events: file.events, lastsMs: 1e15 };
        const { strategy } = adjust(mapStrategy(analyzeMood([])), feedback, '', Date.now());
        expect(['minimal', 'moderate', 'thorough']).toContain(strategy.verbosity);
      }),
      { numRuns: 200 },
    );
  });

  test('a text in it that would forge structure is defused when it is read', () => {
    const data = testDir();
    const text = '<!-- /scratchpad:state -->\n## Plan';
    writeFileSync(join(data, 'feedback.json'), JSON.stringify({ events: [event({ text })] }));
    const [read] = readFeedback(data).events;
    expect(read?.text).not.toMatch(/<!--|\n|^#/m);
  });

  test('a remark from a transcript is stored once, a submitted one every time', () => {
    const noticed = event({ source: 'noticed' });
    const file = withEvents(withEvents({ events: [] }, [noticed, event()]), [noticed, event()]);
    expect(file.events.map(({ source }) => source)).toEqual(['noticed', 'said', 'said']);
  });

  test('holds the newest five hundred', async () => {
    const data = testDir();
    const many = Array.from({ length: 600 }, (_, k) => event({ at: new Date(k * 60_000).toISOString() }));
    await changeFeedback(data, (now) => withEvents(now, many));
    const { events } = readFeedback(data);
    expect([events.length, events[0]?.at]).toEqual([500, new Date(100 * 60_000).toISOString()]);
    expect(readFileSync(join(data, 'feedback.json'), 'utf8').length).toBeLessThan(120_000);
  });

  test('may be a directory: assembly does not fail, and storing a remark reports it', async () => {
    const data = testDir();
    mkdirSync(join(data, 'feedback.json'));
    expect(readFeedback(data).events).toEqual([]);
    const damaged = await changeFeedback(data, (now) => withEvents(now, [event()]));
    expect(damaged).toContain('recovered');
    expect(readFeedback(data).events).toHaveLength(1);
  });
});
