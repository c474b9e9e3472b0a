import { compilePattern } from '../text/strings.ts';
import { FUNCTION_WORDS, HARMLESS_NAME, HARMLESS_SUFFIX, listSecretWords, type WordClass } from './tables.ts';
import {
  type Candidate,
  createValueReader,
  isAssignedSecret,
  isChosen,
  isHarmless,
  isMixed,
  isName,
  isRandom,
  LETTER,
  REFERENCE,
  type Value,
} from './value.ts';

/** A word in a name that indicates a secret: `DB_PASSWORD`, `--api-key`, `"clientSecret"`. */
interface Mention {
  group: WordClass;
  kind: string;
  /** The start of the word, the start of the name that it is in, and the end of that name (exclusive). */
  start: number;
  nameStart: number;
  end: number;
  /** In capitals, like an environment variable. */
  constant: boolean;
}

interface Word {
  group: WordClass;
  kind: string;
  /** Its first part, and the whole in lower case, its parts joined in any way. */
  first: string;
  spelling: RegExp;
  /** Must not follow other letters: it occurs inside other words and in random text. */
  isAlone: boolean;
  /** Must be the last part of a compound name. */
  isLast: boolean;
}

/** Finds the first part of a word (`openings`), and lists the words that may begin so: `login` also begins with `log`. */
let cachedTables: { openings: RegExp; words: ReadonlyMap<string, readonly Word[]> } | undefined;

function loadTables(): NonNullable<typeof cachedTables> {
  if (cachedTables !== undefined) return cachedTables;

  const words = listSecretWords().flatMap(({ group, kind, words: list }) =>
    list.map((entry): Word => {
      const parts = entry.replace(/^[<_]/, '').split(' ');
      const [first = ''] = parts;
      const spelling = new RegExp(parts.join('[ _.-]?'), 'y');
      return { group, kind, first, spelling, isAlone: entry.startsWith('<'), isLast: entry.startsWith('_') };
    }),
  );

  // In reverse order a longer part precedes its own beginnings, so the longest is found.
  const openings = [...new Set(words.map(({ first }) => first))].sort().reverse();

  cachedTables = {
    openings: compilePattern(new RegExp(openings.join('|'), 'g')),
    words: new Map(
      openings.map((opening) => [opening, words.filter(({ first }) => opening.startsWith(first))]),
    ),
  };

  return cachedTables;
}

/** Longest part of a name before or after the word, in code units; anything longer is not a name. */
const LONGEST_NAME = 48;
const NAME_BEFORE = /[A-Za-z0-9$._-]*$/;
/** What may follow the word: further parts of its name, or a property. */
const NAME_AFTER = /^[A-Za-z0-9_-]*(?:\.[A-Za-z][\w$.-]*)?/;

/**
 * All words that indicate a secret, except in names of harmless things.
 * @param lower the text in lower case, of the same length
 */
function* findMentions(text: string, lower: string): Generator<Mention> {
  const { openings, words } = loadTables();
  openings.lastIndex = 0;

  for (let match = openings.exec(lower); match !== null; match = openings.exec(lower)) {
    const start = match.index;
    const longestFirst = (words.get(match[0]) ?? [])
      .map((word) => ({ word, end: matchEnd(word.spelling, lower, start) }))
      .filter(({ end }) => end > start)
      .sort((a, b) => b.end - a.end);
    let mention: Mention | undefined;

    for (const { word, end } of longestFirst) mention ??= readMention(text, lower, word, start, end);
    if (mention !== undefined) yield mention;
    openings.lastIndex = Math.max(start + 1, mention?.end ?? 0);
  }
}

