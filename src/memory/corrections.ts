import QUESTIONS from '../../models/words/questions.json' with { type: 'json' };
import { makeAlternation } from '../base/text/strings.ts';
import { dateOfHit, parsePathDay, removeDates } from './dates.ts';
import { extractTerms, rateTerm, stem } from './terms.ts';
import type { MemoryHit } from './types.ts';

const beginWithAny = (phrases: string): string => `(?<![\\p{L}\\d])${makeAlternation(phrases)}`;
const CORRECTS = new RegExp(`${beginWithAny(QUESTIONS.corrects)}(?![\\p{L}\\d])`, 'giu');
const LINK = /[:=]\s|\s(?:is|are|was|were|ist|sind|beträgt|est|es|è|é)\s/;
const KINDS = [
  /\d\s?(?:%|percent|prozent)/,
  /[$€£¥]\s?\d|\d\s?(?:[€£¥]|(?:eur|usd|gbp|chf|euros?|dollars?)(?![a-z]))/,
  /\d{5}|\d[\d\s/-]{6}/,
  /\d/,
];
/** Words for any value: "VAT: 7 %" is the rate. */
const VALUE = /^(?:rate|price|cost|fee|amount|number|value|total|percentage)s?$/;
interface Line {
  text: string;
  passage: MemoryHit;
}

interface AnsweringLine extends Line {
  held: readonly { word: string }[];
}

/** Whether a line says of the same thing what holds now, so that the other, found first, is outdated. */
export function replacesLine(next: AnsweringLine, first: AnsweringLine, question: string): boolean {
  if (!isLater(next, first) || !isSameKind(next.text, first.text)) return false;

  const held = next.held.map(({ word }) => word);
  const lacked = first.held.filter(({ word }) => !held.includes(word) && !VALUE.test(word));
  const known = new Set(extractTerms(`${first.passage.headings.join(' ')} ${first.text} ${question}`));
  const subject = listSubjectTerms(next.text);

  return (
    subject.some((term) => held.some((word) => stem(word) === term)) &&
    subject.every((term) => known.has(term)) &&
    // "VAT is 19 %" does not replace "VAT for hotels is 7 %", unless it says that it corrects something.
    (lacked.length === 0 || isCorrection(next.text))
  );
}

export const isLaterNote = (next: MemoryHit, first: MemoryHit): boolean =>
  parsePathDay(first.path) >= 0 && parsePathDay(next.path) > parsePathDay(first.path);

const isCorrection = (text: string): boolean => text.search(CORRECTS) >= 0;

const CORRECTS_SURELY = new RegExp(`${beginWithAny(QUESTIONS.correctsSurely)}(?![\\p{L}\\d])`, 'iu');
/** `no longer 420`, `not for 420`, `from 420 to 380`, `420 is wrong`. */
const makeNegation = (value: string): RegExp =>
  new RegExp(
    `${beginWithAny(QUESTIONS.negates)}[:\\s]+(?:\\p{L}+\\s+){0,2}${value}(?![\\d\\p{L}]|[.:,]\\d)|(?<![\\d.:,])${value}(?:\\s?(?:->|→|=>|auf\\s\\d)|(?:\\s[\\p{L}'’]+){0,3}\\s${makeAlternation(QUESTIONS.wrong)}(?!\\p{L}))`,
    'iu',
  );
const VALUES = /(?<![\p{L}\d`./-])(?:\d{1,2}:\d\d|\d+(?:[.,]\d+)*)(?![\d`]|-\p{L}|[:.]\d)/gu;
const CLOCK = /^\d{1,2}:\d\d$/;
const TELLING = 0.5;

