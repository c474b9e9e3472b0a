import { HOUR_MS } from '../base/text/durations.ts';
import type { Message } from '../transcript/types.ts';
import { REST_AROUSAL, type SentimentModel, tryLoadModel } from './model.ts';
import { listMoods, MIN_CONFIDENCE } from './strategy.ts';
import {
  clamp,
  collectUtterances,
  countFunctionWords,
  createQuietTurn,
  findPresent,
  readTurn,
  type Turn,
  type Utterance,
  type WindowOptions,
} from './turn.ts';
import {
  DIMENSIONS,
  type Dimension,
  type Dimensions,
  EMOTION_OF,
  type SentimentState,
  type Signal,
  type Trajectory,
} from './types.ts';

interface AnalyzeOptions extends WindowOptions {
  /** The current time in epoch milliseconds; default: the time of the last message. */
  now?: number;
  /** The model from `loadModel`; default: that of the package. Without one every mood is neutral. */
  model?: SentimentModel | null;
}

/** The confidence of a reading halves for each such period since the person's last message. */
const HALF_LIFE_MS = 2 * HOUR_MS;
/** Weight of each earlier turn relative to the next, for valence, arousal and confidence. */
const FADE = 0.2;
/** The share of each dimension that remains a turn later if nothing new is said about it: a tired person stays tired. */
const CARRY: Readonly<Dimensions> = { frustration: 0.7, urgency: 0.6, fatigue: 0.8, playfulness: 0.4 };
const MAX_TURNS = 60;
/** Turns that a trajectory needs, and the change of a half-session mean that counts. */
const TRAJECTORY_TURNS = 4;
const TRAJECTORY_STEP = 0.02;

/** The state of the last person who spoke; neutral with confidence 0 if nobody did. */
export function analyzeMood(messages: readonly Message[], options: AnalyzeOptions = {}): SentimentState {
  const utterances = collectUtterances(messages, options);
  return buildState(utterances, utterances.at(-1)?.person ?? '', options, findPresent(messages, options.now));
}

/** The state of each person in the window, by the name that the host gives them ('' if none). */
export function analyzeMoodsBySender(
  messages: readonly Message[],
  options: AnalyzeOptions = {},
): Map<string, SentimentState> {
  const utterances = collectUtterances(messages, options);
  const present = findPresent(messages, options.now);
  const people = new Set(utterances.filter(({ isRecent }) => isRecent).map(({ person }) => person));
  return new Map([...people].map((person) => [person, buildState(utterances, person, options, present)]));
}

function buildState(
  utterances: readonly Utterance[],
  person: string,
  { model = tryLoadModel() }: AnalyzeOptions,
  present: number | undefined,
): SentimentState {
  const own = utterances.filter((each) => each.person === person).slice(-MAX_TURNS);
  const last = own.at(-1);
  if (last === undefined) return createQuietState();

  const turns = withoutForeign(
    own,
    own.map((each) => readTurn(each, model)),
  );
  const recent = turns.filter((_, i) => own[i]?.isRecent === true);
  const state = combineTurns(recent, last, present);
  // No trend of a mood that is too old to name.
  if (state.confidence < MIN_CONFIDENCE) return state;

  return { ...state, trajectory: detectCalming(recent, state.frustration) ?? computeTrajectory(turns) };
}

/** Terse messages pass for English, unless at least as many of the others are not read as show that they are English. */
function withoutForeign(own: readonly Utterance[], turns: readonly Turn[]): readonly Turn[] {
  const counts = own.map(({ message }) => countFunctionWords(message.words));
  const isClear = counts.map(([ours, theirs]) => ours > theirs);
  const unread = turns.filter(({ isRead }) => !isRead).length;
  if (unread === 0 || unread < isClear.filter(Boolean).length) return turns;
  return turns.map((turn, at) => (isClear[at] ? turn : { ...createQuietTurn(turn.time), isRead: false }));
}

