import { mapStrategy, type Strategy } from '../sentiment/index.ts';
import type { Stage, StageContext } from './stage.ts';

const STYLES = new Map([
  ['concise', 'lead with the answer'],
  ['exploratory', 'think aloud, offer alternatives'],
  ['gentle', 'one step at a time, few decisions'],
  ['matched', 'match their lightness'],
  ['neutral', 'as usual'],
]);
const TONES = new Map([
  ['direct', 'no hedging'],
  ['warm', 'kind, not effusive'],
  ['playful', 'a light touch is welcome'],
  ['professional', 'plain and to the point'],
]);
const VERBOSITIES = new Map([
  ['minimal', 'they will ask for more'],
  ['moderate', 'what is needed, no more'],
  ['thorough', 'detail is welcome'],
]);

/** Response Strategy: how to answer. It speaks of the answer, never of the person. */
export const strategyStage: Stage = {
  id: 'strategy',
  title: 'Response Strategy',
  priority: 80,
  timeoutMs: 1500,
  async run(context) {
    const state = await context.mood();
    if (state.windowSize === 0) return null;
    const strategy = mapStrategy(state, previousStrategy(context));
    const why = strategy.reasons.join('; ');
    const first = strategy.suggestions[0];
    return {
      lines: [
        { text: `- **Style:** ${explained(strategy.style, STYLES)}`, priority: 92, ...(why ? { why } : {}) },
        { text: `- **Tone:** ${explained(strategy.tone, TONES)}`, priority: 88 },
        { text: `- **Verbosity:** ${explained(strategy.verbosity, VERBOSITIES)}`, priority: 86 },
        { text: `- **Preamble:** ${strategy.preamble ? 'YES' : 'NO'}`, priority: 84 },
        ...(first === undefined ? [] : [{ text: `- **Suggestion:** ${first}`, priority: 45 }]),
      ],
    };
  },
};

/** The strategy in force, so that it does not flicker from turn to turn. */
function previousStrategy({ previous }: StageContext): Strategy | undefined {
  const lines = previous.get('Response Strategy') ?? [];
  const word = (label: string): string | undefined => {
    const line = lines.find((candidate) => candidate.startsWith(`- **${label}:** `));
    return line?.slice(label.length + 8).split(' ')[0];
  };
  const [style, tone, verbosity] = [word('Style'), word('Tone'), word('Verbosity')];
  if (
    !style ||
    !tone ||
    !verbosity ||
    !STYLES.has(style) ||
    !TONES.has(tone) ||
    !VERBOSITIES.has(verbosity)
  ) {
    return undefined;
  }
  return {
    style: style as Strategy['style'],
    tone: tone as Strategy['tone'],
    verbosity: verbosity as Strategy['verbosity'],
    preamble: word('Preamble') === 'YES',
    suggestions: [],
    reasons: [],
  };
}

function explained(word: string, meanings: ReadonlyMap<string, string>): string {
  const meaning = meanings.get(word);
  return meaning === undefined ? word : `${word} — ${meaning}`;
}
