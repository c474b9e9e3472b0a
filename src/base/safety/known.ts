import { compilePattern } from '../text/strings.ts';
import { findMentioned } from './keyword-rules.ts';
import {
  BESIDE_KEY,
  BESIDE_KEY_UNSPACED,
  type Check,
  IBAN_LENGTHS,
  ID_NAME,
  listProviders,
  listShapes,
} from './tables.ts';
import {
  type Candidate,
  isChosen,
  isEncodedPair,
  isExample,
  isIdentifier,
  isMixed,
  isOptionValue,
  isPlaceholder,
  isRandom,
  isWords,
  makeUnquoted,
} from './value.ts';

interface Provider {
  kind: string;
  rest: RegExp;
}

interface Tables {
  prefix: RegExp;
  providers: ReadonlyMap<string, readonly Provider[]>;
  shapes: readonly { kind: string; pattern: RegExp; check: Check }[];
}

let cachedTables: Tables | undefined;

function loadTables(): Tables {
  if (cachedTables !== undefined) return cachedTables;

  const providers = new Map<string, Provider[]>();
  for (const { kind, prefixes, rest } of listProviders()) {
    const provider = { kind, rest: new RegExp(rest, 'y') };
    for (const prefix of prefixes.split(' '))
      providers.set(prefix, [...(providers.get(prefix) ?? []), provider]);
  }

  // In reverse order a longer prefix precedes its own beginnings, so the longest is found.
  const alternatives = [...providers.keys()].sort().reverse();
  cachedTables = {
    prefix: compilePattern(
      new RegExp(`(?<![A-Za-z])(?:${alternatives.join('|').replace(/[.$]/g, '\\$&')})`, 'g'),
    ),
    providers,
    shapes: listShapes().map(({ pattern, ...rule }) => ({
      ...rule,
      pattern: compilePattern(new RegExp(pattern, 'g')),
    })),
  };

  return cachedTables;
}

function findProviders(text: string): Candidate[] {
  const { prefix, providers } = loadTables();
  const found: Candidate[] = [];
  let searchedTo = 0;

  for (const { 0: opening, index: start } of text.matchAll(prefix)) {
    const before = text.charAt(start - 1);
    // A short prefix occurs by chance in a run of base64.
    const isByChance = /[_-]/.test(before)
      ? opening.length <= 3
      : /\d/.test(before) && !/.{4}[-_.]$/.test(opening);
    if (start < searchedTo || isByChance) continue;

    // If a longer prefix does not fit, a shorter one that it begins with may: `sk-proj-` and `sk-`.
    for (let length = opening.length; length > 1; length--) {
      const provider = providers.get(opening.slice(0, length))?.find(({ rest }) => {
        rest.lastIndex = start + length;
        return rest.test(text);
      });
      if (provider === undefined) continue;

      const end = provider.rest.lastIndex;
      const token = text.slice(start, end);
      if (isWords(token) || isExample(token)) continue;

      found.push({ kind: provider.kind, start, end, rank: 3 });
      searchedTo = end;
      break;
    }
  }

  return found;
}