function readMention(
  text: string,
  lower: string,
  word: Word,
  start: number,
  wordEnd: number,
): Mention | undefined {
  const before = NAME_BEFORE.exec(text.slice(Math.max(0, start - LONGEST_NAME - 1), start))?.[0] ?? '';
  if (word.isAlone && /[A-Za-z]$/.test(before)) return undefined;

  const isCapitalAfterSmall = /[a-z0-9]$/.test(before) && /[A-Z]/.test(text.charAt(start));
  if (word.isLast && !isCapitalAfterSmall && !/[A-Za-z0-9][$._-]$/.test(before)) return undefined;

  const isPlural = /^s(?![a-z])/.test(text.slice(wordEnd, wordEnd + 2));
  const suffixStart = isPlural ? wordEnd + 1 : wordEnd;
  const next = text.charAt(suffixStart);

  // `tokenizer` and `secretary` are other words, and so are two letters inside a hash.
  if (/[a-z]/.test(next) || (word.isAlone && /[A-Z0-9]/.test(next))) return undefined;

  const after = NAME_AFTER.exec(text.slice(suffixStart, suffixStart + LONGEST_NAME + 2))?.[0] ?? '';
  if (before.length > LONGEST_NAME || after.length > LONGEST_NAME) return undefined;

  const end = suffixStart + after.length;
  const nameStart = start - before.length;

  if (after !== '' && HARMLESS_SUFFIX.test(lower.slice(suffixStart, end))) return undefined;
  if (text.slice(Math.max(0, start - 40), start).includes('[redacted: ')) return undefined;

  const name = text.slice(nameStart, end);
  const wordBefore = /[A-Za-z]+ $/.exec(text.slice(Math.max(0, nameStart - 24), nameStart))?.[0] ?? '';
  const snakeCase = (wordBefore + name).replace(/(?<=[a-z\d])[A-Z]/g, '_$&').toLowerCase();
  if (compilePattern(HARMLESS_NAME).test(snakeCase)) return undefined;

  const constant = (name.includes('_') || text.charAt(end) === '=') && /^[A-Z0-9_]+$/.test(name);
  return { group: word.group, kind: word.kind, start, end, nameStart, constant };
}

