import { makeUnion, matchText, type Shape, truth } from '../base/fs/json-shape.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import { getList, getObject, isObject, type JsonObject, parseObject, toJsonText } from '../base/text/json.ts';
import { shorten } from '../base/text/strings.ts';
import { createQuietState, nameMood } from '../sentiment/state.ts';
import {
  DIMENSIONS,
  type SentimentState,
  STYLES,
  type Strategy,
  TONES,
  VERBOSITIES,
} from '../sentiment/types.ts';

/** A mood from the command of `stages.sentiment`, and the parts of the strategy that it chooses itself. */
export interface CommandMood {
  state: SentimentState;
  strategy: Partial<Strategy>;
}

const CHOICES = { style: STYLES, tone: TONES, verbosity: VERBOSITIES };
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

  return {
    state: parseState(state, windowSize),
    strategy: parseStrategy(readPart(printed ?? {}, 'strategy')),
  };
}

function parseState(given: JsonObject, windowSize: number): SentimentState {
  const state = createQuietState();
  for (const name of [...DIMENSIONS, 'arousal'] as const)
    state[name] = readLevel(given, `state.${name}`) ?? state[name];
  state.confidence = readLevel(given, 'state.confidence') ?? 1;
  state.valence = readLevel(given, 'state.valence', -1) ?? 0;
  state.windowSize = windowSize;
  nameMood(state);
  state.emotion = readMember(given, 'state.emotion', 'a word', WORD) ?? state.emotion;
  state.secondary = readMember(given, 'state.secondary', 'a word', WORD) ?? state.secondary;
  state.trajectory = parseTrajectory(readPart(given, 'state.trajectory'), windowSize);

  return state;
}

function parseTrajectory(given: JsonObject, turns: number): SentimentState['trajectory'] {
  const [start, now] = [readLevel(given, 'state.start'), readLevel(given, 'state.now')];
  if (start === undefined || now === undefined) return null;
  const changed = now > start ? 'rising' : 'easing';
  return { start, now, direction: now === start ? 'steady' : changed, peak: Math.max(start, now), turns };
}

function parseStrategy(given: JsonObject): Partial<Strategy> {
  const chosen: Record<string, unknown> = {};
  for (const [part, words] of Object.entries<readonly string[]>(CHOICES))
    chosen[part] = readMember(given, `strategy.${part}`, words.join(', '), makeUnion(...words));
  chosen.preamble = readMember(given, 'strategy.preamble', 'true or false', truth);

  const suggestions = getList(given, 'suggestions').filter((each) => typeof each === 'string');
  if (suggestions.length > 0)
    chosen.suggestions = suggestions
      .slice(0, MOST_SUGGESTIONS)
      .map((each) => sanitizeLine(each, SUGGESTION_CHARACTERS));

  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
}

const WORD = matchText(/^\p{L}[\p{L} -]{0,29}$/u);

const readPart = (given: JsonObject, where: string): JsonObject =>
  readMember(given, where, 'an object', (value) => (isObject(value) ? value : undefined)) ?? {};

const readLevel = (given: JsonObject, where: string, lowest = 0): number | undefined =>
  readMember(given, where, `a number from ${lowest} to 1`, (value) =>
    typeof value === 'number' && value >= lowest && value <= 1 ? value : undefined,
  );

/** The member that is the last of a path; `undefined` if it is not given. */
function readMember<Value>(
  given: JsonObject,
  where: string,
  expected: string,
  shape: Shape<Value>,
): Value | undefined {
  const found = given[where.slice(where.lastIndexOf('.') + 1)] ?? undefined;
  const value = shape(found);
  if (found === undefined || value !== undefined) return value;
  throw new Error(`${where}: expected ${expected}, found ${shorten(toJsonText(found), 60)}`);
}
