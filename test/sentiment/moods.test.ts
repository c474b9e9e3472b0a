import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadModel } from '../../src/sentiment/model.ts';
import { analyzeMood } from '../../src/sentiment/state.ts';
import type { Message } from '../../src/transcript/types.ts';

interface Case {
  kind: string;
  frustrated: boolean;
  before: string[];
  text: string;
}

const START = Date.parse('2026-02-06T09:00:00Z');
const model = loadModel();

function isFrustrated({ before, text }: Case): boolean {
  const messages = [...before, text].map(
    (content, k, { length }): Message => ({
      id: String(k),
      role: (length - k) % 2 === 1 ? 'user' : 'assistant',
      content,
      timestamp: new Date(START + k * 60_000).toISOString(),
      session: 's',
    }),
  );
  return analyzeMood(messages, { model, now: START + messages.length * 60_000 }).emotion === 'frustrated';
}

test.each([
  ['seen', 1, 1],
  ['unseen', 1, 4],
  ['fresh', 1, 5],
  ['third', 2, 4],
])('curses of joy, taste, design, sarcasm, calming down, bugs: %s', (name, mostAlarms, mostMissed) => {
  const file = join(import.meta.dirname, `../fixtures/moods/${name}.json`);
  const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[];
  const wrong = cases.filter((each) => isFrustrated(each) !== each.frustrated);
  const alarms = wrong.filter(({ frustrated }) => !frustrated).map(({ text }) => text);
  const missed = wrong.filter(({ frustrated }) => frustrated).map(({ text }) => text);
  expect(alarms.length, alarms.join('\n')).toBeLessThanOrEqual(mostAlarms);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(mostMissed);
});

test.each(['fuck yeah it works', 'I hate YAML lol', "that's weird", "why don't we have a cache?"])(
  'no frustration at the agent: %s',
  (text) => {
    const before = ['Please look into it.', 'Done. All 48 tests pass.'];
    expect(isFrustrated({ kind: '', frustrated: false, before, text })).toBe(false);
  },
);

test.each([
  "leave the keys even though they're ugly",
  "leave the keys even though they're ugly, and test_pdf is broken since Tuesday",
  'broken rows must not stop the import',
  'Write an importer for the CSV files. Broken rows must not stop the import; write them to errors.csv.',
  'users hate the new menu. bring the old one back',
])('what is broken or ugly in the work is no mood: %s', (text) => {
  for (const before of [[], ['Please look into it.', 'Done. All 48 tests pass.']])
    expect(isFrustrated({ kind: '', frustrated: false, before, text })).toBe(false);
});

test.each([
  ['why did you use a map here?', 'neutral'],
  ['Plan: retry with no sleep between tries, stop tired workers', 'neutral'],
  ['why did you delete the tests?', 'frustrated'],
])('a neutral question and a plan hold no mood, a reproach does: %s', (content, emotion) => {
  const before: Message = { id: '1', role: 'assistant', content: 'Done.', session: 's' };
  expect(analyzeMood([before, { ...before, id: '2', role: 'user', content }]).emotion).toBe(emotion);
});

test.each([
  ['ugh, long day', 'tired'],
  ['ugh, so tired, this day never ends', 'tired'],
  ["I'm so fucking tired, but let's go on", 'tired'],
  ['Ugh. Need sleep.', 'tired'],
  ['ugh, mondays', 'neutral'],
  ['my kids kept me up all night ugh', 'neutral'],
  ["I'm not tired yet", 'neutral'],
  ['the connection pool is completely exhausted, fix it', 'neutral'],
  ['I need a break statement here', 'neutral'],
  ['ugh, come on', 'frustrated'],
  ['ugh, you deleted it', 'frustrated'],
  ["I'm exhausted. You broke it again!", 'frustrated'],
])('tiredness and a sigh about the day are not frustration with the answer: %s', (content, emotion) => {
  const before: Message = { id: '1', role: 'assistant', content: 'Done. All 48 tests pass.', session: 's' };
  expect(analyzeMood([before, { ...before, id: '2', role: 'user', content }], { model }).emotion).toBe(
    emotion,
  );
});

test.each([
  ['No hurry.', 'neutral'],
  ['this is not urgent', 'neutral'],
  ["don't hurry, take your time", 'neutral'],
  ['no need to do it right away', 'neutral'],
  ['asap is fine next week', 'neutral'],
  ["it isn't annoying any more, thanks", 'neutral'],
  ['why is this not fixed asap?', 'urgent'],
  ['please hurry, soundcheck in 20 minutes', 'urgent'],
])('a denied mood is none: %s', (content, emotion) => {
  const said = ['please write the poster', 'Done. The poster is in posters/a.md.', content];
  const messages = said.map(
    (text, k): Message => ({
      ...{ id: String(k), role: k === 1 ? 'assistant' : 'user', content: text, session: 's' },
      timestamp: new Date(START + k * 60_000).toISOString(),
    }),
  );
  expect(analyzeMood(messages, { model, now: START + 3 * 60_000 }).emotion).toBe(emotion);
});

test.each([[[]], [['run the deploy', 'The deploy failed.']]])(
  'anger that is denied is not told',
  (before) => {
    const isAngry = (text: string): boolean => isFrustrated({ kind: '', frustrated: false, before, text });
    expect(isAngry('Not angry at all, just curious why it failed again')).toBe(false);
    expect(isAngry('I am angry, why did it fail again')).toBe(true);
  },
);
