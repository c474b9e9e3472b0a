import { safeLine } from '../base/safety/index.ts';
import {
  type JsonObject,
  jsonText,
  listAt,
  numberAt,
  objectAt,
  parsedObject,
  textAt,
} from '../base/text/json.ts';
import { shorten } from '../base/text/strings.ts';
import { nameMood, quietState } from '../sentiment/state.ts';
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
  const printed = parsedObject(output.trim());
  const state = objectAt(printed, 'state');
  if (state === undefined)
    throw new Error(
      `expected JSON such as {"state": {"frustration": 0.7, "confidence": 0.8}}, found: ${shorten(safeLine(output), 80) || 'no output'}`,
    );
  return { state: parseState(state, windowSize), strategy: parseStrategy(objectAt(printed, 'strategy')) };
}

function parseState(given: JsonObject, windowSize: number): SentimentState {
  const state = quietState();
  for (const name of [...DIMENSIONS, 'arousal'] as const) state[name] = level(given, name) ?? state[name];
  state.confidence = level(given, 'confidence') ?? 1;
  state.valence = level(given, 'valence', -1) ?? 0;
  state.windowSize = windowSize;
  nameMood(state);
  state.emotion = word(given, 'emotion') ?? state.emotion;
  state.secondary = word(given, 'secondary') ?? state.secondary;
  state.trajectory = parseTrajectory(objectAt(given, 'trajectory'), windowSize);
  return state;
}

function parseTrajectory(given: JsonObject | undefined, turns: number): SentimentState['trajectory'] {
  const [start, now] = [given && level(given, 'start'), given && level(given, 'now')];
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
    if (!words.some((each) => each === value)) throw unexpected(`strategy.${part}`, words.join(', '), value);
    chosen[part] = value;
  }
  if (typeof given.preamble === 'boolean') chosen.preamble = given.preamble;
  const suggestions = listAt(given, 'suggestions').filter((each) => typeof each === 'string');
  if (suggestions.length > 0)
    chosen.suggestions = suggestions
      .slice(0, MOST_SUGGESTIONS)
      .map((each) => safeLine(each, SUGGESTION_CHARACTERS));
  return chosen;
}

function level(given: JsonObject, name: string, lowest = 0): number | undefined {
  if (given[name] === undefined || given[name] === null) return undefined;
  const value = numberAt(given, name);
  if (value !== undefined && value >= lowest && value <= 1) return value;
  throw unexpected(`state.${name}`, `a number from ${lowest} to 1`, given[name]);
}

function word(given: JsonObject, name: string): string | undefined {
  if (given[name] === undefined || given[name] === null) return undefined;
  const text = textAt(given, name) ?? '';
  if (/^\p{L}[\p{L} -]*$/u.test(text) && text.length <= WORD_CHARACTERS) return text;
  throw unexpected(`state.${name}`, 'a word', given[name]);
}

function unexpected(where: string, expected: string, found: unknown): Error {
  return new Error(`${where}: expected ${expected}, found ${shorten(jsonText(found), 60)}`);
}
