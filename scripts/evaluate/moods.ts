import { readFileSync } from 'node:fs';
import { analyze, loadModel, mapStrategy } from '../../src/sentiment/index.ts';
import type { Message } from '../../src/transcript/types.ts';

/**
 * Messages that are easily mistaken (curses of joy, taste, design, sarcasm, calming down, other languages), from
 * FILE: `[{kind, frustrated, before, text}]`, where `before` is what was said, the person first.
 *
 * npx tsx scripts/evaluate/moods.ts test/fixtures/moods/seen.json
 */
interface Case {
  kind: string;
  frustrated: boolean;
  before: string[];
  text: string;
}

const [file = ''] = process.argv.slice(2);
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[];
const model = await loadModel();
const START = Date.parse('2026-02-06T09:00:00Z');
const counts = { right: 0, alarms: 0, missed: 0 };
for (const { kind, frustrated, before, text } of cases) {
  const messages = [...before, text].map(
    (content, k, { length }): Message => ({
      id: String(k),
      role: (length - k) % 2 === 1 ? 'user' : 'assistant',
      content,
      timestamp: new Date(START + k * 60_000).toISOString(),
      session: 's',
    }),
  );
  const state = analyze(messages, { model, now: START + messages.length * 60_000 });
  // The strategy is what an agent is told: a mood below its threshold changes nothing.
  const named = mapStrategy(state).style === 'concise' && state.emotion === 'frustrated';
  if (named === frustrated) counts.right += 1;
  else if (named) counts.alarms += 1;
  else counts.missed += 1;
  if (named !== frustrated)
    console.log(
      `${named ? 'false alarm' : 'missed'}, ${kind}: ${text} [${state.frustration.toFixed(2)}, confidence ${state.confidence.toFixed(2)}]`,
    );
}
console.log(
  `${counts.right} of ${cases.length} right, ${counts.alarms} false alarms, ${counts.missed} missed`,
);
