import { type Cue, cueText, matchCues, silent } from '../cues.ts';
import type { SignalExtractor } from '../types.ts';

/** Openers that turn down what was just said; mild by themselves. */
const CUES: readonly Cue[] = [
  [
    /^\s*(?:no|nope|nah|wrong|incorrect|not (?:that|this|quite|really|what)|negative)\b(?! (?:problem|worries|rush|need|thanks|thank|hurry|idea|doubt))/i,
    0.4,
  ],
  [/^\s*(?:no+[,. ]+){2,}|^\s*no+!+/i, 0.5],
  [/\bthat(?:'s| is|'s still| was)? (?:still )?(?:not|wrong|incorrect|isn't|wasn't)\b/i, 0.45],
  [/\b(?:i (?:said|meant|asked for|wanted)|i was asking|as i said|like i said)\b/i, 0.4],
  [/^\s*(?:undo|revert|put it back|go back|roll ?back)\b/i, 0.25],
  [/^\s*(?:actually|wait|hold on|hang on|hmm)\b/i, 0.15],
  [/\b(?:instead of|rather than) (?:what|the one|that)\b|\bdidn't ask (?:for|you)\b/i, 0.3],
];

/** The person corrects the reply just given. */
export const correction: SignalExtractor = {
  name: 'correction',
  moves: { frustration: 0.45, valence: -0.25 },
  extract(messages) {
    const last = messages.at(-1);
    if (last === undefined || last.words.length === 0) return silent('correction');
    const answering = messages.some((m) => m.role === 'assistant');
    return matchCues('correction', CUES, cueText(last.prose), answering ? 0.75 : 0.5);
  },
};
