import { adjust } from '../feedback/adjust.ts';
import { mapStrategy, type Strategy } from '../sentiment/index.ts';
import { PRIORITY } from './priorities.ts';
import type { SectionLine, Stage } from './stage.ts';

const TITLE = 'Response Strategy';
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
  title: TITLE,
  priority: PRIORITY.preamble,
  timeoutMs: 1500,
  async run(context) {
    const { state } = await context.mood();
    if (state.windowSize === 0) return null;
    // The strategy in force is held on to, so that it does not flicker from turn to turn.
    const asked = mapStrategy(state, strategyIn(context.previous.get(TITLE) ?? []));
    const { strategy, why } = adjust(asked, context.feedback, state.sender ?? '', context.now);
    const first = strategy.suggestions[0];
    return {
      lines: [
        line(
          'Style',
          explained(strategy.style, STYLES),
          PRIORITY.style,
          strategy.reasons.join('; ') || 'nothing asks for another',
        ),
        line('Tone', explained(strategy.tone, TONES), PRIORITY.tone, why.tone),
        line('Verbosity', explained(strategy.verbosity, VERBOSITIES), PRIORITY.verbosity, why.verbosity),
        line('Preamble', strategy.preamble ? 'YES' : 'NO', PRIORITY.preamble, why.preamble),
        ...(first === undefined ? [] : [line('Suggestion', first, PRIORITY.suggestion)]),
      ],
    };
  },
};

function line(label: string, text: string, priority: number, why = 'goes with the style'): SectionLine {
  return { text: `- **${label}:** ${text}`, own: true, priority, why };
}

/** The strategy that the lines of a block's section state; `undefined` when they state none. */
export function strategyIn(lines: readonly string[]): Strategy | undefined {
  const word = (label: string): string => {
    const found = lines.find((candidate) => candidate.startsWith(`- **${label}:** `));
    return found?.slice(label.length + 8).split(' ')[0] ?? '';
  };
  const [style, tone, verbosity] = [word('Style'), word('Tone'), word('Verbosity')];
  if (!STYLES.has(style) || !TONES.has(tone) || !VERBOSITIES.has(verbosity)) return undefined;
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
