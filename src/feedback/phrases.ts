import type { Token } from '../sentiment/words.ts';
import { shorten } from '../text/shorten.ts';
import { findPhrases, type PhraseBook, phraseBook } from './phrase-book.ts';
import type { Meaning } from './types.ts';

/** A phrase book with one meaning per line, in the notation of `phrase-book.ts`. */
interface Sayings {
  book: PhraseBook;
  meanings: readonly Meaning[];
}

function sayings(table: readonly (readonly [Meaning, ...string[]])[]): Sayings {
  return {
    book: phraseBook(table.map(([, ...phrases]) => phrases.join(' / ')).join('\n')),
    meanings: table.map(([meaning]) => meaning),
  };
}

const REPLIES = 'answers|replies|responses|messages|explanations|summaries|reports';
const REPLY = `${REPLIES}|answer|reply|response|message|explanation|summary|report`;
const YOU = "you|you're|u|ur ?are|were ?being|getting|still|again|always";
const YOUR_REPLY = `your|ur ?last|previous|latest ${REPLY} is|was`;
const VERY = '?way|far|a|much ?bit|little|tad';
const PRAISED = 'perfect|great|excellent|brilliant|fantastic|good|nice|helpful|clear';

/**
 * Phrases that are clearly about the agent's answers even in the middle of work. "Too verbose" alone may be
 * about a log, "be brief" a task: a phrase names the agent or its answer, or is a whole sentence without
 * another meaning.
 */
export const STRICT = sayings([
  [
    'shorter',
    `<< ${VERY} too verbose|wordy|chatty|long > / << ?way|far too long winded`,
    '<< ?way|far too much text|detail|explanation|words|prose > / << less text|talk|talking|prose|chatter',
    `${YOU} ${VERY} too|so|very verbose|wordy|chatty / ${YOU} ${VERY} too|so|very long >`,
    `${YOU} ?way|far too|so long winded / you talk|write|explain|say|ramble ?way|far too much / talk|explain less >`,
    `your|ur ${REPLIES} ..3 too|so|very|way long|verbose|wordy|lengthy / ${YOUR_REPLY} ${VERY} too|so|very long|verbose|wordy|lengthy`,
    `that|this ${REPLY} is|was ${VERY} too|so|very long|verbose|wordy|lengthy / that|this|it was ?way|far|much too verbose|wordy`,
    '< ?please be ?more|very|a ?bit ?more brief|concise|succinct|terse ?please >',
    'can|could you be ?more|a ?bit ?more brief|briefer|concise|succinct|terse',
    `< ?please ?use|give|keep|write|just ?me ?to shorter|briefer ${REPLIES} / keep|make your|ur ${REPLY} short|shorter|brief|briefer|concise|tight`,
    "stop|quit rambling|waffling / stop|quit over explaining / stop explaining everything / don't explain everything / < no need to explain >",
    "i don't|didn't|do need|want|ask ?for a|an|the|another|your ?long essay|lecture|novel|thesis|monologue / < no|enough essays|lectures|novels|monologues",
    '<< wall of text / another|these|such|your|giant|huge wall|walls of text / spare me the|your essay|lecture|explanation|details|monologue',
    '< get to the point / cut to the chase / tl ; dr please / tldr please / < just answer the question / < just give me the answer|gist',
  ],
  [
    'longer',
    `<< ?way|far|a|much ?bit|little too short|terse|curt > / ${YOU} ${VERY} too|so terse|curt`,
    `your|ur ${REPLIES} ..3 too short|terse|brief|thin|vague / ${YOUR_REPLY} ${VERY} too short|terse|brief|thin`,
    `that|this answer|reply|response|explanation is|was ${VERY} too short|terse|brief|thin`,
    "don't be so|too terse|brief|curt / < ?please ?use|give|write ?me longer|fuller answers|replies|responses|explanations",
    'i need|want|prefer|would ?like|prefer longer|fuller answers|replies|responses|explanations / < ?please be more verbose|detailed in your',
  ],
  [
    'no preamble',
    'skip|drop|cut|omit|without|no|enough|less ?all|with ?the|your preamble|preambles|pleasantries|flattery|sycophancy|niceties / skip|cut|drop the small talk|fluff >',
    "stop saying ?that ?you're|you ?are sorry|great|good|absolutely|certainly|perfect|excellent / stop telling me ?that ?i'm|i ?am right",
    'stop|quit apologizing|apologising|flattering|complimenting|praising|thanking',
    "stop|quit repeating|restating|summarizing|summarising|rephrasing my|what question|request|message|i / don't repeat|restate|rephrase my|what question|request|message|i ?just said",
  ],
  ['preamble', "tell|show me what you|you're|you'll ..4 before you do|start|begin|touch|change|edit"],
  [
    'direct',
    "stop|quit hedging|waffling / stop|quit sugarcoating / stop|quit sugar coating / don't sugarcoat",
    '<< be ?more direct|blunt|straightforward / < please be ?more direct|blunt|straightforward / just be straight|blunt|direct with me / give it to me straight',
    'stop being so polite|nice|apologetic|cautious',
  ],
  [
    'warm',
    '< ?please be ?a ?bit|little ?more nicer|kinder|friendlier|warmer',
    `${YOU} ${VERY} too|so rude|cold|harsh|blunt|condescending|patronizing|patronising`,
    "don't be so rude|cold|harsh|blunt|condescending / stop being so|such rude|cold|harsh|blunt|condescending",
  ],
  [
    'playful',
    `< lighten up / < ?please be ?more playful / ${YOU} ${VERY} too|so stiff|formal|serious / don't be so stiff|formal|serious`,
  ],
  [
    'professional',
    'stop|quit using|adding|with|putting ?the|so ?many emojis|emoji|jokes|puns / < no|without emojis|emoji ?please > / no more emojis|emoji|jokes|puns / stop|quit joking ?around',
    `${YOU} ${VERY} too|so casual|jokey|chirpy|cheerful|enthusiastic|flippant|effusive / stop being so casual|jokey|chirpy|cheerful|enthusiastic|flippant|cute`,
    '< ?please be ?more professional|serious',
  ],
  [
    'good',
    '<< that|this ?answer|explanation|summary was perfect > / that|this answer|explanation|summary was|is perfect|great|excellent',
    `that was ?a perfect|excellent|great|brilliant|good answer|explanation|summary|reply`,
    `< ${PRAISED} answer|explanation|summary|reply|response|breakdown > / < ${PRAISED} answer|explanation|summary|reply|response|breakdown ,`,
    '< perfect|right|good|great length|amount / exactly|just the right length|amount|level / keep answering|explaining|writing ?it ?like this|that',
    `i|we like|love|prefer ?the|your|these|this short|shorter|brief|concise|direct|detailed ${REPLIES}|style / < more ${REPLIES} like this|that`,
    'love your|this ?writing|answering style|tone / keep your answers|replies like this|that',
  ],
]);

