import { compiled } from '../text/compile-patterns.ts';
import { FUNCTION_WORDS, STATES, type WordClass } from './words.ts';

/** A stretch of text that may be a secret: `[start, end)` in code units, without quotes and end punctuation. */
export interface Value {
  start: number;
  end: number;
  text: string;
  quoted: boolean;
}

/** Longest value taken as one; a longer one is cut here and its rest judged by the other rules. */
const LONGEST = 16_384;
/** How much of a value is looked at to judge it. */
const JUDGED = 160;
const CLOSING = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['‘', '’'],
  ['«', '»'],
  ['„', '“'],
]);

/** The ASCII characters that end an unquoted value, always (2) or depending on what follows (1). */
const STOPS = new Uint8Array(128);
for (const char of '\t\n\v\f\r <>"`') STOPS[char.charCodeAt(0)] = 2;
for (const char of ",;&|'\\") STOPS[char.charCodeAt(0)] = 1;

function stopsAt(text: string, index: number): boolean {
  const char = text.charAt(index);
  if (STOPS[char.charCodeAt(0)] === 2) return true;
  if (char === "'") return !/[A-Za-z0-9]/.test(text.charAt(index + 1));
  if (char === '\\') return /^\\+[nrt"]/.test(text.slice(index, index + 8));
  // A comma, semicolon or ampersand ends the value only where something else starts.
  return /^(?:[\s"'<>]|[\w.-]{1,30}[=:]|$)/.test(text.slice(index + 1, index + 33));
}

/**
 * Reads values out of one text. The ends of runs and the next quotes are remembered, so that reading at every
 * position of a text costs no more than reading it once.
 */
export class ValueReader {
  readonly #text: string;
  readonly #quotes = new Map<string, { from: number; at: number }>();
  #runStart = 0;
  #runEnd = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** The value that starts at `at`, quoted or up to the next blank; null when there is none on this line. */
  read(at: number): Value | null {
    if (at < 0) return null;
    const text = this.#text;
    const opener = text.charAt(at);
    const closer = CLOSING.get(opener);
    if (closer !== undefined) {
      // A quote that closes what came before: `print('password:', value)`.
      if (/[,;)\]]/.test(text.charAt(at + 1))) return null;
      const triple = text.startsWith(opener.repeat(3), at);
      const start = at + (triple ? 3 : 1);
      const end = this.#close(closer, start, triple);
      return end > start ? { start, end, text: text.slice(start, end), quoted: true } : null;
    }
    const run = this.#run(at);
    let end = run;
    while (end > at && /[,;.:)\]}|!?]/.test(text.charAt(end - 1))) end--;
    return end > at ? { start: at, end, text: text.slice(at, end), quoted: false } : null;
  }

  /** Where the quote closes; on the same line, or the line's end when it never does. */
  #close(quote: string, from: number, manyLines: boolean): number {
    const quoteAt = this.#next(quote, from);
    const end = Math.min(quoteAt, from + LONGEST);
    if (manyLines) return end;
    const lineAt = this.#next('\n', from);
    if (lineAt >= end) return end;
    // A terminal may have broken the line: then what is left of the value stands alone before the quote.
    const broken = this.#text.slice(lineAt + 1, lineAt + 200).replace(/^[ \t>|]+/, '');
    const left = broken.indexOf(quote);
    return left > 0 && !/\s/.test(broken.slice(0, left)) ? end : lineAt;
  }

  #next(needle: string, from: number): number {
    const known = this.#quotes.get(needle);
    if (known !== undefined && known.from <= from && from <= known.at) return known.at;
    const found = this.#text.indexOf(needle, from);
    const at = found < 0 ? this.#text.length : found;
    this.#quotes.set(needle, { from, at });
    return at;
  }

  /** The end of the run of characters that an unquoted value may hold. */
  #run(at: number): number {
    if (at >= this.#runStart && at <= this.#runEnd) return Math.min(this.#runEnd, at + LONGEST);
    const text = this.#text;
    let end = at;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code > 0x7f) {
        if (/\s/.test(text.charAt(end))) break;
      } else if (STOPS[code] !== 0 && stopsAt(text, end)) break;
    }
    this.#runStart = at;
    this.#runEnd = end;
    return Math.min(end, at + LONGEST);
  }
}

