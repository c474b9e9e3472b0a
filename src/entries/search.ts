import { getMessage, type ScratchpadError, usageError } from '../base/errors.ts';
import { countCharacters, sliceCharacters } from '../base/text/strings.ts';
import type { EntryMatches, MatchedLine, SearchOptions } from './types.ts';

const LONGEST_PATTERN = 1000;
/** The engine unrolls repeat counts: their sum bounds the cost of compiling a pattern. */
const MOST_REPEATS = 1000;

/** Code units of a line to match at once: the most expensive pattern takes some seconds for so many. */
const LONGEST_PIECE = 64 * 1024;

/** A compiled pattern: where the first match starts in a line, in code units; -1 if there is none. */
type Pattern = (line: string) => number;

/**
 * Compiles a regular expression for an engine whose time is linear in the text, whatever the pattern (RE2
 * syntax: no backreferences, no lookaround).
 * @throws ScratchpadError `usage` for a pattern that it does not support
 */
export async function compileSearch(pattern: unknown, ignoreCase = false): Promise<Pattern> {
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

function invalidPattern(why: string, pattern: unknown): ScratchpadError {
  return usageError(`not a valid regular expression: ${why}`, {
    where: 'regex',
    expected: 'RE2 syntax, without backreferences and lookaround',
    found: typeof pattern === 'string' ? pattern : typeof pattern,
    next: 'put a backslash before literal characters: \\. \\( \\[',
  });
}

const MOST_LINES = 100;
const MAX_MS = 20_000;
/** Total characters of lines to collect; the same limit as for reading an entry. */
const MOST_TEXT = 30_000;
/** How much of a long line to show, in code units, and how much of that before the match. */
const SHOWN = 1000;
const SHOWN_BEFORE = 200;
/** How long other work may have to wait for the search. */
const TURN_MS = 50;

/** Searches a text line by line, from the line that holds the offset, and lets other work run in between. */
export async function searchText(
  name: string,
  text: string,
  find: Pattern,
  { offset = 0, context = 0, limit = MOST_LINES, maxMs = MAX_MS }: SearchOptions,
): Promise<EntryMatches> {
  const lines: MatchedLine[] = [];
  let before: MatchedLine[] = [];
  let [matches, after, size] = [0, 0, 0];
  const add = (line: MatchedLine): void => {
    lines.push(line);
    size += line.text.length;
  };
  let turn = Date.now();
  const deadline = turn + maxMs;
  const start = findStart(text, sliceCharacters(text, 0, offset).length);
  let number = text.slice(0, start).split('\n').length;

  for (let from = start; from < text.length; ) {
    const feed = text.indexOf('\n', from);
    const end = feed === -1 ? text.length : feed;
    const cut = findCut(text, from, end);
    const line = text.slice(from, cut === feed && text[feed - 1] === '\r' && feed > from ? feed - 1 : cut);
    const now = Date.now();
    const late = now > deadline;

    if (now - turn > TURN_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      turn = Date.now();
    }

    const at = late ? -1 : find(line);
    if (late || (at >= 0 && (matches >= Math.min(limit, MOST_LINES) || size >= MOST_TEXT))) {
      const nextOffset = countCharacters(text.slice(0, from));
      return { name, lines, matches, nextOffset, nextLine: number };
    }

    const around = { line: number, text: line.slice(0, SHOWN), match: false };
    if (at >= 0) {
      matches += 1;
      before.forEach(add);
      before = [];
      add({ line: number, text: shortenMatch(line, at), match: true });
      after = context;
    } else if (after > 0) {
      after -= 1;
      add(around);
    } else if (context > 0) before = [...before, around].slice(-context);

    if (cut === feed) number += 1;
    from = cut === feed ? feed + 1 : cut;
  }

  return { name, lines, matches, nextOffset: null, nextLine: null };
}

/** Where the line begins that holds an index; the index itself past the end, and in a line of several pieces. */
function findStart(text: string, index: number): number {
  const start = text.slice(0, index).lastIndexOf('\n') + 1;
  return index >= text.length || index - start >= LONGEST_PIECE - 1 ? index : start;
}

/** The end of a line, or of the piece to search at once; no character is cut in two. */
function findCut(text: string, from: number, end: number): number {
  if (end - from <= LONGEST_PIECE) return end;
  const cut = from + LONGEST_PIECE;
  return (text.charCodeAt(cut) & 0xfc00) === 0xdc00 ? cut - 1 : cut;
}

function shortenMatch(line: string, at: number): string {
  if (line.length <= SHOWN) return line;
  const from = Math.max(0, at - SHOWN_BEFORE);
  const piece = line.slice(from, from + SHOWN).toWellFormed();
  return `${from > 0 ? '…' : ''}${piece}${from + SHOWN < line.length ? '…' : ''}`;
}
