import COURTESIES from '../../models/words/courtesies.json' with { type: 'json' };
import LANGUAGES from '../../models/words/going-on.json' with { type: 'json' };
import { foldProse, splitSentences, splitWords } from '../base/text/prose.ts';
import { extractTerms, rateTerm } from '../memory/terms.ts';

/*
 * The words of `models/words/going-on.json`, of all languages together. Words only: the meaning of a sentence is left to
 * the model that reads it. A language is added there, and nowhere else.
 */

const languages: Readonly<Record<string, string>>[] = Object.values(LANGUAGES);

const loadWordSet = (kind: string): ReadonlySet<string> =>
  new Set(languages.flatMap((language) => language[kind]?.split(' ') ?? []));

const loadPhrases = (kind: string): string[] =>
  languages.flatMap((language) => language[kind]?.split(/,\s+/) ?? []);

export const escapePattern = (phrase: string): string => phrase.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const WIDE = '\\u0e00-\\u0e7f\\u3040-\\u9fff\\uac00-\\ud7af';
const WIDE_LETTERS = new RegExp(`[${WIDE}]`, 'gu');

const matchWholeWords = (kind: string, start = ''): RegExp =>
  new RegExp(
    `${start}(?<![\\p{L}\\p{M}])(?:${loadPhrases(kind).map(escapePattern).join('|')})(?:(?<=[${WIDE}])|(?![\\p{L}\\p{M}]))`,
    'u',
  );

const matchInside = (kind: string): RegExp => new RegExp(loadPhrases(kind).map(escapePattern).join('|'), 'u');

/** A message of nothing but these agrees, or asks to go on. */
const AGREES = loadWordSet('agree');
export const ANSWERS = loadWordSet('answer');
export const ASKS = loadWordSet('ask');
export const ACTS = loadWordSet('act');
/** Asks for an act that is over once it is done: a commit, a push. */
const ACTS_ONCE = loadWordSet('once');
const COMMITS = loadWordSet('commit');
/** Speaks of what was said or done before. */
export const REMINDS = loadWordSet('remind');
/** Stands before what is asked for, or belongs to politeness. */
export const ADDRESS = loadWordSet('address');
const FORBIDS = loadWordSet('not');
/** In some languages what forbids stands behind the verb. */
const FORBIDS_BEHIND = loadWordSet('behind');
const FORBIDS_INSIDE = matchInside('notInside');
/** Stands for what was named before, somewhere else. */
const POINTS = loadWordSet('point');
const POINTS_INSIDE = matchInside('pointInside');
/** Holds from now on: "always", "only", "per". */
const STANDS = loadWordSet('stand');
const STANDS_INSIDE = matchInside('standInside');
/** Two words, others between them, by which an act waits: "erst … wenn", "not … before". */
const WAITS = loadPhrases('wait').map((pair) => pair.split(' '));

export const GOES_ON_FIRST = new Set(loadPhrases('first'));
const GOES_ON_ANYWHERE = matchWholeWords('anywhere');
/** The same at the end of a short prompt: "mach mit dem Warenkorb weiter". */
const GOES_ON_LAST = new Set(loadPhrases('last'));
const PLEASE = loadWordSet('please');
/** The same where nothing else stands but politeness: "vale, adelante"; "más adelante" is later. */
const GOES_ON_ALONE = loadWordSet('alone');
/** The same in scripts without blanks, or with prefixes. */
const GOES_ON_INSIDE = matchInside('inside');
const BEGINS_OTHER = matchWholeWords(
  'other',
  "^(?:\\p{L}+[,.!]+ )?[^\\p{L}'’]*(?:[\\p{L}'’]+[^\\p{L}'’]+){0,2}['’]*",
);
/** "First, let me look": one word of address may stand before it. */
const ANNOUNCES = matchWholeWords('announce', '^[^\\p{L}]*(?:\\p{L}+[,.!]+ )?');

const OFFERS = matchInside('offer');
const TIMES = loadWordSet('time');
const TIMES_INSIDE = matchInside('timeInside');

const CONSENTS = matchInside('consent');
/** Asks for what comes next, if no other word names a thing: "which part should we look at next?". */
const UPCOMING = matchWholeWords('upcoming');
export const NAMELESS = loadWordSet('nameless');
const COURTEOUS = Object.values(COURTESIES).flatMap((phrases) => phrases.split(', '));

