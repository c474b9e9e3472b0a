import QUESTIONS from '../../models/words/questions.json' with { type: 'json' };
import SMALL from '../../models/words/small.json' with { type: 'json' };
import { makeAlternation, makeWordSet } from '../base/text/strings.ts';
import { findSmallNames, STOPWORDS, stem, tokenize } from './terms.ts';

type Language = keyof typeof SMALL;

/** Scripts whose words the tokenizer cuts into pairs of characters. */
const WIDE = /[\u3040-\u9fff\uac00-\ud7af]/;
/** Written without blanks: their small words are taken out before the rest is cut into pairs. */
const WITHOUT_BLANKS = [
  ['ja', /[\u3040-\u30ff]/],
  ['zh', /[\u4e00-\u9fff]/],
] as const;
/** Words of one character stay where they may be a part of another, except these. */
const LONE = /^[的了吗呢吧啊呀我你您他她它是谁誰何哪几幾啥咋]$/;

const ASKING = new Set(tokenize(`${QUESTIONS.scripts} ${QUESTIONS.elsewhere}`));

/** The words of a question that name something, in any language that is known. */
export function listContentWords(question: string): string[] {
  const [language] = WITHOUT_BLANKS.find(([, letters]) => letters.test(question)) ?? [];
  const text = language === undefined ? question : removeSmallWords(question, language);
  const small = findSmallWords(question);
  // Any word has a capital at the beginning.
  const names = findSmallNames(question.replace(/^\P{L}*\p{L}+/u, ''));

  return tokenize(text).filter(
    (word, at) =>
      names.has(word) ||
      !(STOPWORDS.has(word) || small?.has(word) === true || (at === 0 && ASKING.has(word))),
  );
}

function removeSmallWords(text: string, language: Language): string {
  const words = SMALL[language].split(' ').filter((word) => word.length > 1 || LONE.test(word));
  return text.replace(new RegExp(words.sort((a, b) => b.length - a.length).join('|'), 'g'), ' ');
}

let cachedLists: ReadonlySet<string>[] | undefined;

/** The small words of a question's language, if it is not English. */
export function findSmallWords(question: string): ReadonlySet<string> | undefined {
  const words = tokenize(question);
  const count = (list: ReadonlySet<string>): number => words.filter((word) => list.has(word)).length;
  let [most, found] = [count(STOPWORDS), undefined as ReadonlySet<string> | undefined];

  cachedLists ??= Object.values(SMALL).map((each) =>
    WIDE.test(each) ? new Set(tokenize(each)) : makeWordSet(each),
  );
  for (const list of cachedLists) {
    const matches = count(list);
    if (matches > most) [most, found] = [matches, list];
  }

  return found;
}

/** Scripts without blanks ask by a word wherever it stands; a request may hold one, unless it is the end. */
const [GREETING, ASKS_INSIDE, ASKS_LAST, REQUEST_INSIDE, INDEFINITE] = Object.values(QUESTIONS.inside).map(
  (form) => new RegExp(form, 'u'),
) as [RegExp, RegExp, RegExp, RegExp, RegExp];
const LONGEST_INSIDE = 40;
/** `测试数据库的密码在哪`: asks without a question mark. */
export function isAskingInside(sentence: string): boolean {
  const text = sentence.replace(GREETING, '').replace(/(?<![。.!！…\s])[。.!！…\s]+$/, '');
  if (text.length > LONGEST_INSIDE || INDEFINITE.test(text) || /[,;，；：、]/.test(text)) return false;
  return ASKS_LAST.test(text) || (ASKS_INSIDE.test(text) && !REQUEST_INSIDE.test(text));
}

type Word = Readonly<{ word: string }>;

/** Whether a question's words that memory lacks are a word of a script without blanks (`负责`), or most of what it asks. */
export function isAskingElse(words: readonly Word[], lacked: readonly Word[], held: number): boolean {
  const pairs = lacked.filter(({ word }) => /^[\u3040-\u9fff]{2}$/.test(word));
  const isAlone = ({ word: [start, end] }: Word): boolean =>
    !words.some(({ word }) => word.at(-1) === start || word[0] === end);
  return (held === 1 && pairs.length > 1) || pairs.some(isAlone);
}

/** Whether a text holds one of some phrases, as whole words where there are blanks between words. */
function holdsPhrase(text: string, phrases: string): boolean {
  const words = toWords(text);
  return phrases.split(', ').some((phrase) => words.includes(WIDE.test(phrase) ? phrase : ` ${phrase} `));
}

const toWords = (text: string): string => ` ${text.toLowerCase().replace(/[^\p{L}\p{M}\d]+/gu, ' ')} `;

export const isAskingForNumber = (question: string): boolean => holdsPhrase(question, QUESTIONS.amount);

