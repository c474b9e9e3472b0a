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

function parseState(json: JsonObject, windowSize: number): SentimentState {
  const state = createQuietState();
  for (const name of [...DIMENSIONS, 'arousal'] as const)
    state[name] = readLevel(json, `state.${name}`) ?? state[name];
  state.confidence = readLevel(json, 'state.confidence') ?? 1;
  state.valence = readLevel(json, 'state.valence', -1) ?? 0;
  state.windowSize = windowSize;
  nameMood(state);
  state.emotion = readMember(json, 'state.emotion', 'a word', WORD) ?? state.emotion;
  state.secondary = readMember(json, 'state.secondary', 'a word', WORD) ?? state.secondary;
  state.trajectory = parseTrajectory(readPart(json, 'state.trajectory'), windowSize);

  return state;
}

function parseTrajectory(json: JsonObject, turns: number): SentimentState['trajectory'] {
  const [start, now] = [readLevel(json, 'state.start'), readLevel(json, 'state.now')];
  if (start === undefined || now === undefined) return null;
  const changed = now > start ? 'rising' : 'easing';
  return { start, now, direction: now === start ? 'steady' : changed, peak: Math.max(start, now), turns };
}

function parseStrategy(json: JsonObject): Partial<Strategy> {
  const strategy: Record<string, unknown> = {};
  for (const [part, words] of Object.entries<readonly string[]>(CHOICES))
    strategy[part] = readMember(json, `strategy.${part}`, words.join(', '), makeUnion(...words));
  strategy.preamble = readMember(json, 'strategy.preamble', 'true or false', truth);

  const suggestions = getList(json, 'suggestions').filter((each) => typeof each === 'string');
  if (suggestions.length > 0)
    strategy.suggestions = suggestions
      .slice(0, MOST_SUGGESTIONS)
      .map((each) => sanitizeLine(each, SUGGESTION_CHARACTERS));

  return Object.fromEntries(Object.entries(strategy).filter(([, value]) => value !== undefined));
}

const WORD = matchText(/^\p{L}[\p{L} -]{0,29}$/u);

const readPart = (json: JsonObject, where: string): JsonObject =>
  readMember(json, where, 'an object', (value) => (isObject(value) ? value : undefined)) ?? {};

const readLevel = (json: JsonObject, where: string, lowest = 0): number | undefined =>
  readMember(json, where, `a number from ${lowest} to 1`, (value) =>
    typeof value === 'number' && value >= lowest && value <= 1 ? value : undefined,
  );

/** The member that is the last of a path; `undefined` if it is missing. */
function readMember<Value>(
  json: JsonObject,
  where: string,
  expected: string,
  shape: Shape<Value>,
): Value | undefined {
  const found = json[where.slice(where.lastIndexOf('.') + 1)] ?? undefined;
  const value = shape(found);
  if (found === undefined || value !== undefined) return value;
  throw new Error(`${where}: expected ${expected}, found ${shorten(toJsonText(found), 60)}`);
}
