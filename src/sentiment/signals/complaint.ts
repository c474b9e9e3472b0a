import { type Cue, cueText, matchCues, silent } from '../cues.ts';
import type { SignalExtractor } from '../types.ts';

/** Complaints about what the agent did, and corrections that say it did it before. */
const CUES: readonly Cue[] = [
  [
    /\bwhy (?:do|are|did|would|have|can't|won't|don't) (?:you|u)\b(?! (?:think|suggest|recommend|prefer|choose|pick))/i,
    0.4,
  ],
  [/\b(?:you|u)(?:'re| are)? (?:keep|always|constantly|still|never|repeatedly)\b/i, 0.5],
  [/\b(?:stop|quit) (?:\w+ing|it|that|this|apologi[sz]ing|with the)\b/i, 0.35],
  [
    /\b(?:how many times|for the (?:\w+ )?time|times (?:now|already)|over and over|yet again|once again|not again)\b/i,
    0.55,
  ],
  [
    /\bi (?:already|just|literally|clearly|specifically|explicitly) (?:\w+ )?(?:told|said|asked|explained|gave|mentioned|wrote|showed|answered)\b/i,
    0.6,
  ],
  [/\bi(?:'ve| have) (?:already )?(?:told|asked|said|explained) (?:you|this|that)\b/i, 0.5],
  [
    /\b(?:did|do|can|are) (?:you|u) (?:even|actually|really) (?:read|look|listen|try|test|check|run|understand|know|paying|listening)/i,
    0.55,
  ],
  [
    /\b(?:you|u) (?:didn't|did not|don't|never|aren't|haven't|failed|forgot|ignored?|missed|broke|deleted|removed|lied|wiped|made (?:it|this|that) worse|ruined)\b/i,
    0.3,
  ],
  [/\b(?:not|isn't|wasn't|never) (?:what|how|where) i (?:asked|said|wanted|meant|told|requested)/i, 0.5],
  [
    /\b(?:ignor(?:e|ed|ing)|not (?:listening|following|reading)) (?:to )?(?:me|my|what|the instructions|instructions)\b/i,
    0.5,
  ],
  [
    /\b(?:listen|pay attention) to (?:me|what)|\bread (?:my|the) (?:message|instructions?|prompt|question|file|docs?) (?:again|properly|carefully|first)/i,
    0.4,
  ],
  [
    /\b(?:still|again) (?:broken|failing|fails|wrong|not working|doesn't work|does not work|the same|nothing|crashes|no (?:luck|change))\b/i,
    0.4,
  ],
  [
    /\bsame (?:\w+ )?(?:error|problem|issue|bug|mistake|thing|result|failure)(?: (?:again|as before|over|still)|[.!])/i,
    0.35,
  ],
  [/\b(?:waste|wasted|wasting) (?:of )?(?:my |our |so much |of )?(?:time|hours|money|tokens|day)/i, 0.6],
  [
    /\b(?:useless|incompetent|pathetic|garbage|rubbish|ridiculous|unacceptable|nonsense|unusable|joke of)\b/i,
    0.5,
  ],
  [/\b(?:sick|tired|fed up|had enough|done) (?:of|with) (?:this|you|your|it|the|these|all|being)\b/i, 0.6],
  [
    /\b(?:so|very|really|extremely|getting|incredibly|beyond|pretty|increasingly|super|quite) (?:frustrat|annoy|irritat|infuriat|disappoint)/i,
    0.6,
  ],
  [
    /\b(?:frustrat(?:ed|ing)|annoy(?:ed|ing)|infuriating|maddening|irritating|pissed|driving me (?:crazy|nuts|insane|mad))\b/i,
    0.5,
  ],
  [
    /\b(?:wtf|ffs|what the (?:hell|fuck|heck)|for (?:fuck|christ|god|pete)'?s? ?sake|goddamn|god dammit|dammit|bloody hell|bullshit|jesus christ)\b/i,
    0.55,
  ],
  [
    /\b(?:i give up|this is (?:hopeless|impossible|insane|absurd|stupid|crazy)|forget it|never ?mind,? i'll|i'll (?:just )?do it myself)\b/i,
    0.5,
  ],
  [
    /\b(?:hallucinat(?:ed|ing|e)|made (?:that|this|it) up|making (?:things|stuff) up|doesn't (?:even )?exist)\b/i,
    0.25,
  ],
  [/\bnothing (?:works|is working|you (?:do|did|said|suggest))/i, 0.5],
  [/\bjust (?:do|fix|answer|give me|follow|stop|tell me) (?:what|it|the|my)\b/i, 0.25],
  [/^\s*(?:ugh+|argh+|grr+|sigh|omfg|facepalm|seriously\?|really\?|come on)\b/im, 0.45],
];

/** Displeasure in words, most of it with the agent. */
export const complaint: SignalExtractor = {
  name: 'complaint',
  moves: { frustration: 0.9, valence: -0.6, arousal: 0.35, playfulness: -0.5 },
  extract(messages) {
    const last = messages.at(-1);
    if (last === undefined || last.words.length === 0) return silent('complaint');
    return matchCues('complaint', CUES, cueText(last.prose), 0.85);
  },
};
