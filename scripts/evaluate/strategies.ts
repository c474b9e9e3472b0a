/**
 * The answering strategy at prompts of real sessions: how often it is not the ordinary one, and windows for a
 * person to judge.
 *
 *   npx tsx scripts/evaluate/strategies.ts DATA [--windows 60] [--seed 1] [--all] [--models FOLDER]
 *
 * DATA holds `resume/sessions/*.jsonl.gz`. A prompt is a message that a person typed; it is read
 * with everything before it, as a hook reads it. Prints the share of prompts with a strategy other than the
 * ordinary one (interval by session), and the requested number of windows, drawn at random: what the agent said
 * last, the prompt, the reading with its reasons, and what came next. --all prints every window with such a
 * strategy instead.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import {
  analyze,
  howToAnswer,
  loadModel,
  mapStrategy,
  type SentimentState,
} from '../../src/sentiment/index.ts';
import { readTranscriptText } from '../../src/transcript/read.ts';
import type { Message } from '../../src/transcript/types.ts';
import { randomFrom, shuffle } from '../random.ts';
import { bootstrap, mean, pick, show } from './stats.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    windows: { type: 'string' },
    seed: { type: 'string' },
    all: { type: 'boolean' },
    models: { type: 'string' },
  },
});
const data = positionals[0];
if (data === undefined)
  throw new Error('usage: scripts/evaluate/strategies.ts DATA [--windows 60] [--seed 1] [--all]');
const folder = join(data, 'resume/sessions');
const model = loadModel(values.models);

interface Window {
  session: string;
  before: Message | undefined;
  prompt: Message;
  state: SentimentState;
  how: string | undefined;
  after: readonly Message[];
}

const windows: Window[] = [];
for (const name of readdirSync(folder).sort()) {
  const text = gunzipSync(readFileSync(join(folder, name))).toString('utf8');
  const { messages, signs = [] } = await readTranscriptText(text, { limit: 100_000 }, name);
  messages.forEach((prompt, i) => {
    // Words given with a refusal and answers to questions are read, but no hook runs for them.
    if (prompt.role !== 'user' || prompt.voice === 'rejection' || prompt.voice === 'answer') return;
    const state = analyze(messages.slice(Math.max(0, i - 400), i + 1), { model, signs });
    windows.push({
      session: name,
      before: messages.slice(0, i).findLast(({ role }) => role === 'assistant'),
      prompt,
      state,
      how: howToAnswer(mapStrategy(state)),
      after: messages.slice(i + 1, i + 400).filter(({ role }) => role === 'assistant' || role === 'user'),
    });
  });
}

const given = windows.map(({ how }) => Number(how !== undefined));
const share = bootstrap(windows.length, (sample) => mean(pick(given, sample)), {
  groupOf: (i) => windows[i]?.session ?? '',
});
say(`${windows.length} prompts; a strategy of its own at ${show(share)}`);
const named = new Map<string, number>();
for (const { state } of windows) named.set(state.emotion, (named.get(state.emotion) ?? 0) + 1);
say([...named].map(([mood, count]) => `${mood} ${count}`).join(', '));

const order = Int32Array.from(windows.keys());
if (values.all !== true) shuffle(order, randomFrom(Number(values.seed ?? 1)));
const shown = [...order].flatMap((i) => windows[i] ?? []);
const chosen =
  values.all === true
    ? shown.filter(({ how }) => how !== undefined)
    : shown.slice(0, Number(values.windows ?? 60));
chosen.forEach((window, i) => {
  const { state, how, before, prompt } = window;
  const why = state.signals.map(({ name, evidence }) => `${name} (${evidence.join(', ')})`).join('; ');
  say(`\n## ${i + 1} ${window.session.slice(-24, -9)} ${prompt.timestamp ?? ''}`);
  say(`agent: …${oneLine(before?.content ?? '').slice(-260)}`);
  say(`prompt: ${oneLine(prompt.content).slice(0, 500)}`);
  say(`reading: ${state.emotion} ${state.frustration.toFixed(2)} -> ${how ?? 'the ordinary way'}`);
  if (how !== undefined) say(`because: ${why.slice(0, 400)}`);
  const next = window.after.filter(({ content }) => content.trim() !== '').slice(0, 12);
  const replies = next.filter(({ role }) => role === 'assistant').slice(0, 2);
  const later = next.find(({ role }) => role === 'user');
  for (const { content } of replies) say(`next, agent: ${oneLine(content).slice(0, 220)}`);
  if (later !== undefined) say(`next, person: ${oneLine(later.content).slice(0, 220)}`);
});

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