/** A run without blanks that may contain a token of an unknown provider: `acme_live_8fJ…`. */
const RUN = /(?<![\w.~+/%@#-])[A-Za-z0-9][\w.~-]{19,400}={0,2}(?![\w.~+/=%-])/g;
/** A short name, perhaps `live`, `v1` or a region, then the random part: long, or shorter after a word for a key. */
const PREFIXED =
  /^([A-Za-z][A-Za-z0-9]{1,15})[-_.](?:(?:[A-Za-z0-9]{1,12}[-_.]){0,3}?(?=[\w.~-]*?([A-Za-z0-9]{24,}))|(?:[a-z0-9]{1,8}_)?(?:[a-z]?[aprs]?at|live|prod|secret|sk|key|token|tok|api|auth|bot)[-_](?=([A-Za-z0-9]{16,})))/;
function findUnlisted(text: string): Candidate[] {
  const found: Candidate[] = [];
  for (const { 0: run, index: start } of text.matchAll(RUN)) {
    const [, name = '', long, short] = PREFIXED.exec(run) ?? [];
    const body = long ?? short ?? '';
    if (name === '' || ID_NAME.test(name) || isIdentifier(body) || !isRandom(body)) continue;
    found.push({ kind: 'token', start, end: start + run.length, rank: 0 });
  }

  return found;
}

/** @param isGroup whether the secret is a group of the pattern, which may match a place to fill in */
function passesCheck(secret: string, check: Check, isGroup: boolean): boolean {
  if (isExample(secret)) return false;
  if (isGroup && /^(?:[$#]\{|\$[A-Za-z_(]|<|\*{3}|\{\{|\[redacted)/.test(secret)) return false;
  if (check === 'mixed') return isMixed(secret);
  if (check === 'random') return isRandom(secret) || (isIdentifier(secret) && secret.length >= 32);
  if (check === 'given') return !isPlaceholder(secret);
  if (check === 'chosen')
    return isMixed(secret) && isChosen(makeUnquoted(secret)) && !isWords(secret) && !isIdentifier(secret);
  if (check === 'option') return isOptionValue(secret);

  return check !== 'basic' || isEncodedPair(secret);
}

function findShaped(text: string, lower: string): Candidate[] {
  const found: Candidate[] = [];
  for (const { kind, pattern, check } of loadTables().shapes) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(lower); match !== null; match = pattern.exec(lower)) {
      const end = match.index + match[0].length;
      const start = end - (match[1] ?? match[0]).length;
      if (passesCheck(text.slice(start, end), check, match[1] !== undefined))
        found.push({ kind, start, end, rank: 2 });
      else pattern.lastIndex = Math.max(match.index + 1, start);
    }
  }

  return found;
}

const BEGIN = /-{2,5} ?BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY|SECRET KEY)[A-Z0-9 ]{0,20}-{2,5}/g;

/** PEM and PGP blocks, up to their END line, or if that is missing to the end of the text. */
function findBlocks(text: string): Candidate[] {
  const found: Candidate[] = [];
  let end = 0;

  for (const { 0: line, index: start } of text.matchAll(BEGIN)) {
    if (start < end) continue;

    const closing = /-{2,5} ?END [A-Z0-9 ]{0,60}-{2,5}/g;
    closing.lastIndex = start + line.length;
    const isClosed = closing.test(text);
    end = isClosed ? closing.lastIndex : text.length;
    // Documentation has dots or stars between the lines.
    if (isClosed && !/[A-Za-z0-9+/]{16}/.test(text.slice(start + line.length, end))) continue;

    found.push({ kind: 'private key', start, end, rank: 3 });
  }

  return found;
}

/** Secrets that are recognizable without a word beside them. @param lower the text in lower case, of the same length */
export function findKnown(text: string, lower: string): Candidate[] {
  const unencoded = [findBlocks(text), findProviders(text), findUnlisted(text), findShaped(text, lower)];
  return [...unencoded, findEncoded(text), findBareKeys(text)].flat();
}

/** Runs that may be base64 of a token, in either alphabet, or its bytes in hexadecimal digits. */
const ENCODED = /(?<![\w+/=-])(?:(?:[0-9a-fA-F]{2}){20,1000}|[A-Za-z0-9+/_-]{24,4000}={0,2})(?![\w+/=-])/g;
const PRINTABLE = /^[\x20-\x7e\r\n\t]{16,}$/;

function findEncoded(text: string): Candidate[] {
  const found: Candidate[] = [];
  for (const { 0: run, index: start } of text.matchAll(ENCODED)) {
    const isHex = /^[0-9a-fA-F]+$/.test(run);
    const decoded = Buffer.from(run, isHex ? 'hex' : 'base64').toString('latin1');
    if (!PRINTABLE.test(decoded)) continue;

    const [secret] = [
      ...findBlocks(decoded),
      ...findProviders(decoded),
      ...findMentioned(decoded, decoded.toLowerCase()),
    ];
    if (secret) found.push({ kind: secret.kind, start, end: start + run.length, rank: 2 });
  }

  return found;
}

export const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const BARE_RUN = new RegExp(`${UUID}|[A-Za-z0-9+/=]{32,128}|^[ \\t]*\`\`\`\\w*$`, 'gm');
/** A longer text, or line, with a bare key is not about handing the key over. */
const MOST_BARE = { keys: 3, characters: 600, line: 80 };
const HAS_WORDS = /[\p{L}\p{N}]/u;
/** Samples such as `0000…` have fewer different characters. */
const LEAST_VARIETY = 6;

/** Keys alone in a text or on a line, or with small words only: beside other words each may be the id of something. */
function findBareKeys(text: string): Candidate[] {
  const runs = [...text.matchAll(BARE_RUN)].filter(({ 0: run }) => !run.includes('`') && isKey(run));
  if (runs.length === 0) return [];

  const isWhole = text.length <= MOST_BARE.characters && runs.length <= MOST_BARE.keys;
  const rest = isWhole ? readBeside(text) : undefined;

  return runs
    .filter(({ 0: run, index }) => {
      const beside = rest ?? readBeside(readLine(text, index, index + run.length));
      // A UUID that is all of a text may be an id in a field.
      return beside === 'small words' || (rest === 'nothing' && !run.includes('-'));
    })
    .map(({ 0: run, index: start }) => ({ kind: 'key', start, end: start + run.length, rank: 0 }));
}

function isKey(run: string): boolean {
  const isVaried = /\d/.test(run) && new Set(run).size >= LEAST_VARIETY;
  return (/^(?:0x)?[0-9a-f-]+$/i.test(run) && isVaried) || isRandom(run);
}

/** Whether a text has words beside keys; `undefined` for words that may say what the keys are. */
function readBeside(text: string): 'nothing' | 'small words' | undefined {
  const plain = text.replace(BARE_RUN, ' ').normalize().toLowerCase();
  const words = plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.length === 0) return 'nothing';
  return words.every((word) => BESIDE_KEY.has(word) || BESIDE_KEY_UNSPACED.test(word))
    ? 'small words'
    : undefined;
}

/** The words on the line of a key, or if there are none the line before. */
function readLine(text: string, start: number, end: number): string {
  const linesBefore = text.slice(Math.max(0, start - MOST_BARE.line * 2), start).split('\n');
  const [after = ''] = text.slice(end, end + MOST_BARE.line).split('\n', 1);
  const sameLine = `${linesBefore.pop()} ${after}`;
  const lineBefore = linesBefore.findLast((each) => each.trim() !== '') ?? '';
  const line = HAS_WORDS.test(sameLine) ? sameLine : lineBefore;

  return line.length < MOST_BARE.line ? line : 'a long line';
}

/** Payment cards by issuer, each with its lengths (ISO/IEC 7812 ranges in use). */
const CARDS = new RegExp(
  '^(?:4(?:\\d{12}|\\d{15}|\\d{18})|(?:5[1-5]|2[2-7]|35)\\d{14}|3[47]\\d{13}|3[0689]\\d{12}|' +
    '(?:5[06-8]|6[37])(?:\\d{14}|\\d{16,17})|6[0245]\\d{14,17})$',
);

/** ISO/IEC 7812-1 annex B: every second digit from the right doubled, the sum a multiple of ten. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += i % 2 === 0 ? digit : doubled;
  }

  return sum % 10 === 0;
}

/** ISO 13616: the number rotated by four, letters as 10 to 35, leaves 1 when divided by 97. */
export function passesIban(compact: string): boolean {
  let rest = 0;
  for (const char of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    if (Number.isNaN(value)) return false;
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }

  return rest === 1;
}

const isCard = (digits: string): boolean =>
  CARDS.test(digits) && !/^(\d)\1+$/.test(digits) && passesLuhn(digits);

/** Part of every card number and IBAN: a text without it needs no further check. */
const NUMBERED = /\d{4}|[A-Za-z]\d{2}/;
const CARD = /(?<![\w.,/:=#-])\d{4}(?:[ -]?\d{2,6}){2,4}(?![\w/:-]|[.,]\d)/g;
const IBAN = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{1,4}){3,8}(?![A-Za-z0-9])/g;

export function findPersonal(text: string): Candidate[] {
  const found: Candidate[] = [];
  if (!NUMBERED.test(text)) return found;

  const add = (kind: string, start: number, length: number): number =>
    found.push({ kind, start, end: start + length, personal: true, rank: 2 });

  for (const { 0: run, index } of text.matchAll(CARD))
    if (isCard(run.replace(/\D/g, ''))) add('card number', index, run.length);

  for (const { 0: run, index } of text.matchAll(IBAN)) {
    const length = measureIban(run);
    if (length > 0) add('IBAN', index, length);
  }

  return found;
}

/** Length of the IBAN in the text: the pattern may have run on into the next words. */
function measureIban(text: string): number {
  const wanted = IBAN_LENGTHS.get(text.slice(0, 2).toUpperCase());
  if (wanted === undefined) return 0;

  let end = 0;
  for (let counted = 0; counted < wanted && end < text.length; end++)
    if (!/[ -]/.test(text.charAt(end))) counted++;

  const compact = text.slice(0, end).replace(/[ -]/g, '').toUpperCase();
  const isWhole = !/[A-Z0-9]/i.test(text.charAt(end));

  return compact.length === wanted && isWhole && passesIban(compact) ? end : 0;
}
