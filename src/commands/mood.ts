import { resolve } from 'node:path';
import { readSource, type SourceRequest } from '../assembly/source.ts';
import { commandRunner } from '../config/runner.ts';
import { ScratchpadError } from '../errors.ts';
import { forTerminal } from '../safety/terminal.ts';
import {
  analyze,
  DIMENSIONS,
  mapStrategy,
  type SentimentModel,
  type SentimentState,
  type Strategy,
  tryLoadModel,
} from '../sentiment/index.ts';
import { type Mood, readMood } from '../stages/mood.ts';
import { batch } from './batch.ts';
import { type Invocation, readInputFile, readStdin } from './invocation.ts';
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
  if (options.batch === true) return batch(invocation, requestOf, (request) => answer(request, model));
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
  const { state, others, trouble } = await readMood({
    workspace: opened.workspace.root,
    session: facts.id,
    messages,
    // A file that was named is read as of its own last message, a live session as of now.
    now: given && invocation.options.now === undefined ? undefined : invocation.now,
    utcOffsetMinutes: utcOffsetHours === undefined ? undefined : Math.round(utcOffsetHours * 60),
    config: opened.config,
    runCommand: commandRunner(opened.workspace.root, invocation.env),
  });
  if (trouble !== undefined) invocation.note(`warning: ${trouble}`);
  const strategy = mapStrategy(state);
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

/** What `--batch` says to `{"messages"}`, with `now` (ISO 8601 or epoch milliseconds) and `utcOffsetMinutes` where they are known. */
function answer({ messages, now, utcOffsetMinutes }: MoodRequest, model: SentimentModel | null): object {
  const state = analyze(messages, {
    model,
    ...(now === undefined ? {} : { now }),
    ...(utcOffsetMinutes === undefined ? {} : { utcOffsetMinutes }),
  });
  return { state, strategy: mapStrategy(state) };
}

function shown(state: SentimentState, strategy: Strategy, others: Mood['others']): string {
  const { trajectory } = state;
  const lines = [
    `${state.sender === null ? '' : `${state.sender}: `}${state.emotion}${state.secondary === null ? '' : `, ${state.secondary}`} (confidence ${state.confidence.toFixed(2)}, ${state.windowSize} ${state.windowSize === 1 ? 'message' : 'messages'})`,
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
