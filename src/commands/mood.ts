import { readSource } from '../assembly/source.ts';
import { counted } from '../base/text/counts.ts';
import {
  analyze,
  DIMENSIONS,
  dimensionOf,
  howToAnswer,
  mapStrategy,
  type SentimentModel,
  type SentimentState,
  type Trajectory,
  tryLoadModel,
} from '../sentiment/index.ts';
import type { Mood } from '../stages/mood.ts';
import { moodOf, moodThen } from '../tools/mood.ts';
import type { Message } from '../transcript/types.ts';
import { batch, messagesOf, timeOf, type Unreadable } from './batch.ts';
import { givenSource, noHostSession } from './host-sessions.ts';
import { type Invocation, type Takes, withoutSession } from './invocation.ts';
import { openSession } from './open.ts';

type MoodOptions = Takes<'messages' | 'transcript', 'batch' | 'explain'>;

/** The mood of the person who spoke last, the evidence for it, and how to answer. Stores nothing. */
export async function mood(invocation: Invocation, options: MoodOptions): Promise<void> {
  const model = tryLoadModel();
  if (model === null) invocation.note('warning: cannot read the trained model; only explicit cues are used');
  if (options.batch === true) return batch(invocation, requestOf, (request) => answer(request, model));
  const given = options.messages !== undefined || options.transcript !== undefined;
  const opened = await openSession(withoutSession(invocation));
  const { session } = invocation.options;
  const source = await readSource(
    givenSource(invocation, options) ?? { session },
    opened.workspace.root,
    opened.config,
    invocation.env,
    (problem) => invocation.note(`warning: ${problem}`),
  );
  if (source === undefined) {
    throw noHostSession('name one: scratchpad mood --transcript FILE, or --messages FILE');
  }
  // A named file is read as of its last message, a live session as of now.
  const then = given && invocation.options.now === undefined;
  const read = await (then ? moodThen : moodOf)(opened.pad, source.transcript);
  const { state, strategy, others, trouble } = read;
  if (trouble !== undefined) invocation.note(`warning: ${trouble}`);
  const value = { source: source.name, state, strategy, others: Object.fromEntries(others) };
  invocation.result(value, shown(read, options.explain === true));
}

/** The answer of `--batch` to `{"messages"}`, with an optional `now` (ISO 8601 or epoch milliseconds). */
function answer({ messages, now }: MoodRequest, model: SentimentModel | null): object {
  const state = analyze(messages, { model, now });
  return { state, strategy: mapStrategy(state) };
}

function shown({ state, strategy, others }: Mood, explain: boolean): string {
  const { emotion, secondary, sender, confidence, windowSize, trajectory } = state;
  const named = `${emotion}${secondary === null ? '' : `, ${secondary}`}`;
  const messages = counted(windowSize, 'message');
  const lines = [
    `${sender === null ? '' : `${sender}: `}${named} (confidence ${confidence.toFixed(2)}, ${messages})`,
  ];
  if (explain) {
    lines.push(DIMENSIONS.map((name) => `${name} ${state[name].toFixed(2)}`).join('  '));
    lines.push(`valence ${state.valence.toFixed(2)}  arousal ${state.arousal.toFixed(2)}`);
    if (trajectory !== null) lines.push(spelled(trajectory));
  }
  lines.push(...because(state, explain), '', `Answer: ${howToAnswer(strategy) ?? 'as usual'}`);
  if (explain) {
    const { style, tone, verbosity, preamble, suggestions, reasons } = strategy;
    lines.push(`  ${style}, ${tone}, ${verbosity}, preamble ${preamble ? 'yes' : 'no'}`);
    lines.push(...suggestions.map((text) => `  ${text}`), ...reasons.map((text) => `  (${text})`));
  }
  for (const [name, other] of others) lines.push('', `${name === '' ? 'no name' : name}: ${other.emotion}`);
  return lines.join('\n');
}

/** The reasons for the stated mood; with `--explain` all cues, and the mood each speaks for. */
function because({ emotion, signals }: SentimentState, explain: boolean): string[] {
  const dimension = dimensionOf(emotion);
  const told = signals.filter(
    ({ score, raises = dimension }) =>
      score >= 0.05 && (explain || (emotion !== 'neutral' && raises === dimension)),
  );
  if (told.length === 0) return explain ? ['', 'Because of: nothing notable'] : [];
  const lines = told.map(({ name, score, raises, evidence }) => {
    const what = raises === undefined || raises === dimension ? '' : ` (${raises})`;
    return `  ${name} ${score.toFixed(2)}${what}  ${evidence.map((words) => `"${words}"`).join(' · ')}`.trimEnd();
  });
  return ['', 'Because of:', ...lines];
}

/** Shows both measures where they differ: the direction depends on valence, too. */
function spelled({ start, now, valenceStart, valenceNow, direction, turns }: Trajectory): string {
  const two = (from: number, to: number): string => `${from.toFixed(2)} -> ${to.toFixed(2)}`;
  return `frustration ${two(start, now)}, valence ${two(valenceStart, valenceNow)}: ${direction} over ${turns} messages`;
}

/** One request of `mood --batch`. */
export interface MoodRequest {
  messages: Message[];
  now?: number;
  utcOffsetMinutes?: number;
}

/** Reads one request of `mood --batch`, or returns its error. */
export function requestOf(fields: Readonly<Record<string, unknown>>): MoodRequest | Unreadable {
  const { messages, now, utcOffsetMinutes } = fields;
  if (!Array.isArray(messages)) return { error: 'messages is not a list' };
  const present = now === undefined ? undefined : timeOf(now);
  if (now !== undefined && present === undefined) return { error: 'now is not a time' };
  if (utcOffsetMinutes !== undefined && typeof utcOffsetMinutes !== 'number') {
    return { error: 'utcOffsetMinutes is not a number' };
  }
  return {
    messages: messagesOf(messages),
    now: present,
    utcOffsetMinutes,
  };
}
