import { readCues } from '../cues.ts';
import { phraseBook } from '../phrases.ts';
import type { SignalExtractor } from '../types.ts';

/** Complaints about what the agent did, and corrections that say it did it before. */
const book = phraseBook(`
  .4   why do|are|did|would|have|can't|won't|don't you|u !think|suggest|recommend|prefer|choose|pick
  .5   you|u|you're ?are keep|always|constantly|still|never|repeatedly
  .35  stop|quit it|that|this|~ing / stop|quit with the
  .55  how many times / for the second|third|fourth|fifth|sixth|tenth|last|nth|umpteenth|hundredth|thousandth|millionth|# ..1 time / times now|already / over and over / yet|once again / not again
  .6   i already|just|literally|clearly|specifically|explicitly ..1 told|said|asked|explained|gave|mentioned|wrote|showed|answered
  .5   i've ?already told|asked|said|explained you|this|that / i have ?already told|asked|said|explained you|this|that
  .55  did|do|can|are you|u even|actually|really read|reading|look|looking|listen|listening|try|trying|test|testing|check|checking|run|understand|know|paying
  .3   you|u didn't|don't|never|aren't|haven't|failed|forgot|ignore|ignored|missed|broke|deleted|removed|lied|wiped|ruined / you|u did not / you|u made it|this|that worse
  .5   not|isn't|wasn't|never what|how|where i asked|said|wanted|meant|told|requested
  .5   ignore|ignored|ignoring me|my|what|instructions / ignore|ignored|ignoring the instructions / not listening|following|reading ?to me|my|what|instructions
  .4   listen to me|what / pay attention to me|what / read my|the message|instruction|instructions|prompt|question|file|doc|docs again|properly|carefully|first
  .4   still|again broken|failing|fails|wrong|nothing|crashes|crashing / still|again not working / still doesn't|don't work / still does not work / still|again the same / still no luck|change
  .35  same ..1 error|problem|issue|bug|mistake|thing|result|failure again|over|still|.|! / same ..1 error|problem|issue|bug|mistake|thing|result|failure as before
  .6   waste|wasted|wasting ?of ?my|our|so ?much ?of time|hours|money|tokens|day
  .5   useless|incompetent|pathetic|ridiculous|unacceptable|nonsense|unusable / garbage|rubbish !collector|collection|collected|collect|bin|bins|truck / joke of
  .6   sick|tired|done of|with this|you|your|it|the|these|all|being / fed up of|with this|you|your|it|the|these|all|being / had enough of
  .6   so|very|really|extremely|getting|incredibly|beyond|pretty|increasingly|super|quite frustrat~|annoy~|irritat~|infuriat~|disappoint~
  .5   frustrated|frustrating|annoyed|annoying|infuriating|maddening|irritating|pissed / driving me crazy|nuts|insane|mad
  .55  wtf|ffs|goddamn|dammit|bullshit / what the hell|fuck|heck / for fuck|fuck's|christ|christ's|god|god's|pete|pete's sake|sakes / god dammit / bloody hell / jesus christ
  .5   i give up / this is hopeless|impossible|insane|absurd|stupid|crazy / forget it / never mind ?, i'll / i'll ?just do it myself
  .25  hallucinate|hallucinated|hallucinating / made that|this|it up / making things|stuff up / doesn't ?even exist
  .5   nothing works / nothing is working / nothing you do|did|said|suggest
  .25  just do|fix|answer|follow|stop what|it|the|my / just give me / just tell me what|it|the|my
  .45  < ugh|ughh|uggh|argh|aargh|arghh|grr|grrr|sigh|omfg|facepalm / < seriously|really ? / < come on
`);

/** Displeasure in words, most of it with the agent. */
export const complaint: SignalExtractor = {
  name: 'complaint',
  moves: { frustration: 0.9, valence: -0.6, arousal: 0.35, playfulness: -0.5 },
  extract: (messages) => readCues('complaint', book(), messages.at(-1), 0.85),
};
