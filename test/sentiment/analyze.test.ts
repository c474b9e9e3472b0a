import { describe, expect, test } from 'vitest';
import { analyzeMood, analyzeMoodsBySender } from '../../src/sentiment/state.ts';
import { mapStrategy } from '../../src/sentiment/strategy.ts';
import { DIMENSIONS } from '../../src/sentiment/types.ts';
import type { Message } from '../../src/transcript/types.ts';

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
      const state = analyzeMood(messages);
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
    const state = analyzeMood(talk(text));
    expect(state.emotion).toBe('neutral');
    expect(state.frustration).toBeLessThan(0.4);
    expect(mapStrategy(state).style).toBe('neutral');
  });

  test.each([
    ['frustrated', 'why do you keep ignoring my instructions'],
    ['frustrated', 'wtf, you broke it again'],
    ['urgent', 'prod is down, customers cannot log in'],
    ['playful', 'haha nice one, do your magic :)'],
    ['tired', 'so tired, long day. can we finish this tomorrow'],
  ])('%s: %s', (emotion, text) => {
    expect(analyzeMood(talk(text)).emotion).toBe(emotion);
  });

  test('praise beside a complaint does not soothe as praise alone does', () => {
    const complaint = analyzeMood(talk('you broke it again and wasted my time')).frustration;
    const irony = analyzeMood(talk('great, wonderful, you broke it again and wasted my time')).frustration;
    expect(irony).toBeGreaterThan(complaint * 0.82);
    expect(analyzeMood(talk('great, wonderful, it works again')).frustration).toBeLessThan(0.25);
  });

  test('what is turned down, and asking for another, is dislike and no anger', () => {
    const upon = (reply: string, text: string) =>
      analyzeMood(talk('Find me a table for two.', { role: 'assistant', content: reply }, text));
    const refused = upon('How about Chez Paul?', 'No, not that one.');
    const taken = upon('How about Chez Paul?', 'Yes, that one.');
    const other = upon('How about Chez Paul?', 'do you have any other table');
    const asked = upon('How about Chez Paul?', 'and how many seats does it have');
    expect(refused.valence).toBeLessThan(taken.valence - 0.15);
    expect(other.valence).toBeLessThan(asked.valence - 0.1);
    for (const state of [refused, other]) expect(state.emotion).toBe('neutral');
    // "No" to an offer of more ends the talk.
    expect(upon('Is there anything else?', 'No, not today.').valence).toBeGreaterThan(refused.valence + 0.1);
  });

  test('a plain question is no mood, and neither is "right now"', () => {
    for (const text of [
      'can we add a test for it?',
      'what is the difference between the two settings?',
      'where is it called right now?',
      'add the urgent TODOs to the list',
      'what happens when the service is down?',
      'do you want to print the list',
    ]) {
      const state = analyzeMood(talk('go on', { role: 'assistant', content: 'Done.' }, text));
      expect(state).toMatchObject({ emotion: 'neutral', secondary: null });
    }
  });

  test('the reasons are for the mood that is named', () => {
    const upset = 'urgent: the site is down!! why did you not listen, you broke it again';
    const { emotion, secondary, signals } = analyzeMood(
      talk('go on', { role: 'assistant', content: 'Fixed.' }, upset),
    );
    expect([emotion, secondary]).toEqual(['frustrated', 'urgent']);
    const raised = signals.map(({ raises }) => raises);
    expect(raised).toEqual(raised.toSorted((a, b) => Number(a === 'urgency') - Number(b === 'urgency')));
    expect(raised[0]).toBe('frustration');
  });

  test('a refusal or an interruption counts', () => {
    const words = 'use the other module for the parser of dates';
    const said = { role: 'assistant' as const, content: 'I will write a new one.' };
    const frustration = (messages: Message[], signs: { kind: 'interrupted'; timestamp: string }[] = []) =>
      analyzeMood(messages, { signs }).frustration;
    const once = talk('parse the dates', said, words);
    const stopped = { kind: 'interrupted' as const, timestamp: new Date(START + 90_000).toISOString() };
    const [plain, after] = [frustration(once), frustration(once, [stopped])];
    expect(after).toBeGreaterThan(plain);
    expect(frustration(talk('parse the dates', said, { content: words, voice: 'rejection' }))).toBe(after);
  });

  test('what the assistant or a tool says is not the mood of the person', () => {
    const state = analyzeMood(
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
    const fresh = analyzeMood(messages, { now: START });
    const later = analyzeMood(messages, { now: START + 9 * 3_600_000 });
    expect(fresh.confidence).toBeGreaterThan(0.6);
    expect(later.confidence).toBeLessThan(0.1);
    expect(later.emotion).toBe('neutral');
    expect(mapStrategy(later).style).toBe('neutral');
  });

  test('without `now` the last message is the present', () => {
    const messages = talk('why do you keep ignoring my instructions');
    expect(analyzeMood(messages)).toEqual(analyzeMood(messages, { now: START }));
  });

  test('each person of a group has a state, and the last speaker is the one asked for', () => {
    const messages = talk(
      { content: 'why do you keep ignoring my instructions', sender: 'Ray' },
      { content: 'haha nice one, do your magic :)', sender: 'Mia' },
    );
    const states = analyzeMoodsBySender(messages);
    expect(states.get('Ray')?.emotion).toBe('frustrated');
    expect(states.get('Mia')?.emotion).toBe('playful');
    expect(analyzeMood(messages)).toEqual(states.get('Mia'));
  });

  test('the hour of the day is nobody’s mood', () => {
    const at = (time: string) => talk({ content: 'can you check the deployment once more', timestamp: time });
    const [day, night] = ['2026-02-03T10:00:00Z', '2026-02-03T02:00:00Z'].map((time) =>
      analyzeMood(at(time)),
    );
    expect({ ...night, timestamp: null }).toEqual({ ...day, timestamp: null });
  });

  test('a hostile clock, unknown time stamps and odd content do no harm', () => {
    const odd: Message[] = [
      { id: '', role: 'user', content: '\u0000\ud800 🙃'.repeat(2000), session: '', timestamp: 'yesterday' },
      { id: '', role: 'user', content: 'constructor __proto__ toString', session: '', timestamp: '' },
    ];
    const state = analyzeMood(odd, { now: Number.NaN });
    for (const dimension of DIMENSIONS) expect(state[dimension]).toBeGreaterThanOrEqual(0);
    expect(state.confidence).toBeLessThanOrEqual(1);
  });
});
