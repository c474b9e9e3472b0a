import { HARMLESS_SUFFIX, WORDS, type WordClass } from './words.ts';

interface Word {
  group: WordClass;
  kind: string;
  /** Must stand alone: it occurs inside other words and in random text. */
  alone: boolean;
  /** Must end a name of several parts. */
  last: boolean;
}

/** A telling word in its name: `DB_PASSWORD`, `--api-key`, `"clientSecret"`. */
export interface Mention {
  group: WordClass;
  kind: string;
  start: number;
  /** One past the whole name. */
  end: number;
  nameStart: number;
  /** A plural: talk about many, seldom the name of one. */
  many: boolean;
  /** In capitals, as environment variables are. */
  constant: boolean;
}

interface Tables {
  /** The first part of every word, longest first. */
  openings: readonly string[];
  /** By first part, the words that start with it, longest first; compiled when the part occurs. */
  words: Map<string, string[] | RegExp>;
  /** By letters alone. */
  entries: Map<string, Word>;
}

/** A word so near behind this is part of what a redaction left. */
const REPLACED = '[redacted: ';
const NAME_SIGNS = [0x24, 0x2d, 0x2e, 0x5f];
/** Longest part of a name before or after the word, in code units. More is no name. */
const LONGEST_NAME = 48;

/** From so many code units on one expression for all openings is faster than to look which of them occur. */
const LONG = 65_536;

let compiled: Tables | undefined;
const expressions = new Map<string, RegExp>();

/** Compiling all openings takes half a millisecond; a text has one or two of them. */
function expressionOf(source: string): RegExp {
  const known = expressions.get(source) ?? new RegExp(source, 'g');
  expressions.set(source, known);
  return known;
}

/** Built on first use: a text without secrets should cost next to nothing, importing this nothing at all. */
function tables(): Tables {
  if (compiled !== undefined) return compiled;
  const entries = new Map<string, Word>();
  const byOpening = new Map<string, string[]>();
  for (const [group, kind, list] of WORDS) {
    for (const entry of list) {
      const word = entry.replace(/^[<_]/, '');
      entries.set(letters(word), { group, kind, alone: entry.startsWith('<'), last: entry.startsWith('_') });
      const opening = word.split(/[ .]/)[0] ?? word;
      const words = byOpening.get(opening) ?? [];
      words.push(word);
      byOpening.set(opening, words);
    }
  }
  const longestFirst = (a: string, b: string): number => b.length - a.length;
  const openings = [...byOpening.keys()].sort(longestFirst);
  compiled = { openings, words: byOpening, entries };
  return compiled;
}

function wordsFrom(opening: string, words: Tables['words']): RegExp | undefined {
  const known = words.get(opening);
  if (!Array.isArray(known)) return known;
  const sources = known.sort((a, b) => b.length - a.length).map((word) => word.replace(/[ .]/g, '[ _.-]?'));
  const pattern = new RegExp(sources.join('|'), 'y');
  words.set(opening, pattern);
  return pattern;
}

function letters(text: string): string {
  return text.replace(/[ _.-]/g, '');
}

const isLower = (code: number): boolean => code > 0x60 && code < 0x7b;
const isUpper = (code: number): boolean => code > 0x40 && code < 0x5b;
const isDigit = (code: number): boolean => code > 0x2f && code < 0x3a;

function isNameChar(code: number): boolean {
  return isLower(code | 0x20) || isDigit(code) || NAME_SIGNS.includes(code);
}

/**
 * Every telling word of the text that is not part of the name of something harmless.
 *
 * @param lower the text in lower case, of the same length
 */
export function* findMentions(text: string, lower: string): Generator<Mention> {
  const { openings: all, words, entries } = tables();
  const present = lower.length > LONG ? all : all.filter((opening) => lower.includes(opening));
  if (present.length === 0) return;
  // Plain text only, which the engine searches fastest.
  const openings = expressionOf(present.join('|'));
  openings.lastIndex = 0;
  for (let match = openings.exec(lower); match !== null; match = openings.exec(lower)) {
    const start = match.index;
    openings.lastIndex = start + 1;
    const pattern = wordsFrom(match[0], words);
    if (pattern === undefined) continue;
    pattern.lastIndex = start;
    const found = pattern.exec(lower)?.[0];
    const word = found === undefined ? undefined : entries.get(letters(found));
    if (found === undefined || word === undefined) continue;
    const mention = mentionAt(text, word, start, start + found.length);
    if (mention === null) continue;
    openings.lastIndex = Math.max(start + 1, mention.end);
    yield mention;
  }
}

function mentionAt(text: string, word: Word, start: number, wordEnd: number): Mention | null {
  const before = text.charCodeAt(start - 1);
  if (word.alone && isLower(before | 0x20)) return null;
  if (word.last && !(NAME_SIGNS.includes(before) && isNameChar(text.charCodeAt(start - 2)))) return null;
  let end = wordEnd;
  const many = text.charAt(end) === 's' && !isLower(text.charCodeAt(end + 1));
  if (many) end++;
  // `tokenizer` and `secretary` are other words, and so are two letters inside a hash.
  const next = text.charCodeAt(end);
  if (isLower(next) || (word.alone && (isUpper(next) || isDigit(next)))) return null;
  const suffixStart = end;
  const inName = (): boolean => end < text.length && end - suffixStart <= LONGEST_NAME;
  while (inName() && isNameChar(text.charCodeAt(end)) && !/[.$]/.test(text.charAt(end))) end++;
  if (text.charAt(end) === '.' && isLower(text.charCodeAt(end + 1) | 0x20)) {
    while (inName() && isNameChar(text.charCodeAt(end))) end++;
  }
  if (end > suffixStart && HARMLESS_SUFFIX.test(text.slice(suffixStart, end))) return null;
  let nameStart = start;
  while (start - nameStart <= LONGEST_NAME && isNameChar(text.charCodeAt(nameStart - 1))) nameStart--;
  if (start - nameStart > LONGEST_NAME || end - suffixStart > LONGEST_NAME) return null;
  if (text.slice(Math.max(0, start - 40), start).includes(REPLACED)) return null;
  const name = text.slice(nameStart, end);
  const constant = /^[A-Z0-9_]+$/.test(name) && (name.includes('_') || text.charAt(end) === '=');
  return { group: word.group, kind: word.kind, start, end, nameStart, many, constant };
}
