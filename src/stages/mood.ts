import { messageOf, ScratchpadError } from '../base/errors.ts';
import { safeLine } from '../base/safety/index.ts';
import type { CommandSpec } from '../config/command.ts';
import type { Config } from '../config/config.ts';
import type { RunCommand } from '../config/runner.ts';
import { type Adjusted, adjust, type Feedback } from '../sentiment/feedback/remarks.ts';
import {
  type AnalyzeOptions,
  analyze,
  analyzeBySender,
  mapStrategy,
  parseState,
  type SentimentState,
  type Strategy,
  tryLoadModel,
} from '../sentiment/index.ts';
import type { Message, Sign } from '../transcript/types.ts';

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

/** Version of the command's input on stdin; it may gain fields (`docs/state.md`). */
const INPUT_VERSION = 1;
const DEFAULT_TIMEOUT_MS = 1000;
/** The sections that show the mood time out at 1500 ms. */
const LONGEST_MS = 1200;
const MOST_OUTPUT = 64 * 1024;
const LONGEST_MESSAGE = 8000;

/**
 * Lets the configured command read the mood: messages on its stdin, a state on its stdout. Speaker, time and number
 * of messages always come from the messages.
 *
 * @throws Error with the reason in one plain line
 */
async function askCommand(spec: CommandSpec, input: MoodInput): Promise<SentimentState> {
  const { messages, now, utcOffsetMinutes, runCommand } = input;
  const own = messages.filter(({ role }) => role === 'user');
  const last = own.at(-1);
  const spoke = Date.parse(last?.timestamp ?? '');
  const present = now ?? (Number.isNaN(spoke) ? undefined : spoke);
  const question = {
    scratchpad: INPUT_VERSION,
    stage: 'sentiment',
    workspace: input.workspace,
    session: input.session ?? null,
    now: present === undefined ? null : new Date(present).toISOString(),
    utcOffsetMinutes: utcOffsetMinutes ?? null,
    messages: messages.map(({ role, content, sender, timestamp }) => ({
      role,
      content: content.slice(0, LONGEST_MESSAGE),
      sender: sender ?? null,
      timestamp: timestamp ?? null,
    })),
  };
  const output = await runCommand(spec, JSON.stringify(question), {
    timeoutMs: Math.min(spec.timeoutMs ?? DEFAULT_TIMEOUT_MS, LONGEST_MS),
    maxOutput: MOST_OUTPUT,
  });
  const state = read(output);
  return {
    ...state,
    windowSize: own.filter(({ sender }) => sender === last?.sender).length,
    timestamp: Number.isNaN(spoke) ? null : new Date(spoke).toISOString(),
    sender: last?.sender ?? null,
  };
}

function read(output: string): SentimentState {
  if (output.trim() === '') throw new Error('it printed nothing');
  try {
    return parseState(output);
  } catch (error) {
    if (!(error instanceof ScratchpadError)) throw error;
    const { where = 'state', expected = 'a state', found = '' } = error.detail;
    throw new Error(`its answer is not a state: ${where} is ${safeLine(found, 80)}, expected ${expected}`);
  }
}
