import { stem as porter2 } from 'porter2';
import TALK from '../../models/common-talk.json' with { type: 'json' };
import ENGLISH from '../../models/words/english.json' with { type: 'json' };
import { foldLetters, makeWordSet, splitWordList } from '../base/text/strings.ts';

/** Scripts written without spaces between words: Thai, Lao, Burmese, Khmer, Chinese, Japanese; Korean joins particles. */
const WIDE = '\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff';
/** An emoji or a dingbat is a word; what follows it chooses a colour or a form. */
const EMOJI = '[\\ud83c-\\ud83e][\\udc00-\\udfff]|[\\u2600-\\u27bf\\u2b50\\u2b55]';
/** All other word characters, without punctuation, symbols, dingbats, emoji or private use. */
const NARROW =
  '0-9A-Za-z\\xaa\\xb5\\xba\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u060b\\u060d-\\u061a\\u061c-\\u061e\\u0620-\\u06d3\\u06d5-\\u0963\\u0966-\\u0dff\\u0f00-\\u0fff\\u10a0-\\u177f\\u1800-\\u1fff\\u2c00-\\u2fff\\u3005-\\u3007\\u3021-\\u303f\\ua000-\\uabff\\ud7b0-\\ud83b\\ud83f-\\udbff\\ufb00-\\ufefe\\uff10-\\uffef';
