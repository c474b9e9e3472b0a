import { misuse } from '../base/errors.ts';
import { isObject, parsed } from '../base/text/json.ts';
import { nameMood } from './state.ts';
import { DIMENSIONS, EMOTION_OF, type Emotion, type SentimentState, type Signal } from './types.ts';

const EMOTIONS: readonly unknown[] = ['neutral', ...Object.values(EMOTION_OF)];
const DIRECTIONS: readonly unknown[] = ['rising', 'easing', 'steady'];

/**
 * Checks a state from elsewhere (another engine, a file) and fills in defaults: dimensions 0, valence 0,
 * arousal .4, no signals, emotions derived from the dimensions. Only `confidence` is required. Unknown keys
 * are dropped.
 * @param json the parsed JSON, or its text
 * @throws ScratchpadError `usage` if it is not a valid state
 */
export function parseState(json: unknown): SentimentState {
  const value = typeof json === 'string' ? parsed(json) : json;
  if (typeof json === 'string' && value === undefined) throw wrong('JSON', json, 'state', json);
  if (!isObject(value)) throw wrong('a JSON object', json, 'state');
  const { emotion, secondary = null, timestamp, sender } = value;
  const named = (name: unknown, where: string): void => {
    if (!EMOTIONS.includes(name)) throw wrong(EMOTIONS.join(', '), name, where);
  };
  if (emotion !== undefined) named(emotion, 'emotion');
  if (secondary !== null) named(secondary, 'secondary');
  const state: SentimentState = {
    emotion: (emotion ?? 'neutral') as Emotion,
    secondary: secondary as Emotion | null,
    frustration: 0,
    playfulness: 0,
    urgency: 0,
    curiosity: 0,
    fatigue: 0,
    engagement: 0,
    valence: number(value, 'valence', [-1, 1], 0),
    arousal: number(value, 'arousal', [0, 1], 0.4),
    confidence: number(value, 'confidence', [0, 1]),
    signals: signals(value.signals ?? []),
    windowSize: number(value, 'windowSize', [0, 1e6], 0),
    timestamp: time(timestamp),
    sender: typeof sender === 'string' ? sender : null,
    trajectory: trajectory(value.trajectory ?? null),
  };
  for (const dimension of DIMENSIONS) state[dimension] = number(value, dimension, [0, 1], 0);
  if (emotion === undefined) nameMood(state);
  return state;
}

function number(
  record: Record<string, unknown>,
  key: string,
  [low, high]: readonly [number, number],
  fallback?: number,
): number {
  const value = record[key] ?? fallback;
  if (typeof value === 'number' && value >= low && value <= high) return value;
  throw wrong(`a number from ${low} to ${high}`, record[key], key);
}

function signals(value: unknown): Signal[] {
  if (!Array.isArray(value)) throw wrong('an array', value, 'signals');
  return value.slice(0, 50).map((entry: unknown, i): Signal => {
    if (!isObject(entry) || typeof entry.name !== 'string')
      throw wrong('{name, score, evidence}', entry, `signals[${i}]`);
    const evidence = Array.isArray(entry.evidence) ? entry.evidence : [];
    return {
      name: entry.name.slice(0, 80),
      score: number(entry, 'score', [0, 1]),
      raises: DIMENSIONS.find((dimension) => dimension === entry.raises),
      evidence: evidence.filter((e): e is string => typeof e === 'string').slice(0, 10),
    };
  });
}

function trajectory(value: unknown): SentimentState['trajectory'] {
  if (value === null) return null;
  if (!isObject(value)) throw wrong('{start, now, direction, turns}', value, 'trajectory');
  const { direction } = value;
  if (!DIRECTIONS.includes(direction)) throw wrong(DIRECTIONS.join(', '), direction, 'trajectory.direction');
  return {
    start: number(value, 'start', [0, 1]),
    now: number(value, 'now', [0, 1]),
    direction: direction as 'rising' | 'easing' | 'steady',
    turns: number(value, 'turns', [0, 1e6], 0),
    valenceStart: number(value, 'valenceStart', [-1, 1], 0),
    valenceNow: number(value, 'valenceNow', [-1, 1], 0),
  };
}

function time(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (!Number.isFinite(at)) throw wrong('an ISO 8601 time', value, 'timestamp');
  return new Date(at).toISOString();
}

function wrong(
  expected: string,
  value: unknown,
  where: string,
  found = JSON.stringify(value) ?? 'nothing',
): ReturnType<typeof misuse> {
  return misuse('This is not a sentiment state', {
    expected,
    found,
    where,
    next: 'See docs/state.md for the fields a state has.',
  });
}
