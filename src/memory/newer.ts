import QUESTIONS from '../../models/words/questions.json' with { type: 'json' };
import { dateOfHit, parsePathDay, removeDates } from './dates.ts';
import { extractTerms, stem } from './terms.ts';
import type { MemoryHit } from './types.ts';

const CORRECTS = new RegExp(
  `(?<![\\p{L}\\d])(?:${QUESTIONS.corrects.replaceAll(', ', '|')})(?![\\p{L}\\d])`,
  'giu',
);
const LINK = /[:=]\s|\s(?:is|are|was|were|ist|sind|beträgt|est|es|è|é)\s/;
const KINDS = [
  /\d\s?(?:%|percent|prozent)/,
  /[$€£¥]\s?\d|\d\s?(?:[€£¥]|(?:eur|usd|gbp|chf|euros?|dollars?)(?![a-z]))/,
  /\d{5}|\d[\d\s/-]{6}/,
  /\d/,
];
/** Words for any value: "VAT: 7 %" is the rate. */
const VALUE = /^(?:rate|price|cost|fee|amount|number|value|total|percentage)s?$/;
interface AnsweringLine {
  text: string;
  passage: MemoryHit;
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

/** By date; without two dates what is curated stands above a dated note, and a correction above all. */
function isLater(next: AnsweringLine, first: AnsweringLine): boolean {
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
  const [one, other] = [next, first].map((text) => {
    const plain = removeDates(text);
    return KINDS.findIndex((form) => form.test(plain));
  });
  return other === -1 || one === other;
}

function listSubjectTerms(text: string): string[] {
  const plain = removeDates(text)
    .replace(CORRECTS, ' ')
    .replace(/^[^\p{L}\d]+/u, '');
  return extractTerms(plain.split(LINK, 1)[0] ?? '').filter((term) => !/\d/.test(term));
}