/** `since when`: a word may introduce it. */
export const isAskingWhen = (question: string): boolean =>
  holdsPhrase(question, QUESTIONS.moments) ||
  holdsPhrase(
    WIDE.test(question) ? question : toWords(question).trim().split(' ', 2).join(' '),
    QUESTIONS.when,
  );

/** `30 minutes`, `half an hour`, `two working days`, `bis Montag`: a unit alone is no length. */
const LENGTH = new RegExp(
  `(?:\\d|(?<![\\p{L}\\p{M}])${makeAlternation(`${QUESTIONS.numbers}, ${QUESTIONS.half}`)} ) ?(?:\\p{L}+ )?${makeAlternation(QUESTIONS.lengths)}(?![a-z\\u00df-\\u024f])|(?<!\\p{L})${makeAlternation(QUESTIONS.endless)}(?!\\p{L})`,
  'u',
);
/** `how reliable`: asks for a degree. `how does` asks for a way. */
const DEGREE = new RegExp(
  `(?<!\\p{L})how (?!${makeAlternation(QUESTIONS.ways)}(?!\\p{L}))(\\p{L}+) ${makeAlternation(QUESTIONS.ways)} `,
  'u',
);

/** Whether a line lacks what a question asks of somebody: `salary` of `what is Ann's salary?`. */
export function isLackingPossessed(
  question: string,
  words: readonly { word: string }[],
  lacked: readonly { word: string }[],
): boolean {
  const [, owner = '', rest = ''] = /(?<!\p{L})(\p{L}+)(?:['’]s|(?<=s)['’])\s+(.*)/u.exec(question) ?? [];
  const possessed = listContentWords(owner).length === 0 ? [] : listContentWords(rest);
  const asked = words.filter(({ word }) => possessed.includes(word));
  return asked.length > 0 && asked.every((word) => lacked.includes(word));
}

/** Whether a line holds what a question asks for: the form of a version, a length, a number, a date or a time. */
export function isFitFor(question: string, line: string): boolean {
  if (isHowLong(question)) return LENGTH.test(toWords(line));

  const kind = QUESTIONS.kinds.find(({ asks }) => holdsPhrase(question, asks));
  if (kind) return new RegExp(kind.form, 'u').test(line);

  // A house number is no time.
  if (isAskingWhen(question)) return MOMENT.test(line) || LENGTH.test(toWords(line));
  if (isAskingForNumber(question))
    return isCounting(question, line) && (/\d/.test(line) || holdsPhrase(line, QUESTIONS.numbers));

  const [, degree = ''] = DEGREE.exec(toWords(question)) ?? [];
  return degree === '' || tokenize(line).map(stem).includes(stem(degree));
}

const COUNTED = new RegExp(`(?<!\\p{L})${makeAlternation(QUESTIONS.counts)}\\s?(\\p{L}+)`, 'iu');
/** No number of things: a time, a day, a sum, a share. */
const MEASURE =
  /\d{1,2}:\d\d|(?<![\d.])\d{1,2}\.\s?\d{1,2}\.|[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[€£¥%]|(?:eur|usd|gbp|chf|euros?|dollars?|percent|prozent|uhr|am|pm)(?!\p{L}))/giu;
/** Another thing than the one asked for: `6 rooms`. */
const OTHERS = /(?<![\p{L}\d.,-])\d[\d.,]*\s\p{L}{3,}/giu;

/** Whether a line may tell how many there are of a thing: it names it, or a number of nothing else. */
function isCounting(question: string, line: string): boolean {
  const thing = COUNTED.exec(question)?.[1];
  if (thing === undefined || tokenize(line).map(stem).includes(stem(thing.toLowerCase()))) return true;
  if (QUESTIONS.alike.some((words) => holdsPhrase(thing, words) && holdsPhrase(line, words))) return true;

  // Another language has other words for the same thing.
  const plain = line.replace(MEASURE, ' ');
  const rest = findSmallWords(question) === undefined ? plain.replace(OTHERS, ' ') : plain;
  return /(?<![\p{L}\d])\d/u.test(rest) || holdsPhrase(rest, QUESTIONS.numbers);
}

/** Whether a time of a line belongs to what is asked for: it stands in a clause that holds it, or that names nothing. */
export function hasMomentBeside(question: string, line: string, isHeld: (text: string) => boolean): boolean {
  const [label = ''] = line.split(LABEL_END, 1);
  const clauses = line.split(/[,;]\s|[.!?]\s/).filter((clause) => MOMENT.test(clause));
  return (
    !isAskingWhen(question) ||
    clauses.length === 0 ||
    clauses.some(
      (clause) =>
        isHeld(clause) ||
        isHeld(label === line ? '' : label) ||
        listContentWords(clause.replace(MOMENT_ALL, ' ').replace(/\d+/g, ' ')).length === 0,
    )
  );
}

const LABEL_END = /(?<=^[^:=]{1,40})[:=]\s/;

