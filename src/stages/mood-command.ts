import { sanitizeLine } from '../base/safety/index.ts';
import {
  getList,
  getNumber,
  getObject,
  getString,
  type JsonObject,
  parseObject,
  toJsonText,
} from '../base/text/json.ts';
import { shorten } from '../base/text/strings.ts';
import { createQuietState, nameMood } from '../sentiment/state.ts';
import { DIMENSIONS, type SentimentState, type Strategy } from '../sentiment/types.ts';

/** A mood from the command of `stages.sentiment`, and the parts of the strategy that it chooses itself. */
export interface CommandMood {
  state: SentimentState;
  strategy: Partial<Strategy>;
}

const CHOICES = {
  style: ['concise', 'gentle', 'matched', 'neutral'],
  tone: ['direct', 'warm', 'playful', 'professional'],
  verbosity: ['minimal', 'moderate', 'thorough'],
} as const;
const WORD_CHARACTERS = 30;
const SUGGESTION_CHARACTERS = 120;
const MOST_SUGGESTIONS = 3;

/**
 * Reads what another sentiment engine prints: `{"state": {…}, "strategy": {…}}`, as docs/state.md describes it.
 * @param windowSize number of the person's messages that it was given
 * @throws Error that says what was expected and found
 */
export function parseMood(output: string, windowSize: number): CommandMood {
  const printed = parseObject(output.trim());
  const state = getObject(printed, 'state');
  if (state === undefined)
    throw new Error(
      `expected JSON such as {"state": {"frustration": 0.7, "confidence": 0.8}}, found: ${shorten(sanitizeLine(output), 80) || 'no output'}`,
    );

  return { state: parseState(state, windowSize), strategy: parseStrategy(readObject(printed, 'strategy')) };
}

function parseState(given: JsonObject, windowSize: number): SentimentState {
  const state = createQuietState();
  for (const name of [...DIMENSIONS, 'arousal'] as const) state[name] = readLevel(given, name) ?? state[name];
  state.confidence = readLevel(given, 'confidence') ?? 1;
  state.valence = readLevel(given, 'valence', -1) ?? 0;
  state.windowSize = windowSize;
  nameMood(state);
  state.emotion = readWord(given, 'emotion') ?? state.emotion;
  state.secondary = readWord(given, 'secondary') ?? state.secondary;
  state.trajectory = parseTrajectory(readObject(given, 'trajectory', 'state.'), windowSize);

  return state;
}

function parseTrajectory(given: JsonObject | undefined, turns: number): SentimentState['trajectory'] {
  const [start, now] = [given && readLevel(given, 'start'), given && readLevel(given, 'now')];
  if (start === undefined || now === undefined) return null;
  const changed = now > start ? 'rising' : 'easing';
  return { start, now, direction: now === start ? 'steady' : changed, peak: Math.max(start, now), turns };
}

function parseStrategy(given: JsonObject | undefined): Partial<Strategy> {
  if (given === undefined) return {};

  const chosen: Record<string, unknown> = {};
  for (const [part, words] of Object.entries<readonly string[]>(CHOICES)) {
    const value = given[part];
    if (value === undefined) continue;
    if (!words.some((each) => each === value))
      throw unexpectedAnswer(`strategy.${part}`, words.join(', '), value);
    chosen[part] = value;
  }

  if (given.preamble !== undefined) {
    if (typeof given.preamble !== 'boolean')
      throw unexpectedAnswer('strategy.preamble', 'true or false', given.preamble);
    chosen.preamble = given.preamble;
  }
  const suggestions = getList(given, 'suggestions').filter((each) => typeof each === 'string');
  if (suggestions.length > 0)
    chosen.suggestions = suggestions
      .slice(0, MOST_SUGGESTIONS)
      .map((each) => sanitizeLine(each, SUGGESTION_CHARACTERS));

  return chosen;
}

function readObject(given: JsonObject | undefined, name: string, where = ''): JsonObject | undefined {
  const value = given?.[name];
  if (value === undefined || value === null) return undefined;
  const object = getObject(given, name);
  if (object === undefined) throw unexpectedAnswer(`${where}${name}`, 'an object', value);
  return object;
}

function readLevel(given: JsonObject, name: string, lowest = 0): number | undefined {
  if (given[name] === undefined || given[name] === null) return undefined;
  const value = getNumber(given, name);
  if (value !== undefined && value >= lowest && value <= 1) return value;
  throw unexpectedAnswer(`state.${name}`, `a number from ${lowest} to 1`, given[name]);
}

function readWord(given: JsonObject, name: string): string | undefined {
  if (given[name] === undefined || given[name] === null) return undefined;
  const text = getString(given, name) ?? '';
  if (/^\p{L}[\p{L} -]*$/u.test(text) && text.length <= WORD_CHARACTERS) return text;
  throw unexpectedAnswer(`state.${name}`, 'a word', given[name]);
}

function unexpectedAnswer(where: string, expected: string, found: unknown): Error {
  return new Error(`${where}: expected ${expected}, found ${shorten(toJsonText(found), 60)}`);
}
