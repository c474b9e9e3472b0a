import { readCues, silent } from '../cues.ts';
import { phraseBook } from '../phrases.ts';
import type { ReadMessage, SignalExtractor } from '../types.ts';
import { alike, previousReply, repliesOf } from './conversation.ts';

/**
 * How the exchange goes: what people do when an answer does or does not suit them, without a
 * word of mood. After the signs of satisfaction that Y.-C. Lin et al. name (SPUR, ACL 2024) and
 * the interaction parameters of A. Schmitt and S. Ultes (Speech Communication, 2015).
 */

const elsewhere = phraseBook(`
  .5   something|anything|someone|somewhere else / any|some|the other|others / another|different one|option|way|place|time|approach|idea|example|suggestion / try again|another / what|how about another|other|others / more options|choices|ideas|suggestions / other options|choices|ideas|suggestions / do you have any|anything ?other|else|more
  .5   not interested|really|quite|sure|exactly / don't|doesn't|didn't|wouldn't like|want|need|care|work|help / not what|that|the / isn't|wasn't|not for me / i'd|i would rather|prefer / too expensive|far|late|early|long|short|slow|much|complicated
  .4   instead / forget that|it|about / never mind / changed my mind
  .5   is|are there ..4 other|others|else|more|another|different / check|search|look|find|try|show|see|give ..4 other|others|else|another|different / what|how about / what|who|where|which else|other
`);

/** What was offered does not suit: another is asked for. */
export const elsewhereAsked: SignalExtractor = {
  name: 'asks for another',
  moves: { frustration: 0.3, valence: -0.8 },
  extract(messages) {
    if (repliesOf(messages).length === 0) return silent('asks for another');
    return readCues('asks for another', elsewhere(), messages.at(-1), 0.6);
  },
};

const refusal = phraseBook(`
  .6   << no|nope|nah|not !problem|problems|worries|rush|need|hurry|doubt|bad / << sorry
  .4   haven't|hasn't|didn't|don't|doesn't|isn't|wasn't|aren't|won't|wouldn't|havent|didnt|dont|doesnt !worry|mind / can't|cannot !wait / not !bad|only / never|neither|nor !mind
  .2   but
`);

/** A "no" to these ends the talk or begins another matter. */
const closing = phraseBook(`
  1    anything|something|what else / can|may|could|shall|should i ?also help|assist / help|assist you / need ?any ?more|further help|assistance / further|more assistance|help
`);

/** What was said or offered is denied: "no", "not that one", "I didn't like it". */
export const turnedDown: SignalExtractor = {
  name: 'turns it down',
  // Of the valence alone: to refuse is not to be angry, and a person who says no is not to be called so.
  moves: { valence: -1.2 },
  extract(messages) {
    if (repliesOf(messages).length === 0) return silent('turns it down');
    const closes = readCues('closing', closing(), previousReply(messages), 1).score > 0;
    return closes ? silent('turns it down') : readCues('turns it down', refusal(), messages.at(-1), 0.6);
  },
};

const taken = phraseBook(`
  .5   << yes|yeah|yep|yup|sure|ok|okay|alright|right|great|cool|good|nice|perfect|excellent|awesome|wonderful|fine !but|,|nothing|another|so|now / << sounds|looks good|great|perfect|like|fun|interesting / << that|that's|it's|this ?is|works|sounds|looks|would good|great|fine|perfect|all|works|work|right|correct|it
  .5   that|that'll|that's|this|it ?will|would|is all|it|everything > / i'll|will take|have|check|try|watch|go with|it|that|them|out / please|go|and book|reserve|buy|play|go ahead|make it|do
`);

/** What was offered is taken. */
export const offerTaken: SignalExtractor = {
  name: 'takes the offer',
  moves: { frustration: -0.4, valence: 0.2 },
  extract(messages) {
    if (repliesOf(messages).length === 0) return silent('takes the offer');
    return readCues('takes the offer', taken(), messages.at(-1), 0.6);
  },
};

/** The reply just given says much the same as one before it. */
export const circles: SignalExtractor = {
  name: 'replies repeat',
  moves: { frustration: 0.3, valence: -0.15 },
  extract(messages) {
    const [last, ...before] = repliesOf(messages).reverse();
    if (last === undefined) return silent('replies repeat');
    const likeness = Math.max(0, ...before.slice(0, 4).map((reply: ReadMessage) => alike(last, reply)));
    if (likeness < 0.6) return silent('replies repeat');
    const evidence = [`${Math.round(100 * likeness)} % of the words of an earlier reply`];
    return { name: 'replies repeat', score: likeness, confidence: 0.6, evidence };
  },
};