/** A run of wide characters, an emoji, or a word; an apostrophe with a letter after it belongs to the word. */
const WORD = new RegExp(`[${WIDE}]+|${EMOJI}|[${NARROW}]+(?:['’](?=[A-Za-z\xc0-\u024f])[${NARROW}]+)*`, 'g');
const IS_EMOJI = new RegExp(`^(?:${EMOJI})$`);
const SKIN_TONE = /^\ud83c[\udffb-\udfff]$/;
/** The mark between the thousands of a number: `1,204`. */
const THOUSANDS = /(?<=\d)[,'’](?=\d{3}(?!\d))/g;
const IS_WIDE = new RegExp(`^[${WIDE}]`);
/** Soft hyphens, joiners and blanks without width, which stand within words. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
/** Articles and particles that Hebrew and Arabic write at the beginning of a word: `השרת`, `والخادم`. */
const PARTICLES = /^(?:[והבלמשכ]{1,3}(?=[א-ת]{3})|(?:[وفبك]?ال|لل)(?=[ء-ي]{2})|[وفبلك](?=[ء-ي]{3}))/;
const PLAIN = /^[a-z0-9]{1,48}$/;
/** A word longer than this is a hash, a key or a line of base64: only its start is kept. */
const LONGEST = 48;

/**
 * Cuts text into lower-case words. Letters with accents are folded, apostrophes inside a word vanish (`don't` is
 * `dont`, `Ann's` is `ann`), runs of scripts without spaces become pairs of characters, a camel-case name yields its
 * parts before the whole, a German word also its form without umlauts (`Büro` is `buro` and `buero`), and a Hebrew or
 * Arabic word also its form without particles.
 *
 * The tokenizer is part of the index format: a change here needs a new `VERSION` in `store.ts`.
 */
export function tokenize(text: string): string[] {
  const words: string[] = [];
  // One form of letters with accents, of half-width kana and of full-width Latin.
  const composed = /[^\0-\x7f]/.test(text) ? text.replace(INVISIBLE, '').normalize('NFKC') : text;

  for (const raw of composed.replace(THOUSANDS, '').match(WORD) ?? []) {
    if (PLAIN.test(raw)) words.push(raw);
    else if (IS_EMOJI.test(raw)) words.push(...(SKIN_TONE.test(raw) ? [] : [raw]));
    else words.push(...(IS_WIDE.test(raw) ? splitPairs(raw) : splitRawWords(raw)));
  }

  return words;
}

/** French and Italian: `l'équipe`, `dell'anno`. */
const ELISION = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|dell|nell|all|sull|un)['’]/i;

function splitPairs(raw: string): string[] {
  if (raw.length === 1) return [raw];
  return Array.from({ length: raw.length - 1 }, (_, i) => raw.slice(i, i + 2));
}

function splitRawWords(raw: string): string[] {
  const written = raw.slice(0, LONGEST).replace(ELISION, '');
  const parts = /[a-z][A-Z]/.test(raw) ? written.split(/(?<=[a-z])(?=[A-Z])/) : [];
  const whole = written
    .toLowerCase()
    .replace(/['’]s$/, '')
    .replace(/['’]/g, '');
  // Some characters decompose into a space and an accent, others into our own term prefixes.
  const folded = foldLetters(whole);
  const spelled = /[äöü]/.test(whole) ? [foldLetters(whole.replace(/[äöü]/g, '$&e'))] : [];

  const bare = folded.replace(PARTICLES, '');
  if (bare !== folded) spelled.push(bare);

  return [...parts.filter((part) => part.length > 2).map((part) => part.toLowerCase()), ...spelled, folded]
    .map((word) => word.replace(/[\s@/]/g, ''))
    .filter((word) => word !== '');
}

/** Prefix of a term for the author of a line. The tokenizer never produces it. */
export const AUTHOR_MARK = '@';

export function extractWords(text: string): string[] {
  const names = findSmallNames(text);
  return tokenize(text).filter((word) => !STOPWORDS.has(word) || names.has(word));
}

export const extractTerms = (text: string): string[] => extractWords(text).map(stem);

const AUTHOR =
  /^(?:\[[^\]]{1,40}\]\s*)?(?:\d{1,2}:\d{2}(?::\d{2})?\s+)?[*_]{0,2}((?:[\p{Lu}\p{Lo}][\p{L}\p{M}\p{N}.'’_-]{0,30}\s?){1,3})[*_]{0,2}(?:\s?\([^)]{1,40}\))?\s?:[*_]{0,2}(?:\s|$)/u;

/**
 * The author of a line: the name before its first colon, as in `Ann: see you`, `**Ann Lee:** …` or `[12:30] Ann: …`.
 * Up to three words that begin with a capital or a letter without case.
 */
export function parseAuthor(text: string): string | undefined {
  const match = AUTHOR.exec(text);
  return match?.[1]?.trim();
}

/** Words that say nothing about a subject; never indexed. Apostrophes are already gone. */
export const STOPWORDS: ReadonlySet<string> = makeWordSet(ENGLISH.small);

const NAMES = new RegExp(
  `(?<![\\p{L}\\d'’])(?:${ENGLISH.names.replaceAll(' ', '|')})(?![\\p{L}\\d]| (?:${ENGLISH.subjects})(?!\\p{L}))`,
  'gu',
);

/** Small words that are names where they are written so, in lower case: `Will`, `IT`. */
export const findSmallNames = (text: string): ReadonlySet<string> =>
  new Set(text.match(NAMES)?.map((name) => name.toLowerCase()));

let cachedWorths: Map<string, number> | undefined;

/** Significance of a stem in conversation with an agent, from its frequency there: 0 for `continue`, 1 for `kubernetes`. */
export function rateTerm(term: string): number {
  if (IS_EMOJI.test(term)) return 0;
  cachedWorths ??= readWorths();
  return cachedWorths.get(term) ?? 1;
}

function readWorths(): Map<string, number> {
  const out = new Map<string, number>();
  // Words of the first list carry no information in talk, those of each further list a quarter more.
  for (const [level, text] of TALK.levels.entries())
    for (const term of splitWordList(text)) out.set(term, level / TALK.levels.length);
  // They are indexed, because a note may be about one, but they never displace older messages.
  for (const word of splitWordList(ENGLISH.talk)) out.set(stem(word), 0);

  return out;
}

/**
 * The stem of one lower-case word: Porter2 ("English", https://snowballstem.org/algorithms/english/stemmer.html) of its
 * base form, so that `went` and `going` share a stem. Words with anything but the letters a to z are returned as they are.
 */
export const stem = (word: string): string =>
  /^[a-z]{3,}$/.test(word) ? porter2(findBaseForm(word) ?? word) : word;

let cachedBaseForms: ReadonlyMap<string, string> | undefined;

/** The base of an irregular form, such as `went`; undefined for any other word. */
function findBaseForm(word: string): string | undefined {
  cachedBaseForms ??= new Map(
    ENGLISH.irregular.flatMap((group) => {
      const [base = '', ...forms] = splitWordList(group);
      return forms.map((form) => [form, base] as const);
    }),
  );
  return cachedBaseForms.get(word);
}
