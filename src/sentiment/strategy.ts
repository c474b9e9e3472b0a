import { type Dimension, EMOTION_OF, type Emotion, type SentimentState, type Strategy } from './types.ts';

/** Below this confidence a state counts as neutral, and so does the strategy. */
export const MIN_CONFIDENCE = 0.4;

interface Rule {
  emotion: Emotion;
  dimension: Dimension;
  above: number;
  calm: number;
  answer: Omit<Strategy, 'reasons'>;
}

type Manner = readonly [Strategy['style'], Strategy['tone'], Strategy['verbosity'], preamble: boolean];

function makeRule(
  dimension: Dimension,
  above: number,
  [style, tone, verbosity, preamble]: Manner,
  suggestions: string[],
  calm = Number.POSITIVE_INFINITY,
): Rule {
  const answer = { style, tone, verbosity, preamble, suggestions };
  return { emotion: EMOTION_OF[dimension], dimension, above, calm, answer };
}

const RULES: readonly Rule[] = [
  makeRule(
    'frustration',
    0.7,
    ['concise', 'direct', 'minimal', false],
    [
      'Lead with the fix',
      'check that it works before reporting it as done',
      'name what went wrong once, without a long apology',
    ],
  ),
  makeRule(
    'frustration',
    0.5,
    ['concise', 'professional', 'moderate', false],
    ['Lead with the answer', 'check it against what was asked before reporting it as done'],
  ),
  makeRule(
    'urgency',
    0.6,
    ['concise', 'professional', 'minimal', false],
    ['Give the fastest safe step first', 'leave background and alternatives for later'],
  ),
  makeRule(
    'fatigue',
    0.6,
    ['gentle', 'warm', 'minimal', false],
    ['One step at a time, with few decisions', 'offer to defer what is not urgent'],
  ),
  makeRule(
    'playfulness',
    0.5,
    ['matched', 'playful', 'moderate', true],
    ['A light tone is welcome', 'keep the substance exact'],
    0.3,
  ),
];

const NEUTRAL: Omit<Strategy, 'reasons'> = {
  style: 'neutral',
  tone: 'professional',
  verbosity: 'moderate',
  preamble: true,
  suggestions: [],
};

type Levels = Pick<SentimentState, Dimension | 'confidence'>;

function listRules(state: Levels): Rule[] {
  if (!(state.confidence >= MIN_CONFIDENCE)) return [];
  return RULES.filter(({ dimension, above, calm }) => state[dimension] > above && state.frustration < calm);
}

/** The moods that change how to answer, most pressing first; only these are named. */
export const listMoods = (state: Levels): Emotion[] => [
  ...new Set(listRules(state).map(({ emotion }) => emotion)),
];

export function mapStrategy(state: SentimentState): Strategy {
  const [rule] = listRules(state);
  if (rule === undefined) {
    const why =
      state.confidence >= MIN_CONFIDENCE
        ? 'no reading is strong enough to change how to answer'
        : `confidence ${show(state.confidence)} is below ${MIN_CONFIDENCE}`;
    return { ...NEUTRAL, reasons: [why] };
  }

  const { dimension, above, calm, answer } = rule;
  const reasons = [`${dimension} ${show(state[dimension], above)} is above ${above}`];
  if (calm < 1) reasons.push(`frustration ${show(state.frustration)} is below ${calm}`);

  return { ...answer, reasons };
}

/** The strategy as one plain line; `undefined` for the ordinary one. It is about the answer, never about the person. */
export function renderAdvice(strategy: Strategy): string | undefined {
  const { style, tone, verbosity, preamble, suggestions } = strategy;
  const usual = RULES.find(({ answer }) => answer.style === style && answer.tone === tone)?.answer ?? NEUTRAL;
  const parts = suggestions.slice(0, 2);
  if (verbosity !== usual.verbosity || verbosity === 'minimal') parts.push(LENGTH[verbosity]);
  if (tone !== usual.tone) parts.push(TONE[tone]);
  if (preamble !== usual.preamble)
    parts.push(preamble ? 'begin with a sentence of context' : 'begin with the answer itself');
  const text = parts.join('; ');

  return text === '' ? undefined : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const LENGTH: Readonly<Record<Strategy['verbosity'], string>> = {
  minimal: 'keep it short',
  moderate: 'no more than is needed',
  thorough: 'detail is welcome',
};
const TONE: Readonly<Record<Strategy['tone'], string>> = {
  direct: 'be direct',
  warm: 'be warm',
  playful: 'a light tone is welcome',
  professional: 'keep to the point',
};

/** Two digits, or three if two would look like the threshold itself. */
function show(value: number, threshold?: number): string {
  const short = value.toFixed(2);
  return Number(short) === threshold ? value.toFixed(3) : short;
}
