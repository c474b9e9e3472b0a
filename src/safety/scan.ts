import { anyOf } from './any-of.ts';
import type { Candidate } from './finding.ts';
import { PREFIXES, SHORTEST_PREFIXED } from './prefixes.ts';
import { type Check, SHAPES } from './shapes.ts';
import { isMixed, readsAsName } from './value.ts';

interface Tail {
  kind: string;
  prefix: string;
  rest: string;
  pattern?: RegExp;
}

interface Shape {
  kind: string;
  /** Texts that occur one after the other wherever the pattern matches, in one of these ways. */
  hints: string[][];
  source: string;
  check: Check;
  pattern?: RegExp;
}

interface Shapes {
  /** Finds the first part of every hint. */
  openings: RegExp;
  /** By the first part of a hint, the places of its shapes in the table. */
  byOpening: ReadonlyMap<string, readonly number[]>;
  all: readonly Shape[];
}

let byStart: Map<string, Tail[]> | undefined;
let shapes: Shapes | undefined;

/** Code units by which a rule is found; no prefix is shorter. */
const START = 2;

/** The rules by the first two characters of their prefix, longest prefix first. */
function rulesByStart(): ReadonlyMap<string, readonly Tail[]> {
  if (byStart !== undefined) return byStart;
  byStart = new Map();
  for (const [kind, prefix, rest] of PREFIXES) {
    const start = prefix.slice(0, START);
    const list = byStart.get(start) ?? [];
    list.push({ kind, prefix, rest });
    byStart.set(start, list);
  }
  for (const list of byStart.values()) list.sort((a, b) => b.prefix.length - a.prefix.length);
  return byStart;
}

/** Where a token may begin: not inside a word, and not at one of the short words that prose is made of. */
const BEGINNING = new RegExp(`(?<![A-Za-z0-9])[A-Za-z0-9](?=\\S{${SHORTEST_PREFIXED - 1}})`, 'g');

/** Tokens with a known beginning. All prefixes in one expression would take a millisecond to compile. */
function findPrefixed(text: string): Candidate[] {
  const rules = rulesByStart();
  const found: Candidate[] = [];
  BEGINNING.lastIndex = 0;
  for (let match = BEGINNING.exec(text); match !== null; match = BEGINNING.exec(text)) {
    const start = match.index;
    const before = text.charAt(start - 1);
    for (const rule of rules.get(text.slice(start, start + START)) ?? []) {
      if (!text.startsWith(rule.prefix, start)) continue;
      // Three characters turn up by chance in a run of base64.
      if (rule.prefix.length <= 3 && (before === '_' || before === '-')) continue;
      rule.pattern ??= new RegExp(rule.rest, 'y');
      rule.pattern.lastIndex = start + rule.prefix.length;
      if (!rule.pattern.test(text)) continue;
      const end = rule.pattern.lastIndex;
      if (readsAsName(text.slice(start, end))) continue;
      found.push({ kind: rule.kind, start, end, rank: 3 });
      BEGINNING.lastIndex = end;
      break;
    }
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

function allShapes(): Shapes {
  if (shapes !== undefined) return shapes;
  const all = SHAPES.map(([kind, hints, source, check]) => {
    return { kind, hints: hints.split('|').map((hint) => hint.split('…')), source, check };
  });
  const byOpening = new Map<string, number[]>();
  all.forEach(({ hints }, index) => {
    for (const [opening = ''] of hints) {
      const known = byOpening.get(opening);
      if (known === undefined) byOpening.set(opening, [index]);
      else known.push(index);
    }
  });
  shapes = { openings: anyOf(byOpening.keys()), byOpening, all };
  return shapes;
}

function occurs(hint: readonly string[], lower: string): boolean {
  let from = 0;
  for (const part of hint) {
    const at = lower.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}

/** The shapes of which a hint occurs, in the order of the table. */
function shapesIn(lower: string): Shape[] {
  const { openings, byOpening, all } = allShapes();
  const near = new Set<number>();
  const seen = new Set<string>();
  openings.lastIndex = 0;
  for (let match = openings.exec(lower); match !== null; match = openings.exec(lower)) {
    const [opening] = match;
    openings.lastIndex = match.index + 1;
    if (seen.has(opening)) continue;
    seen.add(opening);
    // At the place of `login:` only that is found, and `login` is there too.
    for (let length = 1; length <= opening.length; length++) {
      for (const index of byOpening.get(opening.slice(0, length)) ?? []) near.add(index);
    }
  }
  if (near.size === 0) return [];
  return all.filter(({ hints }, index) => near.has(index) && hints.some((hint) => occurs(hint, lower)));
}

/** Secrets known by their shape or by what stands around them. */
function findShaped(text: string, lower: string): Candidate[] {
  const found: Candidate[] = [];
  for (const shape of shapesIn(lower)) {
    const { kind, check } = shape;
    shape.pattern ??= new RegExp(shape.source, 'g');
    const { pattern } = shape;
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