/** Combines turns into one state: the last one counts most, earlier ones fade by turn and by time. */
function combineTurns(
  turns: readonly Turn[],
  { message }: Utterance,
  present: number | undefined,
): SentimentState {
  const state = createQuietState();
  const weights = turns.map((turn, i) => {
    const gap = message.time !== undefined && turn.time !== undefined ? message.time - turn.time : 0;
    return FADE ** (turns.length - 1 - i) * (0.1 + turn.confidence) * computeFading(gap);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const average = (value: (turn: Turn) => number): number =>
    turns.reduce((sum, turn, i) => sum + (weights[i] ?? 0) * value(turn), 0) / total;
  const fresh =
    present !== undefined && message.time !== undefined ? computeFading(present - message.time) : 1;
  const levels = carryLevels(turns);

  for (const dimension of DIMENSIONS) state[dimension] = round(levels[dimension] * fresh);
  state.valence = clamp(average((turn) => turn.valence) * fresh, -1, 1);
  state.arousal = round(clamp(REST_AROUSAL + (average((turn) => turn.arousal) - REST_AROUSAL) * fresh, 0, 1));
  state.confidence = round(clamp(average((turn) => turn.confidence) * fresh, 0, 1));
  state.windowSize = turns.length;
  state.timestamp = message.time === undefined ? null : new Date(message.time).toISOString();
  state.sender = message.sender ?? null;
  state.isRead = turns.at(-1)?.isRead !== false;
  nameMood(state);
  if (!state.isRead && state.emotion === 'neutral') {
    state.emotion = 'not read';
    state.confidence = 0;
  }
  // Nobody is frustrated and pleased at once.
  if (state.frustration > ANGRY) state.valence = Math.min(state.valence, -0.4 * state.frustration);
  state.valence = round(state.valence);
  state.signals = rankSignals(
    [...(turns.at(-1)?.signals ?? []), ...listCarriedSignals(levels, turns.at(-1))],
    state,
    fresh,
  );

  return state;
}

const computeFading = (ms: number): number => 2 ** (-Math.max(0, ms) / HALF_LIFE_MS);

/** The level of each dimension after the last turn: the greater of its own and what remains of earlier ones. */
function carryLevels(turns: readonly Turn[]): Dimensions {
  const levels = { ...createQuietTurn().dimensions };
  let before: number | undefined;

  for (const turn of turns) {
    const gap = before !== undefined && turn.time !== undefined ? turn.time - before : 0;
    // Thanks and praise end a quarrel at once.
    const relief = turn.eases ? EASED : 1 - clamp(turn.valence * turn.confidence * 1.5, 0, 1);

    for (const dimension of DIMENSIONS) {
      const left =
        levels[dimension] *
        CARRY[dimension] *
        computeFading(gap) *
        (dimension === 'frustration' ? relief : 1);

      levels[dimension] = Math.max(turn.dimensions[dimension], left);
    }

    before = turn.time ?? before;
  }

  return levels;
}

const EASED = 0.3;

const EARLIER = 'earlier messages';

const listCarriedSignals = (levels: Dimensions, last: Turn | undefined): Signal[] =>
  DIMENSIONS.filter((d) => levels[d] >= 0.2 && levels[d] - (last?.dimensions[d] ?? 0) > 0.1).map(
    (raises) => ({
      name: EARLIER,
      score: levels[raises],
      raises,
      evidence: [`${raises} ${levels[raises].toFixed(2)} is left of before`],
    }),
  );

/** Names the moods that change how to answer, the most pressing first; others are not named. */
export function nameMood(state: SentimentState): void {
  const [first = 'neutral', second = null] = listMoods(state);
  state.emotion = first;
  state.secondary = second;
}

function rankSignals(
  signals: readonly Signal[],
  { emotion, secondary }: SentimentState,
  fresh: number,
): Signal[] {
  const rankSignal = ({ raises }: Signal): number => {
    const place = [emotion, secondary].indexOf(EMOTION_OF[raises]);
    return place === -1 ? 2 : place;
  };
  return signals
    .map((signal) => ({ ...signal, score: round(signal.score * fresh) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => rankSignal(a) - rankSignal(b) || b.score - a.score);
}

export const findDimension = (emotion: string): Dimension | undefined =>
  DIMENSIONS.find((dimension) => EMOTION_OF[dimension] === emotion);

/** How many messages back the anger may be, the level that it had, and how far it must have fallen. */
const LATELY = 3;
export const ANGRY = 0.5;
const FALLEN = 0.1;

/** From the angriest of the last messages to what is left of it, once the person speaks calmly. */
function detectCalming(turns: readonly Turn[], now: number): Trajectory | null {
  const lately = turns.slice(-1 - LATELY);
  const last = lately.pop();
  const peak = lately.reduce<Turn | undefined>(
    (most, turn) => (turn.dimensions.frustration >= (most?.dimensions.frustration ?? 0) ? turn : most),
    undefined,
  );

  if (last === undefined || peak === undefined) return null;

  const start = peak.dimensions.frustration;
  if (start <= ANGRY || last.dimensions.frustration > ANGRY || now > start - FALLEN) return null;

  const count = lately.length - lately.indexOf(peak) + 1;
  return { start: round(start), now: round(now), direction: 'easing', peak: round(start), turns: count };
}

/**
 * The trend of frustration: means of the earlier and the later half of the session, which are more reliable
 * than a moving average. The direction also considers valence, which shows relief before frustration is gone.
 */
function computeTrajectory(turns: readonly Turn[]): Trajectory | null {
  if (turns.length < TRAJECTORY_TURNS) return null;

  const half = Math.floor(turns.length / 2);
  const halves = [turns.slice(0, half), turns.slice(-half)];
  const averageHalves = (value: (turn: Turn) => number): number[] =>
    halves.map((some) => some.reduce((sum, turn) => sum + value(turn), 0) / half);
  const [start = 0, now = 0] = averageHalves((turn) => turn.dimensions.frustration);
  const [valenceStart = 0, valenceNow = 0] = averageHalves((turn) => turn.valence);
  const strain = (now - start) / 2 - 2.1 * (valenceNow - valenceStart);
  const falling = strain < -TRAJECTORY_STEP ? 'easing' : 'steady';

  return {
    start: round(start),
    now: round(now),
    direction: strain > TRAJECTORY_STEP ? 'rising' : falling,
    peak: round(Math.max(...turns.map(({ dimensions }) => dimensions.frustration))),
    turns: turns.length,
  };
}

/** Three decimals are precise enough; never -0, which JSON does not preserve. */
const round = (value: number): number => (Number.isFinite(value) ? Math.round(value * 1000) / 1000 + 0 : 0);

export const createQuietState = (): SentimentState => ({
  emotion: 'neutral',
  secondary: null,
  ...createQuietTurn().dimensions,
  valence: 0,
  arousal: REST_AROUSAL,
  confidence: 0,
  isRead: true,
  signals: [],
  windowSize: 0,
  timestamp: null,
  sender: null,
  trajectory: null,
});
