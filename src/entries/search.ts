import { getMessage, type ScratchpadError, usageError } from '../base/errors.ts';
import { countCharacters, sliceCharacters } from '../base/text/strings.ts';
import type { EntryMatches, MatchedLine, SearchOptions } from './types.ts';

const LONGEST_PATTERN = 1000;
/** The engine unrolls repeat counts: their sum bounds the cost of compiling. It refuses nested ones above 1,000. */
const MOST_REPEATS = 1000;

/** Code units of a line to match at once, for which the most expensive pattern takes some seconds. */
const LONGEST_PIECE = 64 * 1024;

/** A compiled pattern: returns the index of the first match in a line; -1 if there is none. */
type FindMatch = (line: string) => number;

/**
 * Compiles a regular expression for an engine whose time is linear in the text, whatever the pattern (RE2
 * syntax: no backreferences, no lookaround).
 * @throws ScratchpadError `usage` for a pattern that it does not support
 */
export async function compileSearch(pattern: unknown, ignoreCase = false): Promise<FindMatch> {
  if (typeof pattern !== 'string' || pattern === '') throw invalidPattern('it is empty', pattern);
  if (pattern.length > LONGEST_PATTERN)
    throw invalidPattern(`it is longer than ${LONGEST_PATTERN} characters`, pattern);

  const repeats = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)];
  const unrolled = repeats.reduce((sum, [, low, high]) => sum + Math.max(Number(low), Number(high ?? 0)), 0);
  if (unrolled > MOST_REPEATS)
    throw invalidPattern(`its repeat counts add up to more than ${MOST_REPEATS}`, pattern);

  // Loaded only here: it takes 17 ms.
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return (line) => {
      const matcher = compiled.matcher(line);
      return matcher.find() ? matcher.start() : -1;
    };
  } catch (error) {
    throw invalidPattern(getMessage(error), pattern);
  }
}

const invalidPattern = (why: string, pattern: unknown): ScratchpadError =>
  usageError(`not a valid regular expression: ${why}`, {
    where: 'regex',
    expected: 'RE2 syntax, without backreferences and lookaround',
    found: typeof pattern === 'string' ? pattern : typeof pattern,
    next: 'put a backslash before literal characters: \\. \\( \\[',
  });

const MOST_LINES = 100;
const MOST_MS = 20_000;
/** Most characters of lines to collect, the limit for reading an entry. */
const MOST_TEXT = 30_000;
/** Code units of a long line to show, and how many of them before the match. */
const SHOWN_CHARACTERS = 1000;
const CHARACTERS_BEFORE = 200;
/** How long other work may have to wait for the search. */
const TURN_MS = 50;

/** Collects matches with their context, up to the limits. */
class MatchCollector {
  readonly lines: MatchedLine[] = [];
  matches = 0;
  readonly #limit: number;
  readonly #context: number;
  #before: MatchedLine[] = [];
  #remainingAfter = 0;
  #size = 0;

  constructor({ limit = MOST_LINES, context = 0 }: SearchOptions) {
    this.#limit = Math.min(limit, MOST_LINES);
    this.#context = context;
  }

  get isFull(): boolean {
    return this.matches >= this.#limit || this.#size >= MOST_TEXT;
  }

  addMatch(line: MatchedLine): void {
    for (const each of [...this.#before, line]) this.#add(each);
    this.#before = [];
    this.#remainingAfter = this.#context;
    this.matches += 1;
  }

  addUnmatched(line: MatchedLine): void {
    if (this.#remainingAfter > 0) {
      this.#remainingAfter -= 1;
      this.#add(line);
    } else if (this.#context > 0) this.#before = [...this.#before, line].slice(-this.#context);
  }

  #add(line: MatchedLine): void {
    this.lines.push(line);
    this.#size += line.text.length;
  }
}

/** Searches a text line by line, from the line that holds the offset, and lets other work run in between. */
export async function searchText(
  name: string,
  text: string,
  find: FindMatch,
  options: SearchOptions,
): Promise<EntryMatches> {
  const { offset = 0, maxMs = MOST_MS } = options;
  const collector = new MatchCollector(options);
  let turnStart = Date.now();
  const deadline = turnStart + maxMs;
  let start = findStart(text, sliceCharacters(text, 0, offset).length);
  let number = text.slice(0, start).split('\n').length;

  while (start < text.length) {
    const lineFeed = text.indexOf('\n', start);
    const end = findPieceEnd(text, start, lineFeed === -1 ? text.length : lineFeed);
    const piece = text.slice(start, end);
    const line = end === lineFeed && piece.endsWith('\r') ? piece.slice(0, -1) : piece;
    const now = Date.now();
    const isLate = now > deadline;

    if (now - turnStart > TURN_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      turnStart = Date.now();
    }

    const index = isLate ? -1 : find(line);
    if (isLate || (index >= 0 && collector.isFull)) {
      const nextOffset = countCharacters(text.slice(0, start));
      return { name, lines: collector.lines, matches: collector.matches, nextOffset, nextLine: number };
    }

    if (index >= 0) collector.addMatch({ line: number, text: shortenLine(line, index), match: true });
    else collector.addUnmatched({ line: number, text: shortenLine(line, 0), match: false });

    if (end === lineFeed) number += 1;
    start = end === lineFeed ? lineFeed + 1 : end;
  }

  return { name, lines: collector.lines, matches: collector.matches, nextOffset: null, nextLine: null };
}

/** The start of the line that holds an index; the index itself past the end, or if the line is searched in pieces. */
function findStart(text: string, index: number): number {
  const start = text.slice(0, index).lastIndexOf('\n') + 1;
  return index >= text.length || index - start >= LONGEST_PIECE - 1 ? index : start;
}

/** The end of a line, or of the piece of it to search at once; no character is cut in two. */
function findPieceEnd(text: string, start: number, lineEnd: number): number {
  if (lineEnd - start <= LONGEST_PIECE) return lineEnd;
  const end = start + LONGEST_PIECE;
  return (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end - 1 : end;
}

/** The part of a long line around an index. */
function shortenLine(line: string, index: number): string {
  if (line.length <= SHOWN_CHARACTERS) return line;
  const start = Math.max(0, index - CHARACTERS_BEFORE);
  // A cut may leave half of a surrogate pair.
  const piece = line.slice(start, start + SHOWN_CHARACTERS).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${start > 0 ? '…' : ''}${piece}${start + SHOWN_CHARACTERS < line.length ? '…' : ''}`;
}
