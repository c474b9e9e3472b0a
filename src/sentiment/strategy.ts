import { MIN_CONFIDENCE } from './limits.ts';
import type { SentimentState, Strategy } from './types.ts';

/** Thresholds; `slack` is how far a reading may fall before a strategy in force is left again. */
const SLACK = 0.1;
const FRUSTRATED = 0.7;
const STRAINED = 0.5;
const PLAYFUL = 0.5;
const CALM = 0.3;
const TIRED = 0.6;
const CURIOUS = 0.6;
const URGENT = 0.6;

/**
 * How to answer a person in this state. Given the strategy in force, one is
 * only left when its reading has fallen {@link SLACK} below its threshold, so
 * that a tone does not flicker from turn to turn.
 */
export function mapStrategy(state: SentimentState, previous?: Strategy): Strategy {
  if (!(state.confidence >= MIN_CONFIDENCE)) {
    return neutral([`confidence ${show(state.confidence)} is below ${MIN_CONFIDENCE}`]);
  }
  const inForce = previous === undefined ? undefined : ruleOf(previous);
  const slack = (rule: Rule): number => (inForce === rule ? SLACK : 0);
  const { frustration, fatigue, urgency, playfulness, curiosity } = state;
  const calm = (rule: Rule): boolean => frustration < CALM + slack(rule);
  if (frustration > FRUSTRATED - slack('frustrated')) return frustrated(state);
  if (fatigue > TIRED - slack('tired')) return tired(state);
  if (urgency > URGENT - slack('urgent')) return urgent(state);
  if (playfulness > PLAYFUL - slack('playful') && calm('playful')) return playful(state);
  if (frustration > STRAINED - slack('strained')) return strained(state);
  if (curiosity > CURIOUS - slack('curious') && calm('curious')) return curious(state);
  return neutral(['no reading is strong enough to change how to answer']);
}

type Rule = 'frustrated' | 'tired' | 'urgent' | 'playful' | 'strained' | 'curious';

/** Which rule gave a strategy; `undefined` for the neutral one. */
function ruleOf({ style, tone, verbosity }: Strategy): Rule | undefined {
  switch (style) {
    case 'concise':
      return tone === 'direct' ? 'frustrated' : verbosity === 'minimal' ? 'urgent' : 'strained';
    case 'gentle':
      return 'tired';
    case 'matched':
      return 'playful';
    case 'exploratory':
      return 'curious';
    default:
      return undefined;
  }
}

function frustrated(state: SentimentState): Strategy {
  const suggestions = [
    'Lead with the fix or the answer; no hedging',
    'Check the result before reporting it as done',
    'Name what went wrong once; do not apologise at length',
  ];
  if (found(state, 'repetition'))
    suggestions.unshift('Answer the request that was repeated before anything else');
  if (state.urgency > 0.5) suggestions.push('Give the fastest safe step first, the explanation after');
  if (state.fatigue > TIRED) suggestions.push('Offer to defer what is not urgent');
  return {
    style: 'concise',
    tone: 'direct',
    verbosity: 'minimal',
    preamble: false,
    suggestions,
    reasons: [reason('frustration', state.frustration, FRUSTRATED), ...easing(state)],
  };
}

function tired(state: SentimentState): Strategy {
  return {
    style: 'gentle',
    tone: 'warm',
    verbosity: 'minimal',
    preamble: false,
    suggestions: [
      'Suggest deferring what is not urgent',
      'One step at a time; keep decisions few',
      'Write down where the work stands so that it can be picked up later',
    ],
    reasons: [reason('fatigue', state.fatigue, TIRED)],
  };
}

function urgent(state: SentimentState): Strategy {
  return {
    style: 'concise',
    tone: 'professional',
    verbosity: 'minimal',
    preamble: false,
    suggestions: ['Give the fastest safe step first', 'Leave background and alternatives for later'],
    reasons: [reason('urgency', state.urgency, URGENT)],
  };
}

function playful(state: SentimentState): Strategy {
  return {
    style: 'matched',
    tone: 'playful',
    verbosity: 'moderate',
    preamble: true,
    suggestions: ['A light tone is welcome; keep the substance exact'],
    reasons: [
      reason('playfulness', state.playfulness, PLAYFUL),
      `frustration ${show(state.frustration)} is below ${CALM}`,
    ],
  };
}

function strained(state: SentimentState): Strategy {
  return {
    style: 'concise',
    tone: 'professional',
    verbosity: 'moderate',
    preamble: false,
    suggestions: ['Lead with the answer', 'Make sure the last request was understood before going on'],
    reasons: [reason('frustration', state.frustration, STRAINED), ...easing(state)],
  };
}

function curious(state: SentimentState): Strategy {
  return {
    style: 'exploratory',
    tone: 'warm',
    verbosity: 'thorough',
    preamble: true,
    suggestions: ['Explain the why', 'Offer alternatives and where to read on'],
    reasons: [
      reason('curiosity', state.curiosity, CURIOUS),
      `frustration ${show(state.frustration)} is below ${CALM}`,
    ],
  };
}

function neutral(reasons: string[]): Strategy {
  return {
    style: 'neutral',
    tone: 'professional',
    verbosity: 'moderate',
    preamble: true,
    suggestions: [],
    reasons,
  };
}

function easing(state: SentimentState): string[] {
  const t = state.trajectory;
  if (t === null || t.direction === 'steady') return [];
  return [`frustration went ${show(t.start)} -> ${show(t.now)} over ${t.turns} turns`];
}

function found(state: SentimentState, name: string): boolean {
  return state.signals.some((s) => s.name === name && s.score > 0);
}

function reason(what: string, value: number, threshold: number): string {
  return value > threshold
    ? `${what} ${show(value, threshold)} is above ${threshold}`
    : `${what} ${show(value)} has not fallen below ${(threshold - SLACK).toFixed(1)} yet`;
}

/** Two digits, and three where two would read as the threshold itself. */
function show(value: number, threshold?: number): string {
  const short = value.toFixed(2);
  return Number(short) === threshold ? value.toFixed(3) : short;
}