/** Without marks between thousands, and days: 30.11. is no value. */
const listValues = (text: string): string[] =>
  removeDates(
    text
      .replace(/(?<![\d.])\d{1,2}\.\s?\d{1,2}\.(?:\d{2,4})?/g, ' ')
      .replace(/(?<=\d)[,'’](?=\d{3}(?!\d))/g, ''),
  ).match(VALUES) ?? [];

const isNegating = (next: string, values: readonly string[]): boolean =>
  values.some((value) =>
    makeNegation(value.replaceAll('.', '\\.')).test(next.replace(/(?<=\d)[,'’](?=\d{3}(?!\d))/g, '')),
  );

/**
 * Whether a later line takes back a value of another about the same thing: "no longer 420", "moved to 15:30".
 *
 * @param passage where the later line stands; a note of the pad is newer than any file
 */
export function takesBack(text: string, first: MemoryHit, passage?: MemoryHit): boolean {
  const known = new Set(extractTerms(`${first.headings.join(' ')} ${first.text}`));
  const terms = new Set(extractTerms(text.replace(CORRECTS, ' ')).filter((term) => !/\d/.test(term)));
  const shared = [...terms].filter((term) => known.has(term));
  if (!shared.some((term) => rateTerm(term) >= TELLING)) return false;

  const values = listValues(first.text);
  const isNegated = isNegating(text, values);
  const own = listValues(text);
  if (passage !== undefined) {
    const [date, earlier] = [passage, first].map(dateOfHit);
    const isDated = date !== undefined && earlier !== undefined && date !== earlier;
    const isSure = isNegated && !isDated && !isNegating(first.text, own);
    if (!isSure && !isLater({ text, passage }, { text: first.text, passage: first })) return false;
  }
  if (isNegated) return true;

  const label = extractTerms(/^[^:=]{1,40}(?=[:=]\s)/.exec(first.text)?.[0] ?? '');
  if (label.length > 0 && !label.some((term) => terms.has(term))) return false;

  // A time replaces a time, a sum a sum.
  const isReplaced = [true, false].some((isClock) => {
    const [news, olds] = [own, values].map((list) => list.filter((each) => CLOCK.test(each) === isClock));
    return news?.length && olds?.length && !news.some((each) => olds.includes(each));
  });
  if (!isReplaced || !isSameKind(text, first.text)) return false;
  return (
    CORRECTS_SURELY.test(text) || shared.length === terms.size || (isCorrection(text) && shared.length > 1)
  );
}

/** Whether two undated lines give the same thing other values: `port is 8080`, `port is 9090`. */
function isRival(one: MemoryHit, other: MemoryHit): boolean {
  const [subject, otherSubject] = [one, other].map(({ text }) => String(listSubjectTerms(text)));
  const isUndated = [one, other].every((hit) => dateOfHit(hit) === undefined);
  const isOfSame =
    subject !== '' && subject === otherSubject && String(one.headings) === String(other.headings);
  return isUndated && isOfSame && one.path !== other.path && isSameKind(one.text, other.text);
}

/** Gives rivals their file's date, the newest the place of the first. */
export const dateRivals = (hits: readonly MemoryHit[], readDate: (path: string) => string): MemoryHit[] =>
  hits.map((hit) => {
    const rivals = hits.filter((other) => other === hit || isRival(hit, other));
    const dated = rivals.map((rival) => ({ ...rival, fileDate: readDate(rival.path) }));
    dated.sort((one, other) => Number(one.fileDate < other.fileDate) - Number(one.fileDate > other.fileDate));
    const { score, words } = hit;
    return rivals.length === 1
      ? hit
      : { ...hit, ...dated[rivals.indexOf(hit)], score, ...(words && { words }) };
  });

/** By date; without two dates what is curated stands above a dated note, and a correction above all. */
function isLater(next: Line, first: Line): boolean {
  const [date = '', earlier = ''] = [next, first].map(({ passage }) => dateOfHit(passage));
  if (date !== '' && earlier !== '' && date !== earlier) return date > earlier;
  if (isCorrection(first.text) && !isCorrection(next.text)) return false;

  const { path, line } = next.passage;
  if (path === first.passage.path) return line > first.passage.line && isCorrection(next.text);
  const isCurated = parsePathDay(path) < 0 && parsePathDay(first.passage.path) >= 0;
  return isCurated || (isCorrection(next.text) && !isCorrection(first.text));
}

/** "VAT is due on 3 May" says nothing of a rate. */
function isSameKind(next: string, first: string): boolean {
  const [one, other] = [next, first].map((text) => KINDS.findIndex((kind) => kind.test(removeDates(text))));
  return other === -1 || one === other;
}

function listSubjectTerms(text: string): string[] {
  const plain = removeDates(text)
    .replace(CORRECTS, ' ')
    .replace(/^[^\p{L}\d]+/u, '');
  return extractTerms(plain.split(LINK, 1)[0] ?? '').filter((term) => !/\d/.test(term));
}
