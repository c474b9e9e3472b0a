import { readCues } from '../cues.ts';
import { phraseBook } from '../phrases.ts';
import type { SignalExtractor } from '../types.ts';

const SYSTEM =
  'prod|production|site|website|server|service|everything|payments|payment|checkout|api|database|db|login|cluster|app|system';
const EVENT =
  'deadline|due|demo|launch|release|meeting|presentation|interview|exam|flight|standup|board|ship|ships|shipping|live';

const urgent = phraseBook(`
  .65  urgent|urgently|asap|emergency|immediately / p|sev 0 / sev 1 / right now|away / at once / time critical / stat !
  .8   ${SYSTEM} is|are|went|has|have|just ?gone|just ..1 down|offline|dead|unreachable / ${SYSTEM} is|are ..1 on fire / ${SYSTEM} is|are broken for
  .5   outage|incident|paged / customer|customers are|is|can't|cannot|complain|complaining / user|users can't|cannot|unable|complaining / user|users are unable|complaining|locked / locked out / losing money|data|customers|orders / data loss / on fire|call
  .6   hurry / quick|quickly ,|! / be quick / no time / running out of time / before it's too late / every minute|second / clock is ticking
  .6   ${EVENT} ..4 in # ?min|mins|minutes|minute|hours|hour|h|m|hrs / ${EVENT} ..4 in an|half|one|two|five|ten|fifteen|twenty|thirty ?an minutes|hours|hour / ${EVENT} ..4 tonight|today|soon / ${EVENT} ..4 this|tomorrow morning|afternoon|evening|at
  .3   within|in ?the ?next #|five|ten|fifteen|twenty|thirty min|mins|minutes|minute|hours|hour / within|in ?the ?next half an hour / within|in a few minutes|hours
  .4   need|want|must|fix|send|deploy|finish|done|ship ..6 now|today|tonight|asap|immediately / have to ..6 now|today|tonight|asap|immediately / need|want|must|fix|send|deploy|finish|done|ship ..6 before the|my|# / need|want|must|fix|send|deploy|finish|done|ship ..6 by #|noon|eod|tonight|tomorrow|end
  .45  eod|cob / time sensitive / blocking everyone|the|us|release / blocked until / can't|cannot wait
  .5   now|help|quick ! / 🚨 / 🔥
`);

const playful = phraseBook(`
  .55  haha|hahaha|hahahaha|hah|hahah|lol|lool|loll|lmao|lmfao|rofl|hehe|hehehe|teehee|lulz|jk|kidding
  .45  :) / <3 / </3
  .5   😀|😁|😂|🤣|😃|😄|😅|😆|😉|😊|😋|😜|😝|😛|🤪|🎉|🥳|😎|🙃|🤠|😹|😸|👻|🦄|🍕|🚀|✨|💃|🕺|🤖
  .35  joke|joking|funny|hilarious|silly|goofy|shenanigans|banter|pun|puns|wink|woohoo|woot|yay|yayy|yolo|party|magic|sorcery|wizard|witchcraft / beast mode
  .35  my robot|digital|silicon friend|overlord|buddy|pal / good bot|robot / buddy|mate|overlord|overlords|captain|sensei|maestro / partner in crime
  .4   pretty please / with a cherry / do|work your magic|thing / for fun / just for kicks / let's get weird / pirate|haiku|limerick / as a poem
`);

const curious = phraseBook(`
  .55  curious|wondering|intrigued|fascinating|fascinated|interesting / wonder if|why|how|what|whether
  .4   how does|do|is|come|would|can|did|are|exactly / why does|is|do|are|did|would|not / what if|happens|would|does|makes|causes|else / what is the difference|reason|point|idea
  .45  explain|explore|tradeoff|tradeoffs|trade-off|trade-offs|alternative|alternatives / walk me through / tell me more|about / teach me / help me understand / learn|learning about|how|more / deep dive / dig into / under the hood / trade offs|off / pros and cons
  .3   is it possible / could we|you|it also / what about / have you considered|heard|seen / any idea / i'd like|love to know|learn|understand
`);

const tired = phraseBook(`
  .6   tired|exhausted|exhausting|sleepy|drained|burnout|knackered|beat|fried !of / worn|wiped|burned|burnt out / dead on my feet / no energy / half asleep
  .6   long day|night|week / all nighter / been at this|it all|since|for / been up|awake|here|working all|since|for / haven't slept / no sleep / need sleep|coffee|rest / need a break / can't think|focus|concentrate / can't see straight / brain ?is fried|dead|mush|fog / my head|eyes hurt|hurts|is|are
  .45  call it a night|day / go|going to bed|sleep / off to bed / gonna sleep|crash / bedtime / it's late / so|here late / late here / 1|2|3|4|5 am / middle of the night / yawn|zzz|zzzz
  .5   😴|🥱|😪|😩|😫
`);

const engaged = phraseBook(`
  .35  let's do|go|try|build|make|start|see|keep|also|add|get / next up|step / i want|like|love to build|try|make|add|see|go / i'd like|love to build|try|make|add|see|go / i would like|love to build|try|make|add|see|go / can we also|try|add / what's next / keep going / continue
  .5   excited|exciting|exactly|impressive / can't wait / love this|it|that|the / look|looks great|good|amazing|awesome / great idea|point|work|job / good idea|point|catch|call|thinking / this is great|awesome|amazing|perfect|brilliant / nicely done / nice work|one / well done
  .2   i think / my idea|thought|plan / maybe we could|should / another idea|option|thing / on the other hand / because
`);

const pleased = phraseBook(`
  .5   thanks|thank|thx|ty|cheers ?you !for / thanks|thank|thx|ty ?you for !nothing|breaking|deleting|wasting|ignoring / much appreciated / appreciate it|that|you|the / grateful
  .45  it|that|this|everything|all|it's|that's ?is work|works|worked|working|fixed|solved|passes|green|perfect|great|brilliant > / it|that|this|everything|all|it's|that's ?is work|works|worked|working|fixed|solved|passes|green|perfect|great|brilliant now|again
  .5   perfect|awesome|brilliant|excellent|amazing|wonderful|fantastic|beautiful|lifesaver|legend / love it / nailed it / you rock / life saver / exactly what i wanted|needed|asked
  .4   no worries|problem|rush|hurry / take your time / sounds|looks good / lgtm / good job|work / all good
  .4   👍|❤|🙏|💯|👏|😍|🥰
`);

type Book = ReturnType<typeof phraseBook>;

function keywords(name: string, book: Book, moves: SignalExtractor['moves']): SignalExtractor {
  return { name, moves, extract: (messages) => readCues(name, book(), messages.at(-1), 0.8) };
}

/** Phrases of each mood. */
export const keywordSignals: readonly SignalExtractor[] = [
  keywords('urgent words', urgent, { urgency: 0.95, arousal: 0.4, playfulness: -0.4 }),
  keywords('playful words', playful, { playfulness: 0.8, valence: 0.3, frustration: -0.3 }),
  keywords('curious words', curious, { curiosity: 0.75, engagement: 0.25 }),
  keywords('tired words', tired, { fatigue: 0.9, arousal: -0.3, valence: -0.15 }),
  keywords('engaged words', engaged, { engagement: 0.7, valence: 0.2 }),
  keywords('pleased words', pleased, { valence: 0.55, frustration: -0.6, engagement: 0.25 }),
];
