import { compiled } from '../text/compile-patterns.ts';
import { anyOf } from './any-of.ts';
import type { Candidate } from './finding.ts';
import { type PrefixRule, prefixRules, SHORTEST_PREFIXED } from './prefixes.ts';
import { type Check, SHAPES, type ShapeRule } from './shapes.ts';
import { isMixed, readsAsName } from './value.ts';

interface Hints {
  /** Finds the first part of every hint. */
  openings: RegExp;
  /** By first part, the places of the shapes in the table. */
  shapes: ReadonlyMap<string, readonly number[]>;
}

let byStart: Map<string, PrefixRule[]> | undefined;
let hints: Hints | undefined;
const patterns = new Map<string, RegExp>();

/** A pattern of a table; those that no text asked for are never compiled. */
function patternOf(source: string, flags: 'g' | 'y'): RegExp {
  const known = patterns.get(source) ?? new RegExp(source, flags);
  patterns.set(source, known);
  return known;
}

/** Code units by which a rule is found; no prefix is shorter. */
const START = 2;

/** The rules by the first two characters of their prefix. */
function rulesByStart(): ReadonlyMap<string, readonly PrefixRule[]> {
  if (byStart !== undefined) return byStart;
  byStart = new Map();
  for (const rule of prefixRules()) {
    const start = rule[1].slice(0, START);
    const rules = byStart.get(start);
    if (rules === undefined) byStart.set(start, [rule]);
    else rules.push(rule);
  }
  return byStart;
}

/** Where a token may begin: not inside a word, and not at one of the short words that prose is made of. */
const BEGINNING = new RegExp(`(?<![A-Za-z0-9])[A-Za-z0-9](?=\\S{${SHORTEST_PREFIXED - 1}})`, 'g');

/** Tokens with a known beginning. All prefixes in one expression would take a millisecond to compile. */
function findPrefixed(text: string): Candidate[] {
  const found: Candidate[] = [];
  const beginning = compiled(BEGINNING);
  beginning.lastIndex = 0;
  for (let match = beginning.exec(text); match !== null; match = beginning.exec(text)) {
    const start = match.index;
    const before = text.charAt(start - 1);
    let longest = 0;
    let token: Candidate | undefined;
    for (const [kind, prefix, rest] of rulesByStart().get(text.slice(start, start + START)) ?? []) {
      if (prefix.length <= longest || !text.startsWith(prefix, start)) continue;
      // Three characters turn up by chance in a run of base64.
      if (prefix.length <= 3 && (before === '_' || before === '-')) continue;
      const pattern = patternOf(rest, 'y');
      pattern.lastIndex = start + prefix.length;
      if (!pattern.test(text)) continue;
      const end = pattern.lastIndex;
      if (readsAsName(text.slice(start, end))) continue;
      longest = prefix.length;
      token = { kind, start, end, rank: 3 };
    }
    if (token === undefined) continue;
    found.push(token);
    beginning.lastIndex = token.end;
  }
  return found;
}

function passes(secret: string, check: Check, whole: boolean): boolean {
  if (!whole && /^(?:\$\{?[A-Za-z_(]|<|\*{3}|\{\{|\[redacted)/.test(secret)) return false;
  if (check === 'mixed') return isMixed(secret);
  if (check === 'basic') return /^[\x20-\x7e]{1,256}:[\x20-\x7e]{1,256}/.test(decodeBase64(secret));
  return true;
}

function decodeBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1');
}

function allHints(): Hints {
  if (hints !== undefined) return hints;
  const shapes = new Map<string, number[]>();
  SHAPES.forEach((shape, place) => {
    for (const hint of shape[1].split('|')) {
      const opening = hint.split('…', 1)[0] ?? '';
      const places = shapes.get(opening);
      if (places === undefined) shapes.set(opening, [place]);
      else places.push(place);
    }
  });
  let all = [...shapes.keys()].join('|');
  for (const sign of ['$', '.', '?']) all = all.replaceAll(sign, `\\${sign}`);
  hints = { openings: anyOf(all.split('|')), shapes };
  return hints;
}

function occurs(hint: string, lower: string): boolean {
  let from = 0;
  for (const part of hint.split('…')) {
    const at = lower.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}

/** The shapes of which a hint occurs, in the order of the table. */
function shapesIn(lower: string): ShapeRule[] {
  const { openings, shapes } = allHints();
  const near = new Set<number>();
  const seen = new Set<string>();
  openings.lastIndex = 0;
  for (let match = openings.exec(lower); match !== null; match = openings.exec(lower)) {
    const opening = match[0];
    openings.lastIndex = match.index + 1;
    if (seen.has(opening)) continue;
    seen.add(opening);
    // At the place of `login:` only that is found, and `login` is there too.
    for (let length = 1; length <= opening.length; length++) {
      for (const place of shapes.get(opening.slice(0, length)) ?? []) near.add(place);
    }
  }
  return [...near]
    .sort((a, b) => a - b)
    .flatMap((place) => {
      const shape = SHAPES[place];
      return shape?.[1].split('|').some((hint) => occurs(hint, lower)) ? [shape] : [];
    });
}

/** Secrets known by their shape or by what stands around them. */
function findShaped(text: string, lower: string): Candidate[] {
  const found: Candidate[] = [];
  for (const [kind, , source, check] of shapesIn(lower)) {
    const pattern = patternOf(source, 'g');
    pattern.lastIndex = 0;
    for (let match = pattern.exec(lower); match !== null; match = pattern.exec(lower)) {
      const end = match.index + match[0].length;
      const start = end - (match[1] ?? match[0]).length;
      if (passes(text.slice(start, end), check, match[1] === undefined))
        found.push({ kind, start, end, rank: 2 });
      else pattern.lastIndex = Math.max(match.index + 1, start);
    }
  }
  return found;
}

const BEGIN = /-{2,5} ?BEGIN ([A-Z0-9 ]{0,40})(?:PRIVATE KEY|SECRET KEY)[A-Z0-9 ]{0,20}-{2,5}/g;

/** PEM and PGP blocks, to their END line or, when that is missing, to the end of the text. */
function findBlocks(text: string): Candidate[] {
  const found: Candidate[] = [];
  if (!text.includes('BEGIN ')) return found;
  BEGIN.lastIndex = 0;
  for (let match = BEGIN.exec(text); match !== null; match = BEGIN.exec(text)) {
    const close = /-{2,5} ?END [A-Z0-9 ]{0,60}-{2,5}/g;
    close.lastIndex = BEGIN.lastIndex;
    const end = close.test(text) ? close.lastIndex : text.length;
    found.push({ kind: 'private key', start: match.index, end, rank: 3 });
    BEGIN.lastIndex = end;
  }
  return found;
}

/**
 * Secrets that need no telling word.
 *
 * @param lower the text in lower case, of the same length
 */
export function findKnown(text: string, lower: string): Candidate[] {
  return [...findBlocks(text), ...findPrefixed(text), ...findShaped(text, lower)];
}
