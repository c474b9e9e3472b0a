import {
  type AnalyzeOptions,
  analyze,
  analyzeBySender,
  type SentimentModel,
  type SentimentState,
  tryLoadModel,
} from '../sentiment/index.ts';
import type { Message } from '../transcript/read.ts';
import { KeptReadings } from './kept-readings.ts';
import type { MoodInput } from './mood-input.ts';

export interface Mood {
  /** Of the person who spoke last. */
  state: SentimentState;
  /** Of the others in the window, by name, in the order in which they spoke first; by the built-in engine. */
  others: readonly (readonly [sender: string, SentimentState])[];
  /** Why the command of the config did not read it, in one plain line. */
  trouble?: string;
}

/** The mood by the command that the config names, and by the built-in engine without one or where it fails. */
export async function readMood(input: MoodInput): Promise<Mood> {
  const model = tryLoadModel();
  return readWith(model && input.kept ? new KeptReadings(model, input.kept) : model, input);
}

async function readWith(model: SentimentModel | null, input: MoodInput): Promise<Mood> {
  const { messages, config } = input;
  const options = optionsFor(model, input);
  const spec = config.sentiment.command;
  const others = othersOf(messages, options);
  if (spec === undefined || !messages.some(({ role }) => role === 'user'))
    return { state: analyze(messages, options), others };
  const { askCommand } = await import('./mood-command.ts');
  try {
    return { state: await askCommand(spec, input), others };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const trouble = `${spec.key}: ${reason}; the built-in engine served`;
    return { state: analyze(messages, options), others, trouble };
  }
}

function optionsFor(
  model: SentimentModel | null,
  { now, utcOffsetMinutes, config }: MoodInput,
): AnalyzeOptions {
  return {
    ...(now === undefined ? {} : { now }),
    ...(utcOffsetMinutes === undefined ? {} : { utcOffsetMinutes }),
    windowMessages: config.window.messages,
    windowMs: config.window.age,
    model,
  };
}

/** Nothing in a talk of two: most are. */
function othersOf(messages: readonly Message[], options: AnalyzeOptions): [string, SentimentState][] {
  const people = new Set(messages.flatMap(({ role, sender }) => (role === 'user' ? [sender ?? ''] : [])));
  if (people.size < 2) return [];
  const speaker = messages.findLast(({ role }) => role === 'user')?.sender ?? '';
  return [...analyzeBySender(messages, options)].filter(([name]) => name !== speaker);
}
