import type { Candidate } from './finding.ts';
import {
  isAssignedSecret,
  isHarmless,
  isMixed,
  isProseWord,
  looksRandom,
  readsAsName,
  type Value,
  ValueReader,
} from './value.ts';
import { HARMLESS_SUFFIX, WORDS, type WordClass } from './words.ts';

interface Word {
  group: WordClass;
  kind: string;
  /** Must stand alone: it occurs inside other words and in random text. */
  short: boolean;
}

/** A telling word in its name: `DB_PASSWORD`, `--api-key`, `"clientSecret"`. */
interface Mention extends Word {
  start: number;
  end: number;
  nameStart: number;
  /** A plural: talk about many, seldom the name of one. */
  many: boolean;
  /** In capitals, as environment variables are. */
  constant: boolean;
}

/** Between the word and its value: assignment, perhaps with the value indented on the next line. */
const ASSIGN =
  /["'`)\]*]{0,3}[ \t]{0,16}(?::=|=>|={1,3}|:{1,2}|＝|：|->|→|\|)[ \t]{0,16}(?:[|>][+-]?[ \t]{0,4}(?=\r?\n))?(?:\r?\n[ \t]{1,24})?/y;
const IS =
  /[ \t]{1,3}(?:is now|is|was|will be|ist|est|es|é|changed to|set to|reset to)[ \t]{0,2}:?[ \t]{1,3}/y;
/** `{"name": "API_KEY", "value": "…"}`, `<add key="ApiKey" value="…"/>`, and the same in YAML. */
const VALUE_FIELD = /["']?[ \t]{0,2},?\s{0,24}["']?value["']?[ \t]{0,3}[:=][ \t]{0,3}/iy;
const PAIR = /["'`][ \t]?,[ \t]{0,4}(?=["'`])/y;
const CALL = /\([ \t]?(?=["'`])/y;
const BLANK = /[ \t]{1,3}/y;
/** Some words between: `password for the db is …`, `API key (staging): …`. */
const DISTANT = /[ \t][^\n.!?;=:]{1,48}?(?:[ \t]is[ \t]|:|=)[ \t]{0,3}/y;
/** `… is the admin password`, read from the end of what stands before the word. */
const BEFORE =
  /(?:^|[\s"'`(])([^\s"'`(),;:]{6,128})["'`]?,?[ \t]{1,3}(?:is|as|was|for)[ \t]{1,2}(?:[A-Za-z]{1,15}[ \t]){0,4}$/i;
/** `login: sam / …`, `creds admin:…`. */
const PAIRED = /[^\n]{0,16}?(?:^|[\s:=("'`])[\w.@+-]{1,64}["'`]?[ \t]?[:/][ \t]?["'`]?(?=\S)/y;

/** The word is part of what a redaction left. */
const REPLACED = /\[redacted: [^\]\n]*$/;

/** Longest part of a name before or after the word, in code units. More is no name. */
const LONGEST_NAME = 48;

let compiled: { pattern: RegExp; words: Map<string, Word> } | undefined;

/** The words as one expression, and the class of each by its letters alone. Built on first use. */
function tables(): { pattern: RegExp; words: Map<string, Word> } {
  if (compiled !== undefined) return compiled;
  const words = new Map<string, Word>();
  const sources: { length: number; source: string }[] = [];
  for (const [group, kind, list] of WORDS) {
    for (const entry of list) {
      const word = entry.replace(/^[<_]/, '');
      words.set(letters(word), { group, kind, short: entry.startsWith('<') });
      const source = word.replace(/[.]/g, '\\.').replace(/ /g, '[ _.-]?');
      sources.push({ length: word.length, source: boundary(entry) + source });
    }
  }
  // Of two words that start alike the longer one must be tried first.
  sources.sort((a, b) => b.length - a.length);
  compiled = { pattern: new RegExp(sources.map(({ source }) => source).join('|'), 'gi'), words };
  return compiled;
}

function boundary(entry: string): string {
  if (entry.startsWith('<')) return '(?<![A-Za-z])';
  return entry.startsWith('_') ? '(?<=[A-Za-z0-9][_.-])' : '';
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[ _.-]/g, '');
}

const isWordChar = (char: string): boolean => /[\w$.-]/.test(char);

/** Every telling word of the text that is not part of the name of something harmless. */
function* mentions(text: string): Generator<Mention> {
  const { pattern, words } = tables();
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const word = words.get(letters(match[0]));
    const start = match.index;
    pattern.lastIndex = start + 1;
    if (word === undefined) continue;
    if (REPLACED.test(text.slice(Math.max(0, start - 40), start))) continue;
    let end = start + match[0].length;
    const many = text.charAt(end) === 's' && !/[a-z]/.test(text.charAt(end + 1));
    if (many) end++;
    // `tokenizer` and `secretary` are other words, and so are two letters inside a hash.
    if (/[a-z]/.test(text.charAt(end)) || (word.short && /[A-Z0-9]/.test(text.charAt(end)))) continue;
    const suffixStart = end;
    while (end < text.length && end - suffixStart <= LONGEST_NAME && /[\w-]/.test(text.charAt(end))) end++;
    if (text.charAt(end) === '.' && /[A-Za-z]/.test(text.charAt(end + 1))) {
      while (end < text.length && end - suffixStart <= LONGEST_NAME && /[\w.-]/.test(text.charAt(end))) end++;
    }
    if (end > suffixStart && HARMLESS_SUFFIX.test(text.slice(suffixStart, end))) continue;
    let nameStart = start;
    while (nameStart > 0 && start - nameStart <= LONGEST_NAME && isWordChar(text.charAt(nameStart - 1)))
      nameStart--;
    if (start - nameStart > LONGEST_NAME || end - suffixStart > LONGEST_NAME) continue;
    const name = text.slice(nameStart, end);
    yield {
      ...word,
      many,
      start,
      end,
      nameStart,
      constant: /^[A-Z0-9_]+$/.test(name) && /[_=]/.test(name + text.charAt(end)),
    };
  }
}

function follow(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function restOfLine(text: string, from: number): string {
  const window = text.slice(from, from + 160);
  const lineEnd = window.search(/[\r\n]/);
  return lineEnd < 0 ? window : window.slice(0, lineEnd);
}

/** Secrets beside telling words. */
export function findTold(text: string): Candidate[] {
  const found: Candidate[] = [];
  const reader = new ValueReader(text);
  for (const mention of mentions(text)) {
    const after = assignedTo(mention, text, reader) ?? nearby(mention, text, reader);
    for (const value of [after, valueBefore(mention, text)]) {
      if (value !== null) found.push({ kind: mention.kind, start: value.start, end: value.end, rank: 1 });
    }
  }
  return found;
}

/** The value that the text assigns to the word, if it is a secret. */
function assignedTo(mention: Mention, text: string, reader: ValueReader): Value | null {
  const { end, nameStart, group, constant } = mention;
  const judge = (at: number): Value | null => {
    if (at < 0) return null;
    const value = reader.read(at);
    if (value === null) return null;
    const after = restOfLine(text, value.end);
    return isAssignedSecret(value, group, constant, after) ? wholePhrase(value, group, text, after) : null;
  };
  const before = text.slice(Math.max(0, nameStart - 24), nameStart);
  const flag =
    text.startsWith('-', nameStart) || /(?:^|[\n;&|] ?)\s*(?:setenv|set -\w+|ENV|ARG|export) +$/.test(before);
  const valueField = follow(VALUE_FIELD, text, end);
  if (valueField >= 0) return judge(valueField);
  const assign = follow(ASSIGN, text, end);
  if (assign >= 0) return judge(assign);
  if (flag) {
    const value = judge(follow(BLANK, text, end));
    if (value !== null) return value;
  }
  if (before.endsWith('<') && text.charAt(end) === '>') return judge(end + 1);
  const is = judge(follow(IS, text, end));
  if (is !== null) return is;
  const pair = follow(PAIR, text, end);
  const call = follow(CALL, text, end);
  const argument = pair >= 0 ? pair : call;
  if (argument < 0) return null;
  const value = reader.read(argument);
  if (value === null || isHarmless(value) || readsAsName(value.text) || /\s/.test(value.text)) return null;
  return isMixed(value.text) || /[^\w.-]/.test(value.text) ? value : null;
}

/** A passphrase of several plain words runs to the end of its line. */
function wholePhrase(value: Value, group: WordClass, text: string, after: string): Value {
  if (value.quoted || group !== 'password') return value;
  const words = /^(?: \p{Ll}{3,12}){2,9}(?=[ \t]*$)/u.exec(after);
  if (words === null || !/^\p{L}+$/u.test(value.text)) return value;
  const end = value.end + words[0].length;
  return { ...value, end, text: text.slice(value.start, end) };
}

/** A secret that stands near the word without being assigned to it. */
function nearby(mention: Mention, text: string, reader: ValueReader): Value | null {
  const { start, end, group } = mention;
  const direct = reader.read(follow(BLANK, text, end));
  if (group === 'code') return direct !== null && /^\d{6,8}$/.test(direct.text) ? direct : null;
  const near: (Value | null)[] = [];
  const distant = reader.read(follow(DISTANT, text, end));
  if (group === 'password') near.push(direct, distant);
  if (group === 'key' && distant !== null && distant.text.length >= 12 && isMixed(distant.text))
    near.push(distant);
  if (group === 'password' || /cred/i.test(text.slice(start, end)))
    near.push(reader.read(follow(PAIRED, text, end)));
  const chosen = near.find((value) => value !== null && looksChosen(value));
  if (chosen) return chosen;
  for (const match of restOfLine(text, end)
    .slice(0, 80)
    .matchAll(/[\w+/=.~-]{16,80}/g)) {
    const value = reader.read(end + match.index);
    if (value !== null && looksRandom(value.text)) return value;
  }
  return null;
}

/** A single word that somebody made up to be a password: letters with digits or signs, and no known shape. */
function looksChosen(value: Value): boolean {
  const { text } = value;
  if (isHarmless(value) || text.length < 5 || /\s/.test(text) || isProseWord(text)) return false;
  if (
    /^[~.]{0,2}\/|^https?:|\.[a-z]{1,4}(?::\d+)?$|^v?\d+(?:\.\d+)+/i.test(text) ||
    /^[A-Z]{2,8}-\d+$/.test(text)
  )
    return false;
  return (
    (/\d/.test(text) && /\p{L}/u.test(text)) ||
    /[\p{L}\d][!@#$%^&*+=?][\p{L}\d]|[\p{L}\d]{4}[!@#$%^&*]$/u.test(text)
  );
}

function valueBefore(mention: Mention, text: string): Value | null {
  const from = Math.max(0, mention.nameStart - 200);
  const match = BEFORE.exec(text.slice(from, mention.nameStart));
  const value = match?.[1];
  if (match === null || value === undefined) return null;
  const start = from + match.index + match[0].indexOf(value);
  const candidate: Value = { start, end: start + value.length, text: value, quoted: false };
  if (mention.group === 'token' || mention.group === 'code') return looksRandom(value) ? candidate : null;
  return looksChosen(candidate) && !readsAsName(value) ? candidate : null;
}
