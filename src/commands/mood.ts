import { resolve } from 'node:path';
import { ScratchpadError } from '../errors.ts';
import { forTerminal } from '../safety/terminal.ts';
import {
  analyze,
  analyzeBySender,
  DIMENSIONS,
  mapStrategy,
  type SentimentModel,
  type SentimentState,
  type Strategy,
  tryLoadModel,
} from '../sentiment/index.ts';
import { readSource, type SourceRequest } from '../source.ts';
import { type Invocation, readInputFile, readStdin, write } from './invocation.ts';
import { type MoodRequest, requestOf } from './mood-request.ts';
import { openSession } from './open.ts';

export interface MoodOptions {
  messages?: string;
  transcript?: string;
  batch?: boolean;
}

/**
 * How the person who spoke last seems to be, with what says so, and how to answer. Nothing is
 * stored. Shape with `--json`: `{source, state, strategy, others: {<sender>: state}}`.
 */
export async function mood(invocation: Invocation, options: MoodOptions): Promise<void> {
  const model = tryLoadModel();
  if (model === null)
    invocation.note('warning: the trained model cannot be read; signals and a small lexicon serve');
  if (options.batch === true) return batch(invocation, model);
  const given = options.messages !== undefined || options.transcript !== undefined;
  // The option names a host's session here, not a pad.
  const { session: _, ...general } = invocation.options;
  const opened = await openSession({ ...invocation, options: general });
  const source = await readSource(
    requestFor(invocation, options),
    opened.workspace.root,
    opened.config,
    invocation.env,
    (problem) => invocation.note(`warning: ${problem}`),
  );
  if (source === undefined) {
    throw new ScratchpadError('refused', 'no session of this workspace was found', {
      next: 'name one: scratchpad mood --transcript FILE, or --messages FILE',
    });
  }
  const { messages, facts } = source.transcript;
  const { utcOffsetHours } = facts;
  const settings = {
    model,
    windowMessages: opened.config.window.messages,
    windowMs: opened.config.window.age,
    // A file that was named is read as of its own last message, a live session as of now.
    ...(given && invocation.options.now === undefined ? {} : { now: invocation.now }),
    ...(utcOffsetHours === undefined ? {} : { utcOffsetMinutes: Math.round(utcOffsetHours * 60) }),
  };
  const state = analyze(messages, settings);
  const strategy = mapStrategy(state);
  const others = [...analyzeBySender(messages, settings)].filter(([name]) => name !== (state.sender ?? ''));
  const value = { source: source.name, state, strategy, others: Object.fromEntries(others) };
  invocation.result(value, forTerminal(shown(state, strategy, others)));
}

function requestFor(invocation: Invocation, { messages, transcript }: MoodOptions): SourceRequest {
  if (messages !== undefined && transcript !== undefined) {
    throw new ScratchpadError('usage', 'the session is given twice', {
      expected: '--messages or --transcript, not both',
    });
  }
  if (messages !== undefined) {
    const text = messages === '-' ? readStdin() : readInputFile(messages, invocation.cwd);
    return { messages: { text, name: messages === '-' ? 'standard input' : messages } };
  }
  if (transcript !== undefined) return { transcript: resolve(invocation.cwd, transcript) };
  const { session } = invocation.options;
  return session === undefined ? {} : { session };
}

/**
 * Answers requests from stdin in order: `{"id", "messages"}`, with `now` (ISO 8601 or epoch
 * milliseconds) and `utcOffsetMinutes` where they are known, gives `{"id", "state", "strategy"}`.
 * A request that cannot be read gives `{"id", "error"}`, and the exit code is 2 in the end.
 */
function batch(invocation: Invocation, model: SentimentModel | null): void {
  for (const line of readStdin().split('\n')) {
    if (line.trim() === '') continue;
    const request = requestOf(line);
    if ('error' in request) invocation.exitCode = 2;
    write(1, `${JSON.stringify('error' in request ? request : answer(request, model))}\n`);
  }
}

function answer({ id, messages, now, utcOffsetMinutes }: MoodRequest, model: SentimentModel | null): unknown {
  const state = analyze(messages, {
    model,
    ...(now === undefined ? {} : { now }),
    ...(utcOffsetMinutes === undefined ? {} : { utcOffsetMinutes }),
  });
  return { id, state, strategy: mapStrategy(state) };
}

function shown(
  state: SentimentState,
  strategy: Strategy,
  others: readonly [string, SentimentState][],
): string {
  const { trajectory } = state;
  const lines = [
    `${state.sender === null ? '' : `${state.sender}: `}${state.emotion}${state.secondary === null ? '' : `, ${state.secondary}`} (confidence ${state.confidence.toFixed(2)}, ${state.windowSize} messages)`,
    DIMENSIONS.map((name) => `${name} ${state[name].toFixed(2)}`).join('  '),
    `valence ${state.valence.toFixed(2)}  arousal ${state.arousal.toFixed(2)}`,
  ];
  if (trajectory !== null) {
    const { start, now, direction, turns } = trajectory;
    lines.push(`frustration ${start.toFixed(2)} -> ${now.toFixed(2)}, ${direction}, over ${turns} messages`);
  }
  lines.push('', 'Because of:');
  for (const { name, score, evidence } of state.signals) {
    if (score >= 0.05) lines.push(`  ${name} ${score.toFixed(2)}  ${evidence.join(' · ')}`);
  }
  if (lines.at(-1) === 'Because of:') lines.push('  nothing that stands out');
  lines.push(
    '',
    `Answer: ${strategy.style}, ${strategy.tone}, ${strategy.verbosity}, preamble ${strategy.preamble ? 'yes' : 'no'}`,
  );
  for (const text of [...strategy.suggestions, ...strategy.reasons.map((r) => `(${r})`)])
    lines.push(`  ${text}`);
  for (const [name, other] of others) lines.push('', `${name === '' ? 'no name' : name}: ${other.emotion}`);
  return lines.join('\n');
}
