/** Number of Unicode code points, which is what every limit counts. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += pointLength(text, index)) count += 1;
  return count;
}

/** The longest prefix of a text with at most `limit` code points that does not cut an emoji or accented letter. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = indexAfter(text, limit);
  // A single character may have thousands of combining marks; then its beginning is better than nothing.
  return end >= text.length ? text : text.slice(0, findBoundary(text, end) || end);
}

/** At most `limit` code points, the last one `…` when something was cut, never inside a visible character. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit || indexAfter(text, limit) >= text.length) return text;
  return limit < 1 ? '' : `${truncate(text, limit - 1).trimEnd()}…`;
}

/** At most `limit` code points of a text, from the code point `start` on. */
export function sliceCharacters(text: string, start: number, limit = Number.POSITIVE_INFINITY): string {
  const rest = text.slice(indexAfter(text, start));
  return limit >= rest.length ? rest : rest.slice(0, indexAfter(rest, limit));
}

const CURLY_MARKS = /[“”„‟″‶‷ʺˮ˝״〃⹂«»《》〝〞〟＂❝❞「」『』﹁﹂﹃﹄｢｣🙶🙷🙸]|[‘’‚‛′]{2}/gu;

/** A text on one line, without a mark that could begin or end a quotation in our curly ones. */
export const embedInCurly = (text: string): string => collapseLines(withLf(text)).replace(CURLY_MARKS, "'");

/** A text in curly quotation marks, which it cannot end; straight ones stay, as JSON and code need them. */
export const quoteText = (text: string): string => `“${text.replace(CURLY_MARKS, "'")}”`;

const LONGEST_NAME = 160;