/** Between the word and its value: an assignment, perhaps with the value indented on the next line. */
const ASSIGN =
  /["'`)\]*]{0,3}[ \t]{0,16}(?::=|=>|={1,3}|:{1,2}|＝|：|->|→|[—–]|\|)[ \t]{0,16}(?:[|>][+-]?[ \t]{0,4}(?=\r?\n))?(?:\r?\n[ \t]{1,24})?/y;
const IS =
  /(?:[ \t]{1,3}(?:is now|is|was|will be|ist|lautet|est|es|és|é|è|er|är|on|to|jest|je|este|adalah|là|это|είναι|هي|هو|changed to|set to|reset to)[ \t]{0,2}:?[ \t]{1,3}|(?:は|が|을|를|는|은|为|為|是|คือ)[ \t]{0,2}[:：]?[ \t]{0,2}(?=[!-~]))/y;
/** `{"name": "API_KEY", "value": "…"}`, `<add key="ApiKey" value="…"/>`, and the same in YAML. */
const VALUE_FIELD = /["']?[ \t]{0,2},?\s{0,24}["']?value["']?[ \t]{0,3}[:=][ \t]{0,3}/y;
const PROSE = /[ \t]{1,16}(?!is|was|will|es|changed|set|reset|value)[a-z\d]/y;
const PAIR = /["'`][ \t]?,[ \t]{0,4}(?=["'`])/y;
const CALL = /\([ \t]?(?=["'`])/y;
const BLANK = /[ \t]{1,3}/y;
/** A heading or a form: the word ends its line, and the value is alone on the next. */
const NEXT_LINE = /(?:[ \t][^\n.!?;=:]{1,48}(?=:))?[ \t*_`:"]{0,6}(?:\r?\n[ \t>*-]{0,8}){1,2}/y;
/** Some words in between: `password for the db is …`, `API key (staging): …`. */
const DISTANT =
  /,?[ \t][^\n.!?;=:]{1,48}?(?:[ \t](?:is|ist|est|es|è|é|är|er|jest|je)[ \t]|;? it['’]s(?: now)?[ \t]|:|=|->|→)[ \t]{0,3}/y;
/** A few plain words before the last word of the line: `the password of the shop Zx81-spectrum`. */
const LAST = new RegExp(`(?:[ \\t]+[${LETTER}]{1,15}){1,4}[ \\t]+(?=[^\\s]{8,64}[ \\t]*(?:\\n|$))`, 'y');
/** A shell or a Dockerfile assigns what follows. */
const SETS = /(?:^|[\n;&|] ?)\s*(?:setenv|set -\w+|ENV|ARG|export) +$/;
/** `… is the admin password`: what joins the value to the word, and the words between. */
const JOINTS = [' is ', ' as ', ' was ', ' for ', ' at ', ' into ', ' = ', ' ('];
/** A name with a version: "node18x for the login", "argon2id as password hash", but also "hunter2x is the password for it". */
const VERSION = /^[a-z]+\d+[a-z]{1,3}\d?$/;
const WIDEST_HEAD = 400;
const LONGEST_TABLE = 8000;
/** What is beside a word, but has a kind of its own: `the password in commit 98ad8866`. */
const NAMED = /\b(?:commit|revision|sha|field|column|branch|ticket) $/i;
const FEW_WORDS = /^(?:[A-Za-z]{1,15}[ \t]){0,4}$/;
/** `login: sam / …`, `creds admin:…`. */
const PAIRED = /[^\n]{0,16}?(?:^|[ \t:=("'`])[\w.@+-]{1,64}["'`]?[ \t]?[:/][ \t]?["'`]?(?=\S)/y;

/** Without one of these no value nearby is a secret. */
const DIGIT_OR_SIGN = /[\d!@#$%^&*+=?]/;
const UNBROKEN = /[\w+/=.~-]{16,80}/g;

/** The end of a sticky pattern's match at an offset; -1 if it does not match. */
function matchEnd(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function readRestOfLine(text: string, from: number): string {
  const window = text.slice(from, from + 160);
  const lineEnd = window.search(/[\r\n]/);
  return lineEnd < 0 ? window : window.slice(0, lineEnd);
}

/**
 * Secrets beside a word that indicates one: `DB_PASSWORD=…`, `the password is …`.
 * @param lower the text in lower case, of the same length
 */
export function findMentioned(text: string, lower: string): Candidate[] {
  const found: Candidate[] = [];
  const read = createValueReader(text);

  for (const mention of findMentions(text, lower)) {
    const values = [findAssigned(mention, text, lower, read), ...findInColumn(mention, text)];
    if (mention.group !== 'random')
      values.push(values[0] ?? findNearby(mention, text, read), findValueBefore(mention, text));

    for (const value of values)
      if (value !== null && !NAMED.test(text.slice(Math.max(0, value.start - 12), value.start)))
        found.push({ kind: mention.kind, start: value.start, end: value.end, rank: 1 });
  }

  return found;
}

type ReadValue = (offset: number) => Value | null;

function findAssigned(mention: Mention, text: string, lower: string, read: ReadValue): Value | null {
  const { end, nameStart, group, constant } = mention;
  const readSecret = (offset: number): Value | null => {
    const value = read(offset);
    if (value === null) return null;
    const after = readRestOfLine(text, value.end);
    return isAssignedSecret(value, group, constant, after) ? extendPhrase(value, group, text, after) : null;
  };

  const before = text.slice(Math.max(0, nameStart - 24), nameStart);
  const isProse = matchEnd(PROSE, lower, end) >= 0;
  if (!isProse) {
    const assigned = Math.max(matchEnd(VALUE_FIELD, lower, end), matchEnd(ASSIGN, text, end));
    if (assigned >= 0) return readSecret(assigned);
  }

  if (text.startsWith('-', nameStart) || SETS.test(before)) {
    const value = readSecret(matchEnd(BLANK, text, end));
    if (value !== null) return value;
  }

  if (isProse) return null;

  if (before.endsWith('<') && text.charAt(end) === '>') {
    const content = readSecret(end + 1);
    return content !== null && text.startsWith('</', content.end) ? content : null;
  }

  const stated = readSecret(matchEnd(IS, text, end));
  if (stated !== null) return stated;

  const value = read(Math.max(matchEnd(PAIR, text, end), matchEnd(CALL, text, end)));
  if (value === null || isHarmless(value) || isName(value.text) || /\s/.test(value.text)) return null;

  return isMixed(value.text) || /[^\w.-]/.test(value.text) ? value : null;
}

/** A passphrase of several plain words extends to the end of its line. */
function extendPhrase(value: Value, group: WordClass, text: string, after: string): Value {
  if (value.quoted || group !== 'password') return value;
  const words = PHRASE_REST.exec(after);
  if (words === null || !ONLY_LETTERS.test(value.text)) return value;
  const end = value.end + words[0].length;
  return { ...value, end, text: text.slice(value.start, end) };
}

function findNearby(mention: Mention, text: string, read: ReadValue): Value | null {
  const { start, end, group } = mention;
  if (!DIGIT_OR_SIGN.test(text.slice(end, end + 160))) return null;

  if (group === 'code') {
    const direct = read(matchEnd(BLANK, text, end));
    return direct !== null && /^\d{6,8}$/.test(direct.text) ? direct : null;
  }

  const nearby: (Value | null)[] = [];
  if (group === 'password') nearby.push(read(matchEnd(BLANK, text, end)));

  if (group === 'password' || group === 'key') {
    const distant = read(matchEnd(DISTANT, text, end));
    const below = read(matchEnd(NEXT_LINE, text, end));
    const isAlone = below !== null && /^[\s.,;:!?)\]}|`"'*]*$/.test(readRestOfLine(text, below.end));
    if (isAlone && isChosen(below) && (group === 'password' || below.text.length >= 12)) return below;

    if (group === 'password') nearby.push(distant);
    else if (distant !== null && distant.text.length >= 12 && isMixed(distant.text)) nearby.push(distant);
  }

  if (group === 'password') {
    const last = read(matchEnd(LAST, text, end));
    if (last !== null && !/^[A-Za-z]+(?:\d{1,3}[a-z]*)?$/.test(last.text) && !isName(last.text))
      nearby.push(last);
  }

  if (group === 'password' || /cred/i.test(text.slice(start, end))) {
    const paired = matchEnd(PAIRED, text, end);
    if (paired >= 0 && !REFERENCE.test(text.slice(end, paired))) nearby.push(read(paired));
  }

  const chosen = nearby.find((value) => value !== null && isChosen(value));
  if (chosen) return chosen;

  for (const match of readRestOfLine(text, end).slice(0, 80).matchAll(UNBROKEN)) {
    const value = read(end + match.index);
    if (value !== null && isRandom(value.text)) return value;
  }

  return null;
}

const PHRASE_REST = new RegExp(`^(?: [${LETTER}]{3,12}){2,9}(?=[ \\t]*$)`);
const ONLY_LETTERS = new RegExp(`^[${LETTER}]+$`);

function findValueBefore(mention: Mention, text: string): Value | null {
  const from = Math.max(0, mention.nameStart - 200);
  const window = text.slice(from, mention.nameStart);
  const joint = Math.max(...JOINTS.map((word) => window.lastIndexOf(word)));
  const word = JOINTS.find((each) => window.startsWith(each, joint)) ?? '';
  if (joint < 0 || !FEW_WORDS.test(window.slice(joint + word.length))) return null;
  if (word === ' (' && text.charAt(mention.end) !== ')') return null;

  const value = /[^\s"'`(),;:]{6,128}(?=["'`]?,?$)/.exec(window.slice(Math.max(0, joint - 132), joint))?.[0];
  if (value === undefined) return null;

  const start = from + window.lastIndexOf(value, joint);
  const candidate: Value = { start, end: start + value.length, text: value, quoted: false };
  if (mention.group === 'token' || mention.group === 'code') return isRandom(value) ? candidate : null;
  // A program assigns to names and members, which have few digits.
  const isAssignment = /[._$[\]]/.test(value) || !/[!@#%^&*+?~]|\d\D*\d\D*\d/.test(value);
  if (word === ' = ' && isAssignment) return null;

  const next = /^ ([a-z]+)/.exec(readRestOfLine(text, mention.end))?.[1] ?? 'for';
  if (VERSION.test(value) && !(/^ (?:is|as|=)/.test(word) && FUNCTION_WORDS.has(next))) return null;

  return isChosen(candidate) && !isName(value) ? candidate : null;
}

/** The values below a word that heads a column, in Markdown, CSV or what a database prints. */
function findInColumn({ group, nameStart, end }: Mention, text: string): Value[] {
  const lines = text.slice(Math.max(0, nameStart - WIDEST_HEAD), nameStart).split('\n');
  const [before = '', above = ''] = lines.reverse();
  const [, after, headEnd] = /^["'`*]{0,2} {0,40}(?:([|,;\t])|(\r?\n))/.exec(text.slice(end, end + 48)) ?? [];
  const separator = after ?? (headEnd && /([|,;\t])[^|,;\t]*$/.exec(before)?.[1]);
  // A row of the table is no head, but a sentence above it may have a comma.
  const isRow = above.includes(separator ?? '\n') && !/[,;]\s/.test(above);
  if (separator === undefined || before.length === WIDEST_HEAD || isRow) return [];

  const tableEnd = new RegExp(`\\n(?![^\\n]*[${separator}]|[ +-]+\\r?\\n)`);
  const [table = ''] = text.slice(nameStart, nameStart + LONGEST_TABLE).split(tableEnd, 1);
  if (/^[^\n]*[,;](?:\s|$)/.test(before + table)) return [];

  const others = `\n(?:[^\\n${separator}]*[${separator}]){${before.split(separator).length - 1}}`;
  const cell = `["'\`* ]{0,40}([^\\s${separator}]{5,128}?)["'\`*]{0,3} {0,40}(?:[${separator}\\r]|$)`;
  const rows = [...table.matchAll(new RegExp(others + cell, 'gm'))];
  return rows.flatMap(({ 0: row, 1: value = '', index }) => {
    const start = nameStart + index + row.lastIndexOf(value);
    const candidate = { start, end: start + value.length, text: value, quoted: false };
    return (group === 'password' ? isChosen(candidate) : isRandom(value)) ? candidate : [];
  });
}