/** What a text means if somebody gives it as feedback: then single words are enough. */
const LOOSE = sayings([
  [
    'shorter',
    'too|so|overly|very|less|rather|bit|incredibly verbose|wordy|long|lengthy|chatty|detailed|rambling|much|talkative|winded / verbose > / wordy > / rambling / rambles / rambled / long winded',
    'shorter|briefer|concise|concisely|succinct|tldr / be|more|very brief|terse|short|succinct / keep ..2 short|brief|concise|tight / get to the point / wall of text / cut the chatter|waffle|fat / < short|brief ?answers|replies ?please >',
    "fewer words|sentences|details|paragraphs / half|third as long / stop explaining / don't explain",
  ],
  [
    'longer',
    'too|so|overly|very|less|rather|bit short|brief|terse|thin|vague|shallow|concise|curt|little|superficial',
    'longer / fuller / more|need|wanted|missing|lacking|enough|insufficient detail|details|detailed|thorough|verbose|explanation|context|depth|background|elaborate|elaboration',
    'not enough detail|details|explanation|context|depth|background / explain more|further|better / elaborate / be|so thorough|detailed',
  ],
  [
    'no preamble',
    'no|skip|drop|less|without|cut|too|stop ?the|much|with|your|of ?the preamble|preambles|intro|intros|introduction|fluff|filler|pleasantries|flattery|niceties|sycophancy|apologies|apologizing|apologising',
    'flattering / sycophantic / fawning / start|begin with the answer|result',
  ],
  [
    'preamble',
    'more|with|add|use|missing|needs ?a|an|some preamble|intro|introduction / say|tell|announce|explain ?me what you / introduce ?your|the',
  ],
  [
    'direct',
    'more|be|very direct|directly|blunt|blunter|straight|honest|straightforward / hedging / hedged / hedges / wishy / sugarcoat|sugarcoated|sugarcoating',
    'too|so|overly ?much soft|polite|nice|careful|cautious|apologetic|diplomatic|hedging',
  ],
  [
    'warm',
    'too|so|very|overly|bit cold|blunt|harsh|rude|direct|brusque|robotic|unfriendly|condescending / warmer|nicer|kinder|friendlier|gentler',
    'more|be friendly|warm|kind|gentle|nice|polite|patient / rude > / condescending / patronizing / patronising',
  ],
  [
    'playful',
    'too|so|very|overly|bit dry|boring|serious|formal|stiff / lighten up / more|be fun|funny|playful|humour|humor|jokes|lighthearted|casual',
  ],
  [
    'professional',
    'too|so|very|overly|bit casual|playful|jokey|silly|cute|cheerful|enthusiastic|effusive|informal|flippant',
    'no|stop|fewer|less|drop|without ?the|with|using ?the jokes|joking|emoji|emojis|puns|exclamation / too many|much emojis|emoji|jokes|puns|exclamation / more|be professional|formal|serious|sober',
  ],
  [
    'good',
    'how short|brief|concise|clear|direct|thorough / perfect|perfectly|great|good|excellent|love|loved|nice|nicely|ideal|better|helpful|brilliant|awesome|spot|exactly|right|wonderful',
    'like this|that|it / well done|said|explained|put / keep it|going|this|doing|that / 👍|❤|💯|🙏|👏',
  ],
]);

