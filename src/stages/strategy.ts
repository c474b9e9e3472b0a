import { howToAnswer, isLeftOver } from '../sentiment/index.ts';
import { PRIORITY } from './priorities.ts';
import type { BuiltInStage, SectionLine } from './stage.ts';

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

/**
 * Response Strategy: how to answer, if not in the usual way. It describes the answer, never the person.
 */
export const strategyStage: BuiltInStage = {
  priority: PRIORITY.preamble,
  async run(context) {
    const { state, strategy, why } = await context.mood();
    const answer = howToAnswer(strategy);
    if (answer === undefined) return null;
    const advice = strategy.suggestions.join('; ');
    const style = line(
      'Style',
      explained(strategy.style, STYLES),
      PRIORITY.style,
      strategy.reasons.join('; ') || 'nothing asks for another',
    );
    // The model has seen the message that a mood is left over from.
    const inject = {
      key: 'how-to-answer',
      text: `How to answer for now: ${answer}`,
      at: ['prompt' as const],
    };
    const { style: kind, tone, verbosity, preamble } = strategy;
    return {
      strategy: { style: kind, tone, verbosity, preamble },
      lines: [
        { ...style, ...(!isLeftOver(state) && { inject }) },
        line('Tone', explained(strategy.tone, TONES), PRIORITY.tone, why.tone),
        line('Verbosity', explained(strategy.verbosity, VERBOSITIES), PRIORITY.verbosity, why.verbosity),
        line('Preamble', strategy.preamble ? 'YES' : 'NO', PRIORITY.preamble, why.preamble),
        ...(advice === '' ? [] : [line('Suggestion', advice, PRIORITY.suggestion)]),
      ],
    };
  },
};

function line(label: string, text: string, priority: number, why = 'goes with the style'): SectionLine {
  return { text: `- **${label}:** ${text}`, priority, why };
}

function explained(word: string, meanings: ReadonlyMap<string, string>): string {
  const meaning = meanings.get(word);
  return meaning === undefined ? word : `${word} — ${meaning}`;
}