const PLACEHOLDER =
  /^(?:[*•·x#.…_?=~-]{1,200}|<.*>?|\$\{?[A-Za-z_(].*|\$\(.*|%[A-Za-z_]+%|\{\{?.*|\[.*|process\.env.*|import\.meta.*|os\.(?:environ|getenv).*|getenv.*|env[.([].*|ENV\[.*|secrets\..*|vault:.*|op:\/\/.*|ref:.*|redacted.*|your[-_ ].*|xxx.*|[a-z]{1,4}(?:[-_][a-z]{1,5})?[-_]|null|none|nil|undefined|true|false|yes|no)$/i;
/** Code that fetches the value instead of being it. */
const CODE =
  /^(?:await|new|return|typeof)$|^(?:[A-Za-z_$][\w$]{0,60}[.?!]{1,2}){0,8}[A-Za-z_$][\w$]{0,60}[([]|^(?:req|res|this|self|config|cfg|user|process|os|env|data|body|props|state|options|opts|args|params|ctx|settings|form|event|z|t|schema|input|payload|values|value|response|request|session|account|auth|e|s|c|i)[.?[]/i;
const TYPE =
  /^(?:string|str|number|int|integer|boolean|bool|object|any|unknown|void|bytes|secretstr|optional|varchar|char|text|uuid|null)(?:\W.*)?$/i;
const PATHLIKE =
  /^(?:[~.]{0,2}\/|[A-Za-z]:\\)|^[\w.@-]{1,60}(?:\/[\w.@-]{1,60}){1,12}\.[a-z]{1,5}(?::\d{1,6})?$/;
/** A letter, near enough: the exact Unicode classes cost milliseconds to compile. */
export const LETTER = 'A-Za-z\\u00aa-\\u1fff\\u2c00-\\ud7ff\\uf900-\\ufdff';
const PLAIN_WORD = new RegExp(`^[${LETTER}][${LETTER}'’-]*$`);
const NO_LETTERS = new RegExp(`[^${LETTER}']+`);
const CAMEL_CASE =
  /^[A-Z]{0,5}[a-z]{2,30}(?:[A-Z][a-z]{2,30}|[A-Z]{2,4}(?![a-z])){0,8}(?:[.?!]{1,2}[A-Za-z]{1,40}){0,5}$/;
const UUID = /^[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}$/i;
const DATE_OR_TIME = /^\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})?(?:[T ].*)?$/;

/** Lower-case words joined by `-`, `_` or `.`, perhaps with a short number: a name that somebody chose. */
export function readsAsName(text: string): boolean {
  return (
    text.length <= 200 &&
    /^[a-z]{1,30}\d{0,4}(?:[-_.:/][a-z]{1,30}\d{0,4}|[-_.:/]v?\d{1,4}){0,16}$/.test(text)
  );
}

/** A letter and a digit, or letters in both cases that are no name in camel case. */
export function isMixed(text: string): boolean {
  const head = text.slice(0, JUDGED);
  if (/\d/.test(head) && /[A-Za-z]/.test(head)) return true;
  return /[a-z]/.test(head) && /.[A-Z]/.test(head) && !CAMEL_CASE.test(head);
}

/** Shaped as a hash or UUID: an everyday identifier unless something assigns it to a telling word. */
export function isIdentifier(text: string): boolean {
  return /^(?:[a-f0-9]{7,40}|[a-f0-9]{64}|[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})$/i.test(text);
}

/** Sixteen or more characters that nobody would say aloud: letters and digits that keep changing. */
export function looksRandom(text: string): boolean {
  const head = text.slice(0, 128);
  if (head.length < 16 || !/^[\w+/=.~-]+$/.test(head) || isIdentifier(text) || PATHLIKE.test(head))
    return false;
  if (readsAsName(text) || !/\d/.test(head) || !/[A-Za-z]/.test(head)) return false;
  const changes = head.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
  return changes * 5 >= head.length && new Set(head).size >= 8;
}

/** Nothing that could be a secret, whatever stands before it. */
export function isHarmless(value: Value): boolean {
  const { quoted } = value;
  const head = value.text.slice(0, JUDGED);
  if (head.trim() === '' || compiled(PLACEHOLDER).test(head) || /^.{0,16}(?:\.{3}|…)/.test(head)) return true;
  if (!quoted && (compiled(CODE).test(head) || compiled(TYPE).test(head))) return true;
  return false;
}

/** A word of a sentence about a secret, not the secret. */
export function isProseWord(text: string): boolean {
  const lower = text.slice(0, 64).toLowerCase();
  return FUNCTION_WORDS.has(lower) || STATES.has(lower);
}

/** Whether the value reads as the beginning of a sentence; `after` is what follows it on its line. */
function isProse(value: Value, after: string): boolean {
  if (value.quoted) return false;
  const lower = value.text.slice(0, 64).toLowerCase();
  if (FUNCTION_WORDS.has(lower)) return true;
  if (!PLAIN_WORD.test(value.text.slice(0, 64))) return STATES.has(lower);
  const next = after
    .slice(0, 80)
    .toLowerCase()
    .split(NO_LETTERS)
    .filter((word) => word.length > 1)
    .slice(0, 5);
  if (next.some((word) => FUNCTION_WORDS.has(word))) return true;
  // Three and more plain words without a word that joins them are a passphrase.
  return next.length < 2 && (STATES.has(lower) || /(?:ed|ing|able|ly|ful)$/.test(lower));
}

/**
 * Whether a value that is assigned to a telling word (`=`, `:`, `is`, a flag, a call) is a secret.
 *
 * @param constant the word is part of a name in capitals, as in an environment
 * @param after what follows the value on its line
 */
export function isAssignedSecret(value: Value, group: WordClass, constant: boolean, after: string): boolean {
  if (isHarmless(value)) return false;
  const { quoted } = value;
  const text = value.text.slice(0, JUDGED).replace(/\\?\r?\n[ \t>|]*/g, '');
  if (group === 'code') return /^\d[\d -]{2,10}$/.test(text.trim());
  if (group === 'password') return (quoted || text.length > 1) && !isProse(value, after);
  if (/\s/.test(text.trim()) || isProse(value, after) || DATE_OR_TIME.test(text)) return false;
  if (/^\d+$/.test(text)) return group === 'key' ? text.length >= 6 : text.length >= 16;
  if (PATHLIKE.test(text) || /^https?:\/\//.test(text)) return false;
  if (group === 'key') return text.length >= 6 && (constant || quoted || isMixed(text) || text.length >= 16);
  if (group === 'session')
    return text.length >= 16 && isMixed(text) && !UUID.test(text) && !readsAsName(text);
  if (constant) return text.length >= 4;
  return text.length >= 6 && !readsAsName(text) && isMixed(text);
}
