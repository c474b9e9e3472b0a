import type { Message } from '../transcript/message.ts';
import {
  HALF_LIFE_MS,
  MIN_CONFIDENCE,
  NAMED,
  NAMED_SECONDARY,
  TRAJECTORY_STEP,
  TRAJECTORY_TURNS,
  WINDOW_MESSAGES,
  WINDOW_MS,
} from './limits.ts';
import type { SentimentModel } from './model-types.ts';
import { personOf, readMessage, type TokenizedMessage } from './read.ts';
import { signalExtractors } from './signals/index.ts';
import { clamp, scoreTurn, type Turn } from './turn.ts';
import {
  DIMENSIONS,
  type Dimension,
  EMOTION_OF,
  type SentimentState,
  type Signal,
  type SignalExtractor,
  type Trajectory,
} from './types.ts';

/** How to read. Everything has a default; nothing is taken from the clock or the machine. */
export interface AnalyzeOptions {
  /** Epoch milliseconds that count as the present; by default the time of the last message. */
  now?: number;
  /** The person's zone, minutes east of UTC; without it the hour of the day says nothing. */
  utcOffsetMinutes?: number;
  /** Messages that are looked at, a run of replies and tool results counting as one; default 20. */
  windowMessages?: number;
  /** How far before the person's last message the window reaches; default 4 h. */
  windowMs?: number;
  /** The trained model of `loadModel`; without it signals and a small lexicon serve. */
  model?: SentimentModel | null;
  /** Extractors in place of the built-in ones. */
  extractors?: readonly SignalExtractor[];
}

/** How each earlier turn weighs against the one after it. */
const FADE = 0.45;
const MAX_TURNS = 60;
const CONTEXT_MESSAGES = 12;

/** The state of the person who spoke last; neutral with confidence 0 when nobody did. */
export function analyze(messages: readonly Message[], options: AnalyzeOptions = {}): SentimentState {
  const window = openWindow(messages, options);
  const last = window.findLast((m) => m.role === 'user');
  return last === undefined
    ? nobody()
    : stateOf(window, personOf(last), options, presentOf(messages, options));
}

/** The state of each person in the window, by the name the host gives them ('' when it gives none). */
export function analyzeBySender(
  messages: readonly Message[],
  options: AnalyzeOptions = {},
): Map<string, SentimentState> {
  const window = openWindow(messages, options);
  const present = presentOf(messages, options);
  const states = new Map<string, SentimentState>();
  for (const message of window) {
    if (message.role !== 'user') continue;
    const person = personOf(message);
    if (!states.has(person)) states.set(person, stateOf(window, person, options, present));
  }
  return states;
}

/** The messages that are looked at, read. */
function openWindow(messages: readonly Message[], options: AnalyzeOptions): TokenizedMessage[] {
  const limit = options.windowMessages ?? WINDOW_MESSAGES;
  const span = options.windowMs ?? WINDOW_MS;
  const end = messages.findLastIndex((m) => m.role === 'user');
  if (end < 0) return [];
  const spoke = timeOf(messages[end]);
  const kept: TokenizedMessage[] = [];
  let counted = 0;
  let inReplies = false;
  for (let i = end; i >= 0; i--) {
    const message = messages[i];
    if (message === undefined || message.role === 'system') continue;
    const time = timeOf(message);
    if (spoke !== undefined && time !== undefined && spoke - time > span) break;
    const reply = message.role !== 'user';
    if (!reply || !inReplies) counted++;
    if (counted > limit) break;
    // Of a run of replies only the last one, with words in it, is context.
    if (!reply || message.role === 'assistant') {
      if (!(reply && inReplies) || kept.at(-1)?.role === 'user')
        kept.push(readMessage(message, options.utcOffsetMinutes));
    }
    inReplies = reply;
  }
  return kept.reverse();
}

function stateOf(
  window: readonly TokenizedMessage[],
  person: string,
  options: AnalyzeOptions,
  present: number | undefined,
): SentimentState {
  const turns: Turn[] = [];
  let last: TokenizedMessage | undefined;
  const places: number[] = [];
  for (let i = 0; i < window.length; i++) {
    const message = window[i];
    if (message !== undefined && message.role === 'user' && personOf(message) === person) places.push(i);
  }
  for (const place of places.slice(-MAX_TURNS)) {
    last = window[place];
    const context = window.slice(Math.max(0, place - CONTEXT_MESSAGES), place + 1);
    turns.push(scoreTurn(context, options.extractors ?? signalExtractors, options.model ?? null));
  }
  if (last === undefined) return nobody();
  return settle(turns, last, present);
}

