import { ScratchpadError } from '../base/errors.ts';
import { safeLine } from '../base/safety/index.ts';
import type { CommandSpec } from '../config/command.ts';
import { parseState, type SentimentState } from '../sentiment/index.ts';
import type { MoodInput } from './mood.ts';

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
export async function askCommand(spec: CommandSpec, input: MoodInput): Promise<SentimentState> {
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
