import { compiled } from '../text/compile-patterns.ts';
import { anyOf } from './any-of.ts';
import { HARMLESS_SUFFIX, WORDS, type WordClass } from './words.ts';

interface Word {
  /** As it stands in the table. */
  entry: string;
  group: WordClass;
  kind: string;
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
  /** Finds the first part of every word. */
  openings: RegExp;
  /** By first part, the words that start with it. */
  words: ReadonlyMap<string, readonly Word[]>;
}

/** A word so near behind this is part of what a redaction left. */
const REPLACED = '[redacted: ';
const NAME_SIGNS = [0x24, 0x2d, 0x2e, 0x5f];
/** Longest part of a name before or after the word, in code units. More is no name. */
const LONGEST_NAME = 48;

let built: Tables | undefined;

/** Built on first use: importing this should cost nothing at all. */
function tables(): Tables {
  if (built !== undefined) return built;
  const byOpening = new Map<string, Word[]>();
  for (const [group, kind, list] of WORDS) {
    for (const entry of list) {
      const blank = entry.indexOf(' ');
      const opening = entry.slice(isSigned(entry) ? 1 : 0, blank < 0 ? entry.length : blank);
      const words = byOpening.get(opening);
      const word = { entry, group, kind };
      if (words === undefined) byOpening.set(opening, [word]);
      else words.push(word);
    }
  }
  built = { openings: anyOf(byOpening.keys()), words: byOpening };
  return built;
}

/** Must stand alone: it occurs inside other words and in random text. */
const isAlone = (entry: string): boolean => entry.charCodeAt(0) === 0x3c;
/** Must end a name of several parts. */
const isLast = (entry: string): boolean => entry.charCodeAt(0) === 0x5f;
const isSigned = (entry: string): boolean => isAlone(entry) || isLast(entry);

/** Where the word ends that starts at `start`; -1 when it does not. */
function endOf({ entry }: Word, lower: string, start: number): number {
  let at = start;
  for (const part of (isSigned(entry) ? entry.slice(1) : entry).split(' ')) {
    if (at > start && ' _.-'.includes(lower.charAt(at))) at++;
    if (!lower.startsWith(part, at)) return -1;
    at += part.length;
  }
  return at;
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
  const { openings, words } = tables();
  let from = 0;
  for (;;) {
    openings.lastIndex = from;
    const match = openings.exec(lower);
    if (match === null) return;
    const start = match.index;
    from = start + 1;
    let word: Word | undefined;
    let end = start;
    for (const each of words.get(match[0]) ?? []) {
      const eachEnd = endOf(each, lower, start);
      if (eachEnd > end) [word, end] = [each, eachEnd];
    }
    const mention = word && mentionAt(text, lower, word, start, end);
    if (!mention) continue;
    from = Math.max(from, mention.end);
    yield mention;
  }
}

function mentionAt(text: string, lower: string, word: Word, start: number, wordEnd: number): Mention | null {
  const before = text.charCodeAt(start - 1);
  if (isAlone(word.entry) && isLower(before | 0x20)) return null;
  if (isLast(word.entry) && !(NAME_SIGNS.includes(before) && isNameChar(text.charCodeAt(start - 2))))
    return null;
  let end = wordEnd;
  const many = text.charAt(end) === 's' && !isLower(text.charCodeAt(end + 1));
  if (many) end++;
  // `tokenizer` and `secretary` are other words, and so are two letters inside a hash.
  const next = text.charCodeAt(end);
  if (isLower(next) || (isAlone(word.entry) && (isUpper(next) || isDigit(next)))) return null;
  const suffixStart = end;
  const inName = (): boolean => end < text.length && end - suffixStart <= LONGEST_NAME;
  while (inName() && isNameChar(text.charCodeAt(end)) && !'.$'.includes(text.charAt(end))) end++;
  if (text.charAt(end) === '.' && isLower(text.charCodeAt(end + 1) | 0x20)) {
    while (inName() && isNameChar(text.charCodeAt(end))) end++;
  }
  if (end > suffixStart && compiled(HARMLESS_SUFFIX).test(lower.slice(suffixStart, end))) return null;
  let nameStart = start;
  while (start - nameStart <= LONGEST_NAME && isNameChar(text.charCodeAt(nameStart - 1))) nameStart--;
  if (start - nameStart > LONGEST_NAME || end - suffixStart > LONGEST_NAME) return null;
  if (text.slice(Math.max(0, start - 40), start).includes(REPLACED)) return null;
  const name = text.slice(nameStart, end);
  const constant = (name.includes('_') || text.charAt(end) === '=') && /^[A-Z0-9_]+$/.test(name);
  return { group: word.group, kind: word.kind, start, end, nameStart, many, constant };
}