/** Whether a sentence says what comes next. */
export const isUpcoming = (sentence: string): boolean => UPCOMING.test(foldProse(sentence));

/** A sentence with marks for the phrases that are the beginning or the end of a question. */
const foldQuestion = (sentence: string): string =>
  `^${foldProse(sentence)
    .replace(/^[^\p{L}]+/u, '')
    .replace(/(?<!\s)\s*[?？][^\p{L}\p{N}]{0,40}$/u, '?')}`;

/** "Anything else?" leaves nothing open; a question that names a thing may. */
export function isCourtesy(sentence: string): boolean {
  const text = foldQuestion(sentence);
  if (/[`\d/_]|\w\.\w/.test(text)) return false;

  const words = splitWords(sentence);
  const isOfNext = text.endsWith('?') && UPCOMING.test(text) && words.every((word) => NAMELESS.has(word));
  return (
    (isOfNext && words.some((word) => ASKS.has(word))) || COURTEOUS.some((phrase) => text.includes(phrase))
  );
}

/** Whether a question offers work, or only asks whether the answer will do: no work waits for it. */
export function isOffering(question: string): boolean {
  const asks = splitSentences(question).filter((sentence) => foldQuestion(sentence).endsWith('?'));
  const isPolite = (ask: string): boolean => CONSENTS.test(foldQuestion(ask)) || isCourtesy(ask);
  return OFFERS.test(foldProse(question)) || (asks.length > 0 && asks.every(isPolite));
}

export const isSpeakingOfTime = (text: string): boolean =>
  splitWords(text).some((word) => TIMES.has(word)) || TIMES_INSIDE.test(text.toLowerCase());

const FILLERS = languages.map(({ agree = '', address = '' }) => new Set(`${agree} ${address}`.split(' ')));

export const isFiller = (word: string): boolean => AGREES.has(word) || ADDRESS.has(word);

export function isApproval(text: string): boolean {
  const words = splitWords(text);
  return words.length <= 12 && words.every((word) => AGREES.has(word));
}

/** "Yes, draft it": in answer to a question it is over once that was done; "the second" chooses. */
export function isAgreeing(text: string): boolean {
  const words = splitWords(text);
  const others = words.filter((word) => !isFiller(word));
  const isChoice = others.length > 0 && others.every((word) => isPointer(word) && !ACTS.has(word));
  return words.length <= CHOOSING_WORDS && AGREES.has(words[0] ?? '') && !isChoice;
}

/** "C)", "I like option C", "yes, that was it": without its question it says nothing. */
export const isBareAnswer = (text: string): boolean =>
  /^(?:(?:\S+ ){0,4}(?:option|choice|approach) )?\W*[a-z\d]\W*$/i.test(text) ||
  (ANSWERS.has(splitWords(text)[0] ?? '') &&
    extractTerms(text).every((term) => ANSWERS.has(term) || AGREES.has(term)));

/** A longer text says more than its choice. */
const CHOOSING_WORDS = 8;

/**
 * Whether a text answers a question in its words, one other aside: "only on the sum", "use GLS by default"; or begins with
 * its preposition: "where does it come from?", "from the shop db".
 */
export function isAnswering(text: string, question: string): boolean {
  const [clause = ''] = text.trim().split(/[,;]|[.!?](?=\s|$)|\n/);
  const [first = '', ...rest] = splitWords(clause);
  const ask = splitWords(splitSentences(question).findLast((one) => /[?？]\W*$/.test(one)) ?? '');
  const isEcho = first === ask.at(-1) || (first === ask[0] && ASKS.has(ask[1] ?? ''));
  const isFragment = rest.length > 0 && rest.length < CHOOSING_WORDS && !/[?？]\s*$/.test(text);
  const isPreposition = extractTerms(first).length === 0 && !isPointer(first) && !ACTS.has(first);
  if (isFragment && isEcho && isPreposition && !isOffering(question)) return true;

  const words = splitWords(text);
  const terms = extractTerms(words.filter((word) => !isFiller(word)).join(' '));
  const asked = new Set(extractTerms(question));
  const chosen = new Set(extractTerms(splitSentences(question).at(-1) ?? ''));
  const isWhole = terms.length > 0 && terms.every((term) => asked.has(term));
  const isChoice = terms.length > 2 && terms.filter((term) => !chosen.has(term)).length === 1;
  const isNew = isOffering(question) || words.some((word) => ACTS.has(word));
  return (isWhole || (isChoice && !isNew)) && words.length <= CHOOSING_WORDS && !isSingleOrder(text);
}

/** "call it as_money", "postgres": right after a question it stands for what that asked, whatever it names. */
export function isElliptical(text: string): boolean {
  const words = splitWords(text);
  if (words.length > CHOOSING_WORDS || /[?？]\s*$/.test(text)) return false;
  if (isApproval(text) || isBareAnswer(text) || isAskingToContinue(text)) return false;
  return words.some(isPointer) || (words.length <= POINTING_WORDS && !words.some((word) => ACTS.has(word)));
}

export const isForbidding = (word: string): boolean => FORBIDS.has(word) || FORBIDS_BEHIND.has(word);

export const RARE = 0.75;
export const isDistinctive = (term: string): boolean => term.length > 3 && rateTerm(term) >= RARE;

/** Beside a word that points, one other names nothing, nor do two that most talk has; of wide letters, so many. */
const POINTING_WORDS = 2;
const POINTING_LETTERS = 6;

/** "no, remove this again", "do the second": whoever has not read what stood before it does not understand it. */
export function isPointing(text: string): boolean {
  const words = splitWords(text);
  const wide = text.match(WIDE_LETTERS)?.length ?? 0;
  const [clause = ''] = text.split(/[,;]/);
  // "no remove this again, the risk is too big", and not "in this repo, use tabs"
  const isBare = (word: string, at: number, all: string[]): boolean =>
    isPointer(word) && isPointer(all[at + 1] ?? word);
  if (clause !== text && splitWords(clause).some(isBare)) return isPointing(clause);

  const others = words.filter((word) => !isPointer(word) && !isFiller(word) && !isForbidding(word));

  if (wide > 0) return wide <= POINTING_LETTERS && POINTS_INSIDE.test(text);
  if (others.length > POINTING_WORDS || isNamingCode(text) || /\d/.test(text)) return false;

  const names = extractTerms(others.join(' ')).some(isDistinctive);

  if (words.some(isPointer)) return others.length <= 1 || !names;
  return others.length === 1 && !names && !words.some((word) => ACTS.has(word) || isForbidding(word));
}

const isNamingCode = (text: string): boolean => /`|\p{Ll}\p{Lu}|\w[._]\w/u.test(text);

const isPointer = (word: string): boolean => POINTS.has(word);

/** Whether a sentence goes on with what stands before it: "that is wrong for the halves", "without this they are lost". */
export const isReply = (sentence: string): boolean =>
  isPointer(splitWords(sentence).find((word) => !isForbidding(word)) ?? '');

const isWaiting = (words: readonly string[]): boolean =>
  WAITS.some(
    ([first = '', then = '']) => words.includes(then, words.indexOf(first) + 1) && words.includes(first),
  );

/** A longer sentence explains: its "only" or "avoid" is no rule, unless it begins with what it forbids. */
const RULE_WORDS = 25;

/** Whether a sentence says what always holds. */
export const isGeneralRule = (sentence: string): boolean => {
  const words = splitWords(sentence);
  return (
    (words.length <= RULE_WORDS && (words.some((word) => STANDS.has(word)) || isWaiting(words))) ||
    STANDS_INSIDE.test(sentence) ||
    FORBIDS_INSIDE.test(sentence)
  );
};

/** The same, or begins with what it forbids: not "no, that is wrong". */
export const isStanding = (sentence: string): boolean =>
  isGeneralRule(sentence) ||
  splitWords(sentence.replace(/^\W{0,20}[\p{L}'’]{1,40}[,.!]/u, ''))
    .slice(0, 2)
    .some(isForbidding);

const NEAR = 4;

function isForbidden(words: readonly string[], at: number): boolean {
  const before = words.slice(Math.max(0, at - NEAR), at);
  const behind = words.slice(at + 1, at + 3);
  return before.some((word) => FORBIDS.has(word)) || behind.some((word) => FORBIDS_BEHIND.has(word));
}

export const SHORT_WORDS = 30;
/** Who asks to go on says so early, or says little else; before it stand words of address, and one other at most. */
const SOON = 6;
const LITTLE = 8;

/** "Mach bitte weiter" is "mach weiter". */
const removePoliteness = (text: string): string =>
  foldProse(text)
    .normalize('NFC')
    .replace(/ ([\p{L}\p{M}]+)(?= )/gu, (part, word) => (PLEASE.has(word) ? '' : part));

export function isAskingToContinue(text: string): boolean {
  const lower = removePoliteness(text);
  const words = splitWords(lower);
  if (words.length > SHORT_WORDS || FORBIDS_INSIDE.test(lower)) return false;

  const inside = GOES_ON_INSIDE.exec(lower) ?? GOES_ON_ANYWHERE.exec(lower);
  if (inside !== null && !isForbidden(words, splitWords(lower.slice(0, inside.index)).length)) return true;

  const isLittle = words.length <= LITTLE;
  const isAddressed = (at: number): boolean =>
    words.slice(0, at).filter((word) => !isFiller(word)).length <= 1;
  const soon = isLittle ? words : words.slice(0, SOON);

  if (soon.some((word, at) => GOES_ON_FIRST.has(word) && isAddressed(at) && !isForbidden(words, at)))
    return true;

  const last = words.findLastIndex((word) => !PLEASE.has(word));
  if (isLittle && GOES_ON_LAST.has(words[last] ?? '') && !isForbidden(words, last)) return true;

  const others = words.filter((word) => !GOES_ON_ALONE.has(word));
  return others.length < words.length && others.every(isFiller);
}

const LITTLE_ELSE = 1;
/** The same in letters of scripts without blanks: "…をお願いします". */
const WIDE_WORD = 8;

/** The words of a prompt besides those that say to go on, and politeness. */
export function listOtherWords(text: string): string[] {
  const rest = removePoliteness(text).split(GOES_ON_ANYWHERE).join(' ').split(GOES_ON_INSIDE).join(' ');
  const expected = [GOES_ON_FIRST, GOES_ON_LAST, GOES_ON_ALONE, REMINDS];
  return splitWords(rest).filter((word) => !isFiller(word) && !expected.some((words) => words.has(word)));
}

/** @param known text whose words say nothing new: "good morning, go on with the cart" */
export function isOnlyContinuing(text: string, known = ''): boolean {
  if (!isAskingToContinue(text)) return false;

  const others = listOtherWords(text).filter((word) => !known.includes(word));
  const wide = others.join('').match(WIDE_LETTERS)?.length ?? 0;

  return others.filter((word) => word.search(WIDE_LETTERS) === -1).length <= LITTLE_ELSE && wide <= WIDE_WORD;
}

/** Whether a message only orders an act that is over once it is done: "commit this", "now push it". */
export function isSingleOrder(text: string): boolean {
  const words = splitWords(text);
  const isOnce = (word: string): boolean => ACTS_ONCE.has(word) || COMMITS.has(word);
  const others = words.filter((word) => !isOnce(word) && !ACTS.has(word));
  // "One commit per fix": "per" is polite in Italian only.
  return words.some(isOnce) && FILLERS.some((fillers) => others.every((word) => fillers.has(word)));
}

/** A ticket, and none of the standards whose names have the same form: `UTF-8`. */
const TICKET =
  /\b(?!(?:AES|ANSI|BASE|CP|CRC|DIN|ECMA|ES|FIPS|FP|GPT|HMAC|HTTP|IEC|IEEE|INT|ISO|KOI|LATIN|MD|OAUTH|RFC|RSA|SHA|SSL|TLS|UCS|UTF|WCAG|WINDOWS)-)[A-Z]{2,8}-\d{1,7}\b/g;

export const extractTickets = (text: string): string[] =>
  (text.match(TICKET) ?? []).map((ticket) => ticket.toLowerCase());

const COMMIT_WORDS = 14;

export function isAskingToCommit(prompt: string): boolean {
  const words = splitWords(prompt);
  const at = words.findIndex((word) => COMMITS.has(word));
  return at !== -1 && words.length <= COMMIT_WORDS && !isForbidden(words, at) && !prompt.trim().endsWith('?');
}

export const isOtherWork = (prompt: string): boolean => BEGINS_OTHER.test(prompt.trim().toLowerCase());

/** A longer sentence says more than what comes next, at once if it has two parts. */
const ANNOUNCING_WORDS = 14;
const LONG_ANNOUNCING_WORDS = 28;

/** Whether a sentence only says what the agent is about to do. */
export function isAnnouncement(sentence: string): boolean {
  const { length } = splitWords(sentence);
  const isOnePart =
    length <= ANNOUNCING_WORDS || (length <= LONG_ANNOUNCING_WORDS && !/[:：] *\S/.test(sentence));
  return isOnePart && ANNOUNCES.test(foldProse(sentence));
}
