import type { Config } from '../config/settings.ts';
import { type Adjusted, adjust, type Feedback } from '../sentiment/feedback/remarks.ts';
import {
  analyze,
  analyzeBySender,
  mapStrategy,
  type SentimentState,
  type Strategy,
  tryLoadModel,
} from '../sentiment/index.ts';
import type { Message, Sign } from '../transcript/types.ts';

export interface MoodInput {
  /** The window, oldest first. */
  messages: readonly Message[];
  /** Calls refused by the person, and the times when they stopped the agent. */
  signs?: readonly Sign[] | undefined;
  /** Epoch milliseconds; by default the time of the last message. */
  now?: number | undefined;
  config: Pick<Config, 'window'>;
  /** People's feedback on answers. */
  feedback?: Feedback | undefined;
}

export interface Mood {
  state: SentimentState;
  /** How to answer them, including their feedback on earlier answers. */
  strategy: Strategy;
  /** The reasons why feedback changed parts of the strategy. */
  why: Adjusted['why'];
  /** The moods of the others in the window, by name, in order of their first message. */
  others: readonly (readonly [sender: string, state: SentimentState])[];
}

/** Reads mood and strategy for the state block, `scratchpad mood`, the tools and the hooks. */
export function readMood({ messages, signs = [], now, config, feedback }: MoodInput): Mood {
  const { messages: windowMessages, age: windowMs } = config.window;
  const options = { now, windowMessages, windowMs, signs, model: tryLoadModel() };
  const state = analyze(messages, options);
  const speaker = state.sender ?? '';
  const people = new Set(messages.flatMap(({ role, sender }) => (role === 'user' ? [sender ?? ''] : [])));
  // Most conversations are with one person.
  const others = people.size < 2 ? [] : [...analyzeBySender(messages, options)];
  const asked = mapStrategy(state);
  const at = now ?? Date.parse(state.timestamp ?? '');
  const { strategy, why } =
    feedback === undefined
      ? { strategy: asked, why: {} }
      : adjust(asked, feedback, speaker, Number.isNaN(at) ? 0 : at);
  return { state, strategy, why, others: others.filter(([name]) => name !== speaker) };
}