/** Whether a question names a place or an attribute, and a line or its label only others: `staging`; `db1:5433` names a port. */
export function namesOther(question: string, text: string, context: string): boolean {
  const line = `${context} ${text.replace(/:(?=\d{2,5}(?!\d))/g, ' port ')}`;
  const namesOnly = (kinds: readonly string[][], named: string): boolean =>
    kinds.some((group) => {
      const asked = group.filter((each) => holdsPhrase(question, each));
      return (
        asked.length > 0 &&
        group.some((each) => holdsPhrase(named, each)) &&
        !asked.some((each) => holdsPhrase(line, each))
      );
    });

  return (
    namesOnly(QUESTIONS.siblings, line) ||
    (LABEL_END.test(text) && namesOnly([QUESTIONS.attributes.flat()], text.split(LABEL_END, 1)[0] ?? ''))
  );
}

const MOMENT = new RegExp(
  [
    // 9:30, 9h30, 3 pm, 15 Uhr, 09.30, 14.3., 14/3, 2026-03, a line of cron
    String.raw`(?<![\d.])\d{1,2}(?::\d\d|h(?:\d\d)?(?![a-z])|\s?(?:[ap]\.?m(?!\p{L})|uhr|o'?clock|heures?))|(?<![\d.])(?:[0-2]\d\.[0-5]\d|\d{1,2}\.\s?\d{1,2}\.(?:\d{2,4})?|\d{1,2}[/-]\d{1,2}(?:[/-]\d{2,4})?|(?:19|20)\d\d(?:[-/.]\d{1,2}){0,2})(?![\d.])|(?:[\d*/,-]+\s){4}[\d*/,-]+`,
    String.raw`\d\s?[年月日号號点點时時월일시]|[一二两三四五六七八九十][月日号號点點时時]|(?:周|週|星期)[一二三四五六日天]|[月火水木金土日]曜|[월화수목금토일]요일`,
    String.raw`(?<!\p{L})(?:the |am |le |el |il )?\d{1,2}(?:st|nd|rd|th)(?! (?:floor|street|ave|road|grade|edition|place|time|st(?!\p{L})))`,
    String.raw`(?<![\p{L}\d])\d{1,2}\.?\s(?:de\s|of\s)?${makeAlternation(QUESTIONS.months)}(?!\p{L})|(?<!\p{L})(?:${makeAlternation(QUESTIONS.months)}\.?|mon|tues?|wed|thu(?:rs)?|fri|sat|sun)\s\d`,
    String.raw`(?<!\p{L})${makeAlternation(QUESTIONS.clock)} (?:\d{1,2}(?![\d\p{L}])|${makeAlternation(QUESTIONS.numbers)}(?!\p{L}))`,
    String.raw`(?<![\p{L}\d])(?:Q[1-4]|(?:week|kw|woche|semaine|semana) \d{1,2}|${makeAlternation(QUESTIONS.times)})(?![\p{L}\d])`,
  ].join('|'),
  'iu',
);
const MOMENT_ALL = new RegExp(MOMENT, 'giu');
const PLACE = new RegExp(
  `:\\s?\\S|=|[~/]\\w|\\p{L}\\d|\\w\\.\\w{2}|(?<!\\p{L})${makeAlternation(QUESTIONS.places)}(?!\\p{L})`,
  'iu',
);
const LINKS = makeWordSet(QUESTIONS.links);

/** The words of which a line tells what is asked for: `Owner` of `Owner: Ann`, `release` of `The next release is on 3 May`. */
export function listSubjectWords(question: string, line: string): string[] | undefined {
  const [first = ''] = toWords(question).trim().split(' ', 1);
  const isOf = (list: string): boolean => holdsPhrase(first, list);
  const elsewhere = isOf(QUESTIONS.where) ? PLACE : LABEL_END;
  const form = isAskingWhen(question) ? MOMENT : elsewhere;
  const isTime = form !== MOMENT && !isOf(QUESTIONS.facts) && MOMENT.test(line);
  if (isTime || (form === LABEL_END && !isOf(`${QUESTIONS.facts}, ${QUESTIONS.who}`))) return undefined;

  const found = form.exec(line);
  return found ? listContentWords(line.slice(0, found.index)).filter((word) => !LINKS.has(word)) : undefined;
}

export const isHowLong = (question: string): boolean => holdsPhrase(question, QUESTIONS.howLong);

/** The words of a question for a number that an answer may say by others: `keep` by `retention`. */
export const findAlike = (question: string): { words: string; isIn(text: string): boolean }[] =>
  QUESTIONS.alike
    .map((words) => ({ words, isIn: (text: string): boolean => holdsPhrase(text, words) }))
    .filter(({ isIn }) => (isAskingForNumber(question) || isAskingWhen(question)) && isIn(question));
