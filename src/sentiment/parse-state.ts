import { misuse, type ScratchpadError } from '../base/errors.ts';
import { isObject } from '../base/text/json.ts';
import { nameMood } from './state.ts';
import { DIMENSIONS, type Emotion, type SentimentState, type Signal, type Trajectory } from './types.ts';

const EMOTIONS: ReadonlySet<string> = new Set<Emotion>([
  'neutral',
  'frustrated',
  'playful',
  'urgent',
  'curious',
  'tired',
  'engaged',
]);

/**
 * Checks a state from elsewhere (another engine, a file) and fills in defaults: dimensions 0, valence 0,
 * arousal .4, no signals, emotions derived from the dimensions. Only `confidence` is required. Unknown keys
 * are dropped.
 * @param json the parsed JSON, or its text
 * @throws ScratchpadError `usage` if it is not a valid state
 */
export function parseState(json: unknown): SentimentState {
  const value = typeof json === 'string' ? parseText(json) : json;
  if (!isObject(value)) throw wrong('a JSON object', value, 'state');
  const { emotion, secondary = null } = value;
  if (emotion !== undefined && (typeof emotion !== 'string' || !EMOTIONS.has(emotion)))
    throw wrong([...EMOTIONS].join(', '), emotion, 'emotion');
  if (secondary !== null && (typeof secondary !== 'string' || !EMOTIONS.has(secondary))) {
    throw wrong(`null or ${[...EMOTIONS].join(', ')}`, secondary, 'secondary');
  }
  const state: SentimentState = {
    emotion: (emotion ?? 'neutral') as Emotion,
    secondary: secondary as Emotion | null,
    frustration: 0,
    playfulness: 0,
    urgency: 0,
    curiosity: 0,
    fatigue: 0,
    engagement: 0,
    valence: number(value, 'valence', -1, 1, 0),
    arousal: number(value, 'arousal', 0, 1, 0.4),
    confidence: number(value, 'confidence', 0, 1, undefined),
    signals: signals(value.signals),
    windowSize: number(value, 'windowSize', 0, 1e6, 0),
    timestamp: time(value.timestamp),
    sender: typeof value.sender === 'string' ? value.sender : null,
    trajectory: trajectory(value.trajectory),
  };
  for (const dimension of DIMENSIONS) state[dimension] = number(value, dimension, 0, 1, 0);
  if (emotion === undefined) nameMood(state);
  return state;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw misuse('This is not a sentiment state', {
      expected: 'JSON',
      found: text,
      where: 'state',
      next: 'See docs/state.md for the fields a state has.',
      cause,
    });
  }
}

function number(
  record: Record<string, unknown>,
  key: string,
  low: number,
  high: number,
  fallback: number | undefined,
): number {
  const value = record[key] ?? fallback;
  if (typeof value !== 'number' || !(value >= low && value <= high)) {
    throw wrong(`a number from ${low} to ${high}`, record[key], key);
  }
  return value;
}

function signals(value: unknown): Signal[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong('an array', value, 'signals');
  return value.slice(0, 50).map((entry: unknown, i): Signal => {
    if (!isObject(entry) || typeof entry.name !== 'string') {
      throw wrong('{name, score, evidence}', entry, `signals[${i}]`);
    }
    const raises = DIMENSIONS.find((dimension) => dimension === entry.raises);
    const evidence = Array.isArray(entry.evidence) ? entry.evidence : [];
    return {
      name: entry.name.slice(0, 80),
      score: number(entry, 'score', 0, 1, undefined),
      raises,
      evidence: evidence.filter((e): e is string => typeof e === 'string').slice(0, 10),
    };
  });
}

function trajectory(value: unknown): Trajectory | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw wrong('{start, now, direction, turns}', value, 'trajectory');
  const direction = value.direction;
  if (direction !== 'rising' && direction !== 'easing' && direction !== 'steady') {
    throw wrong('rising, easing, steady', direction, 'trajectory.direction');
  }
  return {
    start: number(value, 'start', 0, 1, undefined),
    now: number(value, 'now', 0, 1, undefined),
    direction,
    turns: number(value, 'turns', 0, 1e6, 0),
    valenceStart: number(value, 'valenceStart', -1, 1, 0),
    valenceNow: number(value, 'valenceNow', -1, 1, 0),
  };
}

function time(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (!Number.isFinite(parsed)) throw wrong('an ISO 8601 time', value, 'timestamp');
  return new Date(parsed).toISOString();
}

function wrong(expected: string, found: unknown, where: string): ScratchpadError {
  return misuse('This is not a sentiment state', {
    expected,
    found: JSON.stringify(found) ?? 'nothing',
    where,
    next: 'See docs/state.md for the fields a state has.',
  });
}
