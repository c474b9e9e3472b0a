import { FUNCTION_WORDS, ID_PREFIX, STATES, TYPE, type WordClass } from './tables.ts';

export interface Finding {
  /** What it is, for people: `GitHub token`, `password`. */
  kind: string;
  start: number;
  end: number;
  /** Set for personal or payment data that is no credential. */
  personal?: true;
}

/** A finding and the confidence of its rule in the kind: a known prefix outranks a nearby word. */
export interface Candidate extends Finding {
  rank: number;
}

/** A range of text that may be a secret: `[start, end)` in code units, without quotes and final punctuation. */
export interface Value {
  start: number;
  end: number;
  text: string;
  quoted: boolean;
}

/** Longest value; a longer one is cut here, and the other rules check the rest. */
const LONGEST = 4096;
const JUDGED = 160;
const OPENING = '"\'`“‘«„「';
const CLOSING = '"\'`”’»“」';

/**
 * An unquoted value. A comma, semicolon or ampersand ends it only if something else starts there, a quote or
 * backslash only if it is not part of it; in Chinese, Japanese or Korean the next word ends it.
 */
const RUN =
  /(?:[^\s<>"`,;&|'\\\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]|[,;&|](?![\s"'<>]|[\w.-]{1,30}[=:]|$)|'(?=[A-Za-z0-9])|\\(?!\\{0,8}[nrt"]))+/y;
const WIDE_RUN = /[\u3000-\u9fff\uac00-\ud7af]+/y;

/**
 * Reads values from one text. The end of the last run is remembered, so that reading at every position of one
 * long run costs no more than reading it once.
 */
export function createValueReader(text: string): (offset: number) => Value | null {
  let run = { start: 0, end: -1 };

  const findRunEnd = (start: number): number => {
    if (start < run.start || start >= run.end) {
      const pattern = [RUN, WIDE_RUN].find((each) => {
        each.lastIndex = start;
        return each.test(text);
      });
      if (pattern === undefined) return start;
      run = { start, end: pattern.lastIndex };
    }

    return Math.min(run.end, start + LONGEST);
  };

  return (offset) => {
    if (offset < 0) return null;

    const opener = text.charAt(offset);
    const quote = opener === '' ? -1 : OPENING.indexOf(opener);
    if (quote < 0) {
      const whole = text.slice(offset, findRunEnd(offset));
      const value = whole.replace(/[,;.:)\]}|!?]{1,8}$/, (signs) => (/^!+$/.test(signs) ? signs : ''));
      const end = offset + value.length;
      return value === '' ? null : { start: offset, end, text: value, quoted: false };
    }

    // A quote that closes the previous string: `print('password:', value)`.
    const next = text.slice(offset + 1, offset + 8);
    if (/^(?:[,;)\]]|[ \t]{0,3}[+.][ \t]{0,3}[A-Za-z_$(])/.test(next)) return null;

    const isTriple = text.startsWith(opener.repeat(3), offset);
    const start = offset + (isTriple ? 3 : 1);
    const end = start + findClosing(text.slice(start, start + LONGEST), CLOSING.charAt(quote), isTriple);

    return end > start ? { start, end, text: text.slice(start, end), quoted: true } : null;
  };
}

/** The position of the closing quote on the same line; the end of the line if there is none. */
function findClosing(rest: string, quote: string, manyLines: boolean): number {
  const quoteIndex = rest.indexOf(quote);
  const lineEnd = rest.indexOf('\n');
  const end = quoteIndex < 0 ? rest.length : quoteIndex;
  if (manyLines || lineEnd < 0 || end < lineEnd) return end;

  // A terminal may have broken the line: the rest of the value is then alone before the quote.
  const remainder = rest.slice(lineEnd + 1, end).replace(/^[ \t>|]+/, '');
  return quoteIndex > 0 && /^\S{1,199}$/.test(remainder) ? end : lineEnd;
}

