import TALK from '../../models/common-talk.json' with { type: 'json' };
import { stem } from '../base/text/stem.ts';
import { wordList } from '../base/text/word-list.ts';

const STOP = `
a about above after again against ago all almost alone along already also although always am among an and another
any anybody anyone anything are arent around as at away back be became because been before behind being below
between both but by can cannot cant come could couldnt did didnt do does doesnt doing done dont down during each
either else enough etc even ever every everybody everyone everything few for from further gave get gets getting
give given go goes going gone gonna got gotta had hadnt has hasnt have havent having he hed hell her here heres hers
herself hes hey hi him himself his how however hows i id if ill im in indeed instead into is isnt it itd itll its
itself ive just keep kept kinda know least less let lets like likely lot lots made make makes making many may maybe
me might mine more most much must my myself neither never no nobody none nor not nothing now of off often oh on once
one ones only onto or other others our ours ourselves out over own per perhaps put quite rather really said same
saw say says see seem seemed seems seen several shall she shed shes should shouldnt since so some somebody someone
something sometimes somewhat soon still such take than that thatd thats the their theirs them themselves then there
theres these they theyd theyll theyre theyve thing things this those though through thus till to together too toward
towards under unless until up upon us use used using very via was wasnt way we wed well went were werent weve what
whatever whats when whenever where wheres whether which while who whod whole whom whos whose why will with within
without wont would wouldnt yet you youd youll your youre yours yourself youve
`;

const FILLER = `
absolutely actually agree alright anyway awesome aww bit bye certainly check cheers completely continue cool
course definitely detail details elaborate else exactly explain fantastic far find fine glad good great guess haha
happy hello help hmm hope interesting kind know lol look mean mention nice nope ok okay perfect please pls
pretty probably question quick quickly remember remind right search sense show sorry sounds suppose sure talk tell
thank thanks think thx totally true understand want wondering wow yeah yep yes yup
`;

/** Words that say nothing about a subject; never indexed. Apostrophes are already gone. */
export const STOPWORDS: ReadonlySet<string> = new Set(wordList(STOP));

/**
 * Conversational words that do not name a subject. They are indexed, because a note may be about one of them, but in
 * a query they weigh little and never displace older messages.
 */
export const FILLERS: ReadonlySet<string> = new Set(wordList(FILLER));

let worths: Map<string, number> | undefined;

/**
 * Significance of a stem in conversation with an agent, from its frequency there: 0 for `continue`, 1 for
 * `kubernetes`.
 */
export function worthOf(term: string): number {
  worths ??= readWorths();
  return worths.get(term) ?? 1;
}

function readWorths(): Map<string, number> {
  const out = new Map<string, number>();
  // Words of the first list carry no information in talk, those of each further list a quarter more.
  for (const [level, text] of TALK.levels.entries())
    for (const term of wordList(text)) out.set(term, level / TALK.levels.length);
  for (const filler of FILLERS) out.set(stem(filler), 0);
  return out;
}
