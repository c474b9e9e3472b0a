import { isoUtc } from '../text/iso-time.ts';
import type { Message } from '../transcript/message.ts';
import { HALF_LIFE_MS } from './limits.ts';
import type { SentimentModel } from './model-types.ts';
import { nameEmotion } from './name-emotion.ts';
import { personOf } from './read.ts';
import { round } from './round.ts';
import { signalExtractors } from './signals/index.ts';
import { trajectoryOf } from './trajectory.ts';
import { clamp, quietTurn, scoreTurn, type Turn } from './turn.ts';
import {
  DIMENSIONS,
  type Dimensions,
  type ReadMessage,
  type SentimentState,
  type Signal,
  type SignalExtractor,
} from './types.ts';
import { openWindow, presentOf, type Window, type WindowOptions } from './window.ts';

/** How to read. Everything has a default; nothing is taken from the clock or the machine. */
export interface AnalyzeOptions extends WindowOptions {
  /** Epoch milliseconds that count as the present; by default the time of the last message. */
  now?: number;
  /** The trained model of `loadModel`; without it signals and a small lexicon serve. */
  model?: SentimentModel | null;
  /** Extractors in place of the built-in ones. */
  extractors?: readonly SignalExtractor[];
}

/** How each earlier turn weighs against the one after it, for valence, arousal and confidence. */
const FADE = 0.2;

/**
 * What is left of each dimension a turn later when nothing new is said about
 * it: a tired person stays tired, a question is over when it is answered.
 */
const CARRY: Readonly<Dimensions> = {
  frustration: 0.7,
  playfulness: 0.4,
  urgency: 0.6,
  curiosity: 0.2,
  fatigue: 0.8,
  engagement: 0.3,
};
const MAX_TURNS = 60;
const CONTEXT_MESSAGES = 12;

/** The state of the person who spoke last; neutral with confidence 0 when nobody did. */
export function analyze(messages: readonly Message[], options: AnalyzeOptions = {}): SentimentState {
  const window = openWindow(messages, options);
  const last = window.messages.at(-1);
  return last === undefined
    ? nobody()
    : stateOf(window, personOf(last), options, presentOf(messages, options.now));
}

/** The state of each person in the window, by the name the host gives them ('' when it gives none). */
export function analyzeBySender(
  messages: readonly Message[],
  options: AnalyzeOptions = {},
): Map<string, SentimentState> {
  const window = openWindow(messages, options);
  const present = presentOf(messages, options.now);
  const states = new Map<string, SentimentState>();
  for (const message of window.messages.slice(window.from)) {
    if (message.role !== 'user') continue;
    const person = personOf(message);
    if (!states.has(person)) states.set(person, stateOf(window, person, options, present));
  }
  return states;
}

function stateOf(
  window: Window,
  person: string,
  options: AnalyzeOptions,
  present: number | undefined,
): SentimentState {
  const { messages, from } = window;
  const extractors = options.extractors ?? signalExtractors;
  const places: number[] = [];
  messages.forEach((message, i) => {
    if (message.role === 'user' && personOf(message) === person) places.push(i);
  });
  const turns: Turn[] = [];
  const recent: Turn[] = [];
  for (const place of places.slice(-MAX_TURNS)) {
    const context = messages.slice(Math.max(0, place - CONTEXT_MESSAGES), place + 1);
    const turn = scoreTurn(context, extractors, options.model ?? null);
    turns.push(turn);
    if (place >= from) recent.push(turn);
  }
  const last = messages[places.at(-1) ?? -1];
  if (last === undefined || recent.length === 0) return nobody();
  return { ...settle(recent, last, present), trajectory: trajectoryOf(turns) };
}

/** The level of each dimension after the last turn: what it says, or what is left of before, whichever is more. */
function carry(turns: readonly Turn[]): Dimensions {
  const levels = { ...quietTurn(undefined).dimensions };
  let before: number | undefined;
  for (const turn of turns) {
    const gap = before !== undefined && turn.time !== undefined ? Math.max(0, turn.time - before) : 0;
    const faded = 2 ** (-gap / HALF_LIFE_MS);
    // Thanks and praise end a quarrel at once.
    const relief = 1 - clamp(turn.valence * turn.confidence * 1.5, 0, 1);
    for (const dimension of DIMENSIONS) {
      const left = levels[dimension] * CARRY[dimension] * faded * (dimension === 'frustration' ? relief : 1);
      levels[dimension] = Math.max(turn.dimensions[dimension], left);
    }
    before = turn.time ?? before;
  }
  return levels;
}

/** The part of a level that earlier turns are the reason of, as a signal. */
function carried(levels: Dimensions, last: Turn | undefined): Signal[] {
  const kept = DIMENSIONS.filter((d) => levels[d] >= 0.2 && levels[d] - (last?.dimensions[d] ?? 0) > 0.1);
  if (kept.length === 0) return [];
  const score = Math.max(...kept.map((d) => levels[d]));
  return [
    {
      name: 'earlier messages',
      score,
      confidence: 1,
      evidence: kept.map((d) => `${d} ${levels[d].toFixed(2)}`),
    },
  ];
}

/** Folds turns into one state: the last one counts most, earlier ones fade by turn and by time. */
function settle(turns: readonly Turn[], last: ReadMessage, present: number | undefined): SentimentState {
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
    valence += w * turn.valence;
    arousal += w * turn.arousal;
    sure += w * turn.confidence;
    total += w;
    weight *= FADE;
  }
  const age = present !== undefined && last.time !== undefined ? Math.max(0, present - last.time) : 0;
  const fresh = 2 ** (-age / HALF_LIFE_MS);
  const levels = carry(turns);
  for (const dimension of DIMENSIONS) state[dimension] = round(levels[dimension] * fresh);
  // A question asked in anger is not curiosity.
  state.curiosity = round(state.curiosity * (1 - state.frustration));
  state.valence = round(clamp((valence / total) * fresh, -1, 1));
  state.arousal = round(clamp(REST + (arousal / total - REST) * fresh, 0, 1));
  state.confidence = round(clamp((sure / total) * fresh, 0, 1));
  state.signals = rank([...(turns.at(-1)?.signals ?? []), ...carried(levels, turns.at(-1))]);
  state.windowSize = turns.length;
  state.timestamp = last.time === undefined ? null : isoUtc(last.time);
  state.sender = last.sender ?? null;
  nameEmotion(state);
  return state;
}

const REST = 0.4;

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
