import { describe, expect, test } from 'vitest';
import {
  analyze,
  analyzeBySender,
  DIMENSIONS,
  dissatisfaction,
  mapStrategy,
} from '../../src/sentiment/index.ts';
import type { Message } from '../../src/transcript/message.ts';

const START = Date.parse('2026-02-03T10:00:00Z');

function talk(...lines: (string | Partial<Message>)[]): Message[] {
  return lines.map((line, i) => ({
    id: String(i),
    role: 'user',
    content: '',
    session: 's',
    timestamp: new Date(START + i * 60_000).toISOString(),
    ...(typeof line === 'string' ? { content: line } : line),
  }));
}

describe('analyze', () => {
  test('nobody spoke: neutral, confidence 0', () => {
    for (const messages of [[], talk({ role: 'assistant', content: 'I hate this, it is terrible!' })]) {
      const state = analyze(messages);
      expect(state).toMatchObject({ emotion: 'neutral', confidence: 0, windowSize: 0, timestamp: null });
      expect(mapStrategy(state).style).toBe('neutral');
    }
  });

  test.each([
    ['rename foo to bar in src/x.ts'],
    ['run the tests'],
    ['no, use the other branch'],
    ['kill the process and delete the dead code'],
    ['let the garbage collector have it'],
    ['Please review this: parse() swallows exceptions and the naming is bad.'],
    ['2026-02-03 10:00:01 ERROR failed to connect: fatal error, abort'],
  ])('an ordinary instruction is neutral: %s', (text) => {
    const state = analyze(talk(text));
    expect(state.emotion).toBe('neutral');
    expect(state.frustration).toBeLessThan(0.3);
    expect(mapStrategy(state).style).toBe('neutral');
  });

  test.each([
    ['frustrated', 'why do you keep ignoring my instructions'],
    ['frustrated', 'Great, another hallucinated API'],
    ['urgent', 'prod is down, customers cannot log in'],
    ['playful', 'haha nice one, do your magic :)'],
    ['tired', 'so tired, long day. can we finish this tomorrow'],
  ])('%s: %s', (emotion, text) => {
    expect(analyze(talk(text)).emotion).toBe(emotion);
  });

  test('"no" to a question is its answer, to a deed a correction', () => {
    const strainAt = (reply: string) =>
      analyze(talk('tidy up please', { role: 'assistant', content: reply }, 'no, leave it')).frustration;
    expect(strainAt('Shall I delete the branch?')).toBeLessThan(strainAt('I deleted the branch.') * 0.7);
  });

  test('praise beside a complaint does not soothe as praise alone does', () => {
    const complaint = analyze(talk('you broke it again and wasted my time')).frustration;
    const irony = analyze(talk('great, wonderful, you broke it again and wasted my time')).frustration;
    expect(irony).toBeGreaterThan(complaint * 0.82);
    expect(analyze(talk('great, wonderful, it works again')).frustration).toBeLessThan(0.1);
  });

  test('replies that repeat, and asking for another, strain a little', () => {
    const asked = 'please find me a quiet table in the garden';
    const said = {
      role: 'assistant' as const,
      content: 'The garden has a free table near the kitchen door.',
    };
    const once = analyze(talk(asked, said, 'and how many seats does it have'));
    const circling = analyze(
      talk(asked, said, 'with how many seats', said, 'and how many seats does it have'),
    );
    const other = analyze(talk(asked, said, 'do you have any other table'));
    expect(circling.frustration).toBeGreaterThan(once.frustration);
    expect(circling.signals.map(({ name }) => name)).toContain('replies repeat');
    expect(other.frustration).toBeGreaterThan(once.frustration);
    expect(other.emotion).toBe('neutral');
  });

  test('what is turned down is disliked, which is no anger', () => {
    const upon = (reply: string, text: string) =>
      analyze(talk('Find me a table for two.', { role: 'assistant', content: reply }, text));
    const refused = upon('How about Chez Paul?', 'No, not that one.');
    const taken = upon('How about Chez Paul?', 'Yes, that one.');
    expect(refused.signals.map((s) => s.name)).toContain('turns it down');
    expect(refused.valence).toBeLessThan(taken.valence - 0.2);
    expect(refused.emotion).toBe('neutral');
    expect(dissatisfaction(refused)).toBeGreaterThan(dissatisfaction(taken));
    // Nothing was offered: "no" ends the talk, or there is no reply yet.
    for (const state of [
      upon('Is there anything else?', 'No, not today.'),
      upon('How about Chez Paul?', "I can't wait to be there"),
      analyze(talk('No, not that one.')),
    ])
      expect(state.signals.map((s) => s.name)).not.toContain('turns it down');
  });

  test('who has had no answer yet is less dissatisfied than one who says the same after answers', () => {
    const mood = { frustration: 0.5, valence: -0.2 };
    const [first, third, many] = [1, 3, 20].map((windowSize) => dissatisfaction({ ...mood, windowSize }));
    expect(first).toBeCloseTo(0.14);
    expect(third).toBeCloseTo(0.515);
    expect(many).toBeCloseTo(0.64);
    expect(dissatisfaction(analyze([]))).toBe(-0.5);
  });

  test('what the assistant or a tool says is not the mood of the person', () => {
    const state = analyze(
      talk(
        'add a test',
        { role: 'assistant', content: 'This is terrible, I hate it!!!' },
        { role: 'tool', content: 'FATAL ERROR' },
      ),
    );
    expect(state.frustration).toBeLessThan(0.2);
    expect(state.windowSize).toBe(1);
  });

  test('confidence falls with the time since the person spoke', () => {
    const messages = talk('why do you keep ignoring my instructions');
    const fresh = analyze(messages, { now: START });
    const later = analyze(messages, { now: START + 9 * 3_600_000 });
    expect(fresh.confidence).toBeGreaterThan(0.6);
    expect(later.confidence).toBeLessThan(0.1);
    expect(later.emotion).toBe('neutral');
    expect(mapStrategy(later).style).toBe('neutral');
  });

  test('without `now` the last message is the present', () => {
    const messages = talk('why do you keep ignoring my instructions');
    expect(analyze(messages)).toEqual(analyze(messages, { now: START }));
  });

  test('each person of a group has a state, and the last speaker is the one asked for', () => {
    const messages = talk(
      { content: 'why do you keep ignoring my instructions', sender: 'Ray' },
      { content: 'haha nice one, do your magic :)', sender: 'Mia' },
    );
    const states = analyzeBySender(messages);
    expect(states.get('Ray')?.emotion).toBe('frustrated');
    expect(states.get('Mia')?.emotion).toBe('playful');
    expect(analyze(messages)).toEqual(states.get('Mia'));
  });

  test('late at night weighs towards fatigue only where the zone is known', () => {
    const messages = talk('can you check the deployment once more');
    const at1 = { utcOffsetMinutes: 15 * 60 };
    expect(analyze(messages).fatigue).toBe(0);
    expect(analyze(messages, at1).fatigue).toBeGreaterThan(0.1);
  });

  test('a hostile clock, unknown time stamps and odd content do no harm', () => {
    const odd: Message[] = [
      { id: '', role: 'user', content: '\u0000\ud800 🙃'.repeat(2000), session: '', timestamp: 'yesterday' },
      { id: '', role: 'user', content: 'constructor __proto__ toString', session: '', timestamp: '' },
    ];
    const state = analyze(odd, { now: Number.NaN, utcOffsetMinutes: Number.NaN });
    for (const dimension of DIMENSIONS) expect(state[dimension]).toBeGreaterThanOrEqual(0);
    expect(state.confidence).toBeLessThanOrEqual(1);
  });
});