const NEGATIONS: ReadonlySet<string> = new Set(
  "not isn't wasn't aren't weren't never don't doesn't didn't nothing hardly nor".split(' '),
);
/** How many words before a phrase can negate it; a phrase that begins with a negation is meant as it is. */
const BEFORE = 2;
const EVIDENCE = 60;

/** The meanings found, and the words that express them. */
export interface Understood {
  meaning: Meaning;
  words: string;
}

/** The meanings that a book finds in a text, each once; praise only if there is nothing else. */
export function understand({ book, meanings }: Sayings, tokens: readonly Token[]): Understood[] {
  const found: Understood[] = [];
  for (const [cue, { start, end }] of findPhrases(book, tokens)) {
    const meaning = meanings[book.cues.indexOf(cue)];
    if (meaning === undefined || denied(tokens, start, end)) continue;
    found.push({ meaning, words: shown(tokens.slice(start, end)) });
  }
  const wishes = found.filter(({ meaning }) => meaning !== 'good');
  return wishes.length > 0 ? wishes : found;
}

const OPPOSITE: ReadonlyMap<Meaning, Meaning> = new Map([
  ['shorter', 'longer'],
  ['longer', 'shorter'],
  ['no preamble', 'preamble'],
  ['preamble', 'no preamble'],
  ['direct', 'warm'],
  ['warm', 'direct'],
  ['playful', 'professional'],
  ['professional', 'playful'],
]);

/** The meanings of a remark given as feedback; `contrary` if it says a thing and its opposite. */
export function understandRemark(tokens: readonly Token[]): Meaning[] | 'contrary' {
  const opposed = (meaning: Meaning, others: readonly Meaning[]): boolean =>
    others.some((other) => OPPOSITE.get(meaning) === other);
  const sure = understand(STRICT, tokens).map(({ meaning }) => meaning);
  const likely = understand(LOOSE, tokens)
    .map(({ meaning }) => meaning)
    .filter((meaning) => !opposed(meaning, sure));
  const all = [...new Set([...sure, ...likely])];
  if (all.some((meaning) => opposed(meaning, all))) return 'contrary';
  const wishes = all.filter((meaning) => meaning !== 'good');
  return wishes.length > 0 ? wishes : all;
}

/** "Not too long", "your answers are not too long": the phrase is there, but negated. */
function denied(tokens: readonly Token[], start: number, end: number): boolean {
  const around = [...tokens.slice(Math.max(0, start - BEFORE), start), ...tokens.slice(start + 1, end)];
  return around.some(({ lower }) => NEGATIONS.has(lower));
}

function shown(tokens: readonly Token[]): string {
  let text = '';
  for (const { raw, kind } of tokens) text += text === '' || kind === 'mark' ? raw : ` ${raw}`;
  return shorten(text, EVIDENCE);
}
