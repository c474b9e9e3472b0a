import { isLetter } from '../../text/alphabet.ts';
import { readCues } from '../cues.ts';
import { phraseBook } from '../phrases.ts';
import type { SignalExtractor } from '../types.ts';
import { previousReply } from './conversation.ts';

/** Openers that turn down what was just said; mild by themselves. */
const book = phraseBook(`
  .4   << no|nope|nah|wrong|incorrect|negative !problem|worries|rush|need|thanks|thank|hurry|idea|doubt / << not that|this|quite|really|what
  .5   << no ?, no / << no !
  .45  that|that's ?is|was ?still not|wrong|incorrect|isn't|wasn't
  .4   i said|meant|wanted / i asked for / i was asking / as|like i said
  .25  << undo|revert|rollback / << put it back / << go|roll back
  .15  << actually|wait|hmm / << hold|hang on
  .3   instead of what|that / instead of the one / rather than what|that / didn't ask for|you
`);

/** The person corrects the reply just given. */
export const correction: SignalExtractor = {
  name: 'correction',
  moves: { frustration: 0.45, valence: -0.25 },
  extract(messages) {
    const reply = previousReply(messages);
    // "No" to a question is its answer, not a correction.
    const asked = reply !== undefined && endsAsking(reply.prose);
    const answering = messages.some((m) => m.role === 'assistant');
    return readCues('correction', book(), messages.at(-1), asked ? 0.4 : answering ? 0.75 : 0.5);
  },
};

/** Nothing is said after the last question. */
function endsAsking(prose: string): boolean {
  const mark = prose.lastIndexOf('?');
  return mark >= 0 && ![...prose.slice(mark + 1)].some(isLetter);
}