/** A name that others chose, of a branch, a file or a plan, in a sentence of ours: in quotation marks unless it is plain. */
export function quoteName(name: string): string {
  const text = shorten(embedText(name), LONGEST_NAME);
  return /^[\p{L}\p{M}\p{N}._/@#+~'` -]+$/u.test(text) ? text : quoteText(text);
}

/** Foreign text for a sentence of ours: on one line, and without a quotation mark of any kind. */
export const embedText = (text: string): string => embedInCurly(text).replace(/"|''|``/g, "'");

function indexAfter(text: string, points: number): number {
  let index = 0;
  for (let count = 0; count < points && index < text.length; count++) index += pointLength(text, index);
  return index;
}

const pointLength = (text: string, index: number): number =>
  (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;

/** Created on first use: that takes about 10 ms. */
let cachedSegmenter: Intl.Segmenter | undefined;

/** The last boundary between visible characters at or before `index`. */
function findBoundary(text: string, index: number): number {
  const isSimple = (place: number): boolean => place >= text.length || text.charCodeAt(place) < 0x300;
  if (text.startsWith('\r\n', index - 1)) return Math.max(0, index - 1);
  if (index === 0 || (isSimple(index - 1) && isSimple(index))) return index;

  let start = index - 1;
  while (start > 0 && !isSimple(start)) start--;
  const near = text.slice(start, index + 2);
  cachedSegmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return start + (cachedSegmenter.segment(near).containing(index - start)?.index ?? 0);
}

/** Formats `1204.3` as `1,204`, without the cost of loading Intl. */
export const formatThousands = (value: number): string =>
  String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');

/** A number with its noun: `1 entry`, `1,204 entries`. */
export const formatCount = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatThousands(count)} ${count === 1 ? singular : plural}`;

/** A readable part of a file's name, which need not be unique. */
export function makeSlug(text: string): string {
  const dashed = text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return dashed.replace(/^-+|-+$/g, '').slice(0, 40);
}

/** A moment in the name of a file: `2026-02-06T03-00-00`. */
export const formatFileTime = (now: number): string =>
  new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');

export const splitWordList = (text: string): string[] => text.trim().split(/\s+/);

/** A list of phrases, `a, b`, as a group of a regular expression, `(?:a|b)`. */
export const makeAlternation = (phrases: string): string => `(?:${phrases.replaceAll(', ', '|')})`;

export const makeWordSet = (text: string): ReadonlySet<string> => new Set(splitWordList(text));

/**
 * FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). None of these hashes withstands an attacker: they are for keys and
 * for noticing honest edits. Our own code, because loading `node:crypto` costs every hook 5 ms.
 */
const PRIME = 0x01000193;
const BASIS = 0x811c9dc5;

/** A hash of 32 bits over the UTF-16 units of a text, continued from `seed`; its lower bits depend on the last units only. */
export function rollHash(text: string, seed = BASIS): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash;
}

/** The last steps of MurmurHash3: afterwards the lower bits depend on every bit. */
export function finishHash(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

/** A hash of 32 bits over the UTF-16 units of a text. Another seed gives an independent hash. */
export const hashText = (text: string, seed = 0): number => finishHash(rollHash(text, BASIS ^ seed));

/** A 53-bit hash (two multiply-xorshift lanes, the murmur3 finalizer) in base 36. */
export function digestText(content: string): string {
  let a = 0xdeadbeef ^ content.length;
  let b = 0x41c6ce57 ^ content.length;

  for (let i = 0; i < content.length; i += 1) {
    const unit = content.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }

  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);

  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

/**
 * V8 compiles a pattern to bytecode on first use and to machine code when it is used again; with a subject of
 * a thousand characters it skips the bytecode (`JSRegExp::kTierUpForSubjectLengthValue` in V8's js-regexp.h).
 * NUL, because hardly any pattern can begin to match there. The V8 flag that does this for all patterns would
 * make Node reject its own compiled code.
 */
const LONG_SUBJECT = '\0'.repeat(1000);
const compiledOnce = new WeakSet<RegExp>();

/**
 * A pattern that compiles to machine code on first use; its matches do not change. For tables of many patterns that a
 * process uses only a few times: for the cues of a mood this saves half of the time that Node takes to start.
 */
export function compilePattern(pattern: RegExp): RegExp {
  if (!compiledOnce.has(pattern)) {
    compiledOnce.add(pattern);
    pattern.test(LONG_SUBJECT);
    pattern.lastIndex = 0;
  }

  return pattern;
}

/** A line of a text: `[start, end)` is its `text` without the line ending; `next` is the start of the following line. */
export interface LineRange {
  start: number;
  end: number;
  next: number;
  text: string;
}

/** Splits on LF; a CR before it, or at the end of the text, belongs to the line ending. */
export function splitLineRanges(text: string, from = 0): LineRange[] {
  const lines: LineRange[] = [];

  for (let start = from; start < text.length; ) {
    const lf = text.indexOf('\n', start);
    const next = lf === -1 ? text.length : lf + 1;
    const content = text.slice(start, lf === -1 ? next : lf).replace(/\r$/, '');
    lines.push({ start, end: start + content.length, next, text: content });
    start = next;
  }

  return lines;
}

/** The line ending that most lines of `text` use; LF if there is none. */
export function detectEol(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1;
  const crlf = text.split('\r\n').length - 1;
  return crlf > all - crlf ? '\r\n' : '\n';
}

/** The form in which contents are stored and compared: any line end of Unicode, also a soft one, becomes LF. */
export const withLf = (text: string): string => text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n');

/** The form in which words are compared: composed (macOS takes accents apart), on one line, in lower case. */
export const foldText = (text: string): string => collapseLines(withLf(text)).normalize('NFC').toLowerCase();

const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ς: 'σ',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
};

/** The letters of a text without case, width, accents and vowel signs. */
export function foldLetters(text: string): string {
  const plain = foldText(text)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0655\u0670]/g, '');
  return plain.normalize('NFC').replace(/[ßłøđðþħæœıςىیکة]/g, (letter) => LETTERS[letter] ?? letter);
}

/** A text of others without long runs of blanks, for which expressions would take the square of their length in time. */
export const cutBlanks = (text: string): string =>
  text.replace(/(?<!\s)\s{200,}/g, (run) => run.slice(0, 200));

/** The beginning and the end of a long text, which people use most. @param takeStart, takeEnd at most so many units */
export function cutMiddle(
  text: string,
  most: number,
  takeStart = (whole: string, length: number): string => whole.slice(0, length),
  takeEnd = (whole: string, length: number): string => whole.slice(-length),
): string {
  if (text.length <= most) return text;
  const headLength = Math.ceil(most * 0.6);
  const [head, tail] = [takeStart(text, headLength), takeEnd(text, most - headLength)];
  const note = `[… ${text.length - most} characters left out …]`;
  return `${head.toWellFormed()}\n${note}\n${tail.toWellFormed()}`;
}

/** A text with LF line ends on one line: its lines trimmed and joined by a space, without empty ones. */
export const collapseLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

/** Binary search: the first index below `count` for which `isReached` is true, as it is for all later ones; else `count`. */
export function findFirst(count: number, isReached: (index: number) => boolean): number {
  let low = 0;
  let high = count;

  while (low < high) {
    const middle = (low + high) >> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }

  return low;
}
