import { messageOf } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import type { RunCommand } from '../config/runner.ts';
import { type Adjusted, adjust, type Feedback } from '../sentiment/feedback/adjust.ts';
import {
  type AnalyzeOptions,
  analyze,
  analyzeBySender,
  mapStrategy,
  type SentimentState,
  type Strategy,
  tryLoadModel,
} from '../sentiment/index.ts';
import type { Message, Sign } from '../transcript/types.ts';

/** The input for reading a mood. */
export interface MoodInput {
  workspace: string;
  /** Id of the host's session. */
  session?: string | undefined;
  /** The window, oldest first. */
  messages: readonly Message[];
  /** Calls refused by the person, and the times when they stopped the agent. */
  signs?: readonly Sign[] | undefined;
  /** Epoch milliseconds; by default the time of the last message. */
  now?: number | undefined;
  /** Minutes east of UTC, for a user's own command; absent if the zone is unknown. */
  utcOffsetMinutes?: number | undefined;
  config: Pick<Config, 'window' | 'sentiment'>;
  /** People's feedback on answers. */
  feedback?: Feedback | undefined;
  runCommand: RunCommand;
}

export interface Mood {
  /** The mood of the person who spoke last. */
  state: SentimentState;
  /** How to answer them, including their feedback on earlier answers. */
  strategy: Strategy;
  /** The reasons why feedback changed parts of the strategy. */
  why: Adjusted['why'];
  /**
   * The moods of the others in the window, by name, in order of their first message; always by the built-in engine.
   */
  others: readonly (readonly [sender: string, state: SentimentState])[];
  /** Why the configured command did not read it, in one plain line. */
  trouble?: string;
}

/**
 * Reads mood and strategy for the state block, `scratchpad mood`, the tools and the hooks: with the configured
 * command, or with the built-in engine if there is none or it fails. Then it applies the person's feedback on
 * earlier answers.
 */
export async function readMood(input: MoodInput): Promise<Mood> {
  const { state, others, trouble } = await readState(input);
  const asked = mapStrategy(state);
  const { feedback, now = Date.parse(state.timestamp ?? '') } = input;
  const { strategy, why } =
    feedback === undefined
      ? { strategy: asked, why: {} }
      : adjust(asked, feedback, state.sender ?? '', Number.isNaN(now) ? 0 : now);
  return { state, strategy, why, others, trouble };
}

async function readState(input: MoodInput): Promise<Pick<Mood, 'state' | 'others' | 'trouble'>> {
  const { messages, config } = input;
  const options = optionsFor(input);
  const spec = config.sentiment.command;
  const others = othersOf(messages, options);
  if (spec === undefined || !messages.some(({ role }) => role === 'user'))
    return { state: analyze(messages, options), others };
  const { askCommand } = await import('./mood-command.ts');
  try {
    return { state: await askCommand(spec, input), others };
  } catch (error) {
    const reason = messageOf(error);
    const trouble = `${spec.key}: ${reason}; used the built-in engine`;
    return { state: analyze(messages, options), others, trouble };
  }
}

function optionsFor({ now, config, signs = [] }: MoodInput): AnalyzeOptions {
  return {
    now,
    windowMessages: config.window.messages,
    windowMs: config.window.age,
    signs,
    model: tryLoadModel(),
  };
}

/** Empty in a conversation with one person, as most are. */
function othersOf(messages: readonly Message[], options: AnalyzeOptions): [string, SentimentState][] {
  const people = new Set(messages.flatMap(({ role, sender }) => (role === 'user' ? [sender ?? ''] : [])));
  if (people.size < 2) return [];
  const speaker = messages.findLast(({ role }) => role === 'user')?.sender ?? '';
  return [...analyzeBySender(messages, options)].filter(([name]) => name !== speaker);
}