const PLACEHOLDER =
  /^(?:[*•·x#.…_?=~-]{1,200}|<.*>?|\$\{?[A-Za-z_({].*|\$\(.*|#\{.*|[a-z_]{1,30}=\d+|%[A-Za-z_]+%|\{\{?.*|\[.*|process\.env.*|import\.meta.*|os\.(?:environ|getenv).*|getenv.*|env[.([].*|ENV\[.*|secrets\..*|vault:.*|op:\/\/.*|ref:.*|redacted.*|your[-_ ].*|(?:my|some|the|insert|enter|replace)[-_](?:\w{1,20}[-_]){0,4}(?:key|token|secret|password|value)s?|.{0,24}(?:example|placeholder|changeme|change_me|change-me|_here|-here)$|xxx.*|.{0,60}x{4,}.{0,12}|[a-z]{1,4}(?:[-_][a-z]{1,5})?[-_]|null|none|nil|undefined|true|false|yes|no)$/i;
/** Code that computes the value: a call, an index, a member access, an operator. */
const CODE =
  /^(?:await|new|return|typeof)$|^[&*!(-]?(?:[A-Za-z_$][\w$]{0,60}(?:[.?!]{1,2}|::|->)){0,8}[A-Za-z_$][\w$]{0,60}[([{]|^[&*]?[a-z_$][A-Za-z_$]{0,40}(?:(?:\?|!)?\.|->|::)[A-Za-z_$]{1,40}(?:\.[A-Za-z_$]{1,40}){0,6}$|^(?:req|res|this|self|config|cfg|user|process|os|env|data|body|props|state|options|opts|args|params|ctx|settings|form|event|z|t|schema|input|payload|values|value|response|request|session|account|auth|e|s|c|i)[.?[]/i;
/** A published example, or a value that somebody else has redacted. */
const EXAMPLE = /EXAMPLE|REDACTED|[Ee]xample[_-]?[Kk]ey/;
const CONSTANT = /^[A-Z]{2,}\d?(?:_[A-Z]{2,}\d?){1,8}$/;
const PATHLIKE =
  /^refs\/|^(?:[~.]{0,2}\/(?=[\w.@-]{0,40}[./])|[A-Za-z]:\\)|^[~.]{0,2}(?:\/[\w.@-]{1,60}){1,12}\/?$|^[\w.@-]{1,60}(?:\/[\w.@-]{1,60}){1,12}\.[a-z]{1,5}(?::\d{1,6})?$/;
/** Approximately a letter: the exact Unicode classes take milliseconds to compile. */
export const LETTER = 'A-Za-z\\u00aa-\\u1fff\\u2c00-\\ud7ff\\uf900-\\ufdff';
const PLAIN_WORD = new RegExp(`^[${LETTER}][${LETTER}'’-]*$`);
const NO_LETTERS = new RegExp(`[^${LETTER}']+`);
const ANY_LETTER = new RegExp(`[${LETTER}]`);
/** A special character between letters or after several: `p@ssword`, `letmein!`. */
const SIGNS_WITHIN = new RegExp(`[${LETTER}\\d][!@#$%^&*+=?][${LETTER}\\d]|[${LETTER}\\d]{4}[!@#$%^&*]$`);
const CAMEL_CASE =
  /^[A-Z]{0,5}[a-z]{2,30}(?:[A-Z][a-z]{2,30}|[A-Z]{2,4}(?![a-z])){0,8}(?:[.?!]{1,2}[A-Za-z]{1,40}){0,5}$/;
/** Words in camel case, perhaps with short numbers: `CondensedTranscriptLines2`. */
const CAMEL_NAME =
  /^(?:[A-Z]?[a-z]{3,}(?![a-z])\d{0,2}[-_.]?|[A-Z]{2,5}\d{0,2}(?=[-_.]|$|[A-Z][a-z])[-_.]?){1,12}$/;
/** Where a secret is kept, not the secret: `DB_PASSWORD=vault:secret/app#password`. */
export const REFERENCE = /(?:^|[\s=:"'])(?:vault|op|ref|env|ssm|sops|keyvault):/;
const UUID = /^[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}$/i;
const DATE_OR_TIME = /^\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})?(?:[T ].*)?$/;
/** Lower-case words joined by `-`, `_` or `.`, perhaps with a short number: a name that somebody chose. */
export function isName(text: string): boolean {
  return (
    text.length <= 200 &&
    /^[a-z]{1,30}\d{0,4}(?:[-_.:/][a-z]{1,30}\d{0,4}|[-_.:/]v?\d{1,4}){0,16}$/.test(text)
  );
}

/** An example in documentation: `AKIAIOSFODNN7EXAMPLE`. */
export const isExample = (text: string): boolean => EXAMPLE.test(text.slice(0, JUDGED));

/** A lower-case name or words in camel case: `hf_hub_download`, `TestSession_Refresh2`. */
export const isWords = (text: string): boolean => isName(text) || CAMEL_NAME.test(text.slice(0, JUDGED));

/** A letter and a digit, or both cases but not camel case. */
export function isMixed(text: string): boolean {
  const head = text.slice(0, JUDGED);
  if (/\d/.test(head) && /[A-Za-z]/.test(head)) return true;
  return /[a-z]/.test(head) && /.[A-Z]/.test(head) && !CAMEL_CASE.test(head);
}

/** Shaped like a hash or UUID: an ordinary identifier unless it is assigned to a word that indicates a secret. */
export const isIdentifier = (text: string): boolean =>
  /^(?:[a-f0-9]{7,40}|[a-f0-9]{64})$/i.test(text) || UUID.test(text);

/** A path, and not a key in base64 that happens to have slashes. */
function isPath(text: string): boolean {
  if (!PATHLIKE.test(text)) return false;
  return !(/^[A-Za-z0-9+/]{32,}={0,2}$/.test(text) && countChanges(text) * 5 >= text.length * 2);
}

/** How often the kind of character changes: in a random text at every second character. */
const countChanges = (text: string): number =>
  text.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;

/** Sixteen or more characters, or fewer in `ACME_KEY=…`, that are not pronounceable: letters and digits alternate often. */
export function isRandom(text: string, least = 16): boolean {
  const head = text.slice(0, 128);
  if (head.length < least || !/^[\w+/=.~-]+$/.test(head) || isIdentifier(text) || isPath(head)) return false;
  if (isName(text) || CAMEL_NAME.test(head) || ID_PREFIX.test(text)) return false;
  if (!/\d/.test(head) || !/[A-Za-z]/.test(head)) return false;
  return countChanges(head) * 5 >= head.length && new Set(head).size >= 8;
}

/**
 * A single word that somebody invented as a password: letters with digits or special characters, and no known shape.
 */
export function isChosen(value: Value): boolean {
  const text = value.text.slice(0, 128);
  if (isHarmless(value) || text.length < 5 || /\s/.test(text) || isProseWord(text)) return false;
  if (REFERENCE.test(text) || SOURCE.test(text)) return false;
  if (/^[~.]{0,2}\/|^https?:|^[\w./@-]+\.[a-z]{1,4}(?::\d+)?$|^v?\d+(?:\.\d+)+|^[A-Z]{2,8}-\d+$/i.test(text))
    return false;

  return (/\d/.test(text) && ANY_LETTER.test(text)) || SIGNS_WITHIN.test(text);
}

/** The source of a line, as we print it: `(memory/2026-11-20.md:3)`. */
const SOURCE = /^[([]?[^\s()]+\.(?:md|markdown|txt|jsonl?):\d{1,7}$/i;

/** Base64 of `name:secret`, as in `Authorization: Basic`. */
export function isEncodedPair(text: string): boolean {
  return /^[\x20-\x7e]{1,256}:[\x20-\x7e]{1,256}/.test(Buffer.from(text, 'base64').toString('latin1'));
}

/** The value of a password option: no port, no other option, no file. */
export function isOptionValue(text: string): boolean {
  return (
    !/^(?:[-$<({]|\d{1,5}(?::\d{1,5})*$)/.test(text) &&
    !isHarmless({ start: 0, end: 0, text, quoted: true }) &&
    !PATHLIKE.test(text) &&
    !/^[\w-]+\.[a-z]{2,4}$/.test(text)
  );
}

/** Whether a value cannot be a secret, whatever precedes it. */
export function isHarmless(value: Value): boolean {
  const head = value.text.slice(0, JUDGED);
  if (head.trim() === '' || PLACEHOLDER.test(head) || /^.{0,16}(?:\.{3}|…)/.test(head)) return true;
  if (CONSTANT.test(head) || isExample(head)) return true;
  return !value.quoted && (CODE.test(head) || TYPE.test(head));
}

/** Whether documentation writes this in the place of a secret. */
export const isPlaceholder = (text: string): boolean =>
  PLACEHOLDER.test(text.slice(0, JUDGED)) || /^(?:REPLACE_|my_?password$)/i.test(text);

export function makeUnquoted(text: string): Value {
  return { start: 0, end: text.length, text, quoted: false };
}

function isProseWord(text: string): boolean {
  const lower = text.slice(0, 64).toLowerCase();
  return FUNCTION_WORDS.has(lower) || STATES.has(lower);
}

const SENTENCE_END = /[.!?](?:\s|$)/;

/** Whether the value reads as the beginning of a sentence; `after` is what follows it on its line. */
function isProse(value: Value, after: string): boolean {
  if (value.quoted) return false;

  const lower = value.text.slice(0, 64).toLowerCase().replace(/!+$/, '');
  if (FUNCTION_WORDS.has(lower)) return true;
  if (!PLAIN_WORD.test(value.text.slice(0, 64))) return STATES.has(lower);

  const [rest = ''] = after.slice(0, 80).split(SENTENCE_END);
  const next = rest
    .toLowerCase()
    .split(NO_LETTERS)
    .filter((word) => word.length > 1)
    .slice(0, 5);

  if (next.some((word) => FUNCTION_WORDS.has(word))) return true;

  // Three or more plain words without a function word are a passphrase.
  return next.length < 2 && (STATES.has(lower) || /(?:ed|ing|[ai]ble|ly|ful)$/.test(lower));
}

/**
 * Whether a value assigned to a word that indicates a secret (`=`, `:`, `is`, an option, a call) is one.
 * @param constant the word is part of a name in capitals, like an environment variable
 * @param after what follows the value on its line
 */
export function isAssignedSecret(value: Value, group: WordClass, constant: boolean, after: string): boolean {
  if (isHarmless(value)) return false;

  const { quoted } = value;
  const text = value.text.slice(0, JUDGED).replace(/\\?\r?\n[ \t>|]*/g, '');

  if (group === 'code') return /^\d[\d -]{2,10}$/.test(text.trim());
  if (group === 'password') return (quoted || text.length > 1) && !isProse(value, after);
  if (/\s/.test(text.trim()) || isProse(value, after) || DATE_OR_TIME.test(text) || ID_PREFIX.test(text))
    return false;
  if (/^\d+$/.test(text)) return group === 'key' ? text.length >= 6 : text.length >= 16;
  if (isPath(text) || /^https?:\/\/|^[a-z][\w+.-]{1,20}:\/\/[^@]*$/i.test(text)) return false;
  if (group === 'random') return isRandomKey(text) || (constant && isRandom(text, 12));
  // A single word with digits may have been typed; words joined by punctuation are a name.
  if (isName(text) && !constant && !(group === 'key' && /^[a-z]{8,}\d{1,4}$/.test(text))) return false;
  if (group === 'key') return text.length >= 6 && (constant || quoted || isMixed(text) || text.length >= 16);
  if (isIdentifier(text) && text.length < 16) return false;
  if (constant) return text.length >= 4;

  return text.length >= 6 && isMixed(text);
}

/** Only a key can look like this: random, a hash of 32 characters or more, or parts with many signs between. */
function isRandomKey(text: string): boolean {
  if (UUID.test(text)) return false;

  const hasBoth = /\d/.test(text) && /[A-Za-z]/.test(text);
  if (isRandom(text) || (/^[a-f0-9]{32,128}$/i.test(text) && hasBoth)) return true;

  const hasParts =
    text.length >= 24 && /^[\w+/=.~:|%-]+$/.test(text) && /^(?:[^-_=+/:|%]*[-_=+/:|%]){2}.*\d/.test(text);

  return hasBoth && hasParts && !isName(text.toLowerCase()) && !/[a-z]{5}/i.test(text);
}