/** Folds turns into one state: the last one counts most, earlier ones fade by turn and by time. */
function settle(turns: readonly Turn[], last: TokenizedMessage, present: number | undefined): SentimentState {
  const state = nobody();
  let total = 0;
  let weight = 1;
  let valence = 0;
  let arousal = 0;
  let sure = 0;
  for (let i = turns.length - 1; i >= 0; i--) {
    const turn = turns[i];
    if (turn === undefined) continue;
    const gap = last.time !== undefined && turn.time !== undefined ? Math.max(0, last.time - turn.time) : 0;
    const w = weight * (0.1 + turn.confidence) * 2 ** (-gap / HALF_LIFE_MS);
    for (const dimension of DIMENSIONS) state[dimension] += w * turn.dimensions[dimension];
    valence += w * turn.valence;
    arousal += w * turn.arousal;
    sure += w * turn.confidence;
    total += w;
    weight *= FADE;
  }
  const age = present !== undefined && last.time !== undefined ? Math.max(0, present - last.time) : 0;
  const fresh = 2 ** (-age / HALF_LIFE_MS);
  for (const dimension of DIMENSIONS) state[dimension] = round((state[dimension] / total) * fresh);
  state.valence = round(clamp((valence / total) * fresh, -1, 1));
  state.arousal = round(clamp(REST + (arousal / total - REST) * fresh, 0, 1));
  state.confidence = round(clamp((sure / total) * fresh, 0, 1));
  state.signals = rank(turns.at(-1)?.signals ?? []);
  state.windowSize = turns.length;
  state.timestamp = last.time === undefined ? null : new Date(last.time).toISOString();
  state.sender = last.sender ?? null;
  state.trajectory = trajectoryOf(turns);
  name(state);
  return state;
}

const REST = 0.4;

function name(state: SentimentState): void {
  if (state.confidence < MIN_CONFIDENCE) return;
  const ranked = [...DIMENSIONS].sort((a, b) => state[b] - state[a]);
  const [first, second] = ranked as [Dimension, Dimension];
  if (state[first] < NAMED) return;
  state.emotion = EMOTION_OF[first];
  if (state[second] >= NAMED_SECONDARY) state.secondary = EMOTION_OF[second];
}

function trajectoryOf(turns: readonly Turn[]): Trajectory | null {
  if (turns.length < TRAJECTORY_TURNS) return null;
  const half = Math.floor(turns.length / 2);
  const early = turns.slice(0, half);
  const late = turns.slice(turns.length - half);
  const start = mean(early, (t) => t.dimensions.frustration);
  const now = mean(late, (t) => t.dimensions.frustration);
  const valenceStart = mean(early, (t) => t.valence);
  const valenceNow = mean(late, (t) => t.valence);
  const strain = now - start - (valenceNow - valenceStart) / 2;
  const direction = strain > TRAJECTORY_STEP ? 'rising' : strain < -TRAJECTORY_STEP ? 'easing' : 'steady';
  return {
    start: round(start),
    now: round(now),
    direction,
    turns: turns.length,
    valenceStart: round(valenceStart),
    valenceNow: round(valenceNow),
  };
}

function mean(turns: readonly Turn[], value: (turn: Turn) => number): number {
  let sum = 0;
  for (const turn of turns) sum += value(turn);
  return turns.length === 0 ? 0 : sum / turns.length;
}

function rank(signals: readonly Signal[]): Signal[] {
  return [...signals]
    .sort((a, b) => b.score * b.confidence - a.score * a.confidence)
    .map((s) => ({ ...s, score: round(s.score), confidence: round(s.confidence) }));
}

function nobody(): SentimentState {
  return {
    emotion: 'neutral',
    secondary: null,
    frustration: 0,
    playfulness: 0,
    urgency: 0,
    curiosity: 0,
    fatigue: 0,
    engagement: 0,
    valence: 0,
    arousal: REST,
    confidence: 0,
    signals: [],
    windowSize: 0,
    timestamp: null,
    sender: null,
    trajectory: null,
  };
}

function presentOf(messages: readonly Message[], options: AnalyzeOptions): number | undefined {
  if (options.now !== undefined && Number.isFinite(options.now)) return options.now;
  for (let i = messages.length - 1; i >= 0; i--) {
    const time = timeOf(messages[i]);
    if (time !== undefined) return time;
  }
  return undefined;
}

function timeOf(message: Message | undefined): number | undefined {
  if (message?.timestamp === undefined) return undefined;
  const time = Date.parse(message.timestamp);
  return Number.isFinite(time) ? time : undefined;
}

/** Three decimals are more than the reading is worth, and keep the output the same on every machine. */
function round(value: number): number {
  return Number.isFinite(value) ? Math.round(value * 1000) / 1000 : 0;
}
