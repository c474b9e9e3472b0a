import { messageOf, misuse, type ScratchpadError } from '../base/errors.ts';

const LONGEST = 1000;
/** The engine unrolls repeat counts: their sum bounds the cost of compiling a pattern. */
const MOST_REPEATS = 1000;

/**
 * Worst-case time of the engine per character and instruction of its program; most patterns take a hundredth.
 * Lines are cut so that no single match attempt takes longer than this.
 */
const NS_A_STEP = 60;
const LONGEST_LOOK_NS = 3e9;
const LONGEST_PIECE = 1024 * 1024;

export interface Pattern {
  test(line: string): boolean;
  /** Where the first match starts, in code units; -1 if there is none. */
  find(line: string): number;
  /** Code units of a line to match at once: a longer line is searched in pieces. */
  longest: number;
}

/**
 * Compiles a regular expression for an engine whose time is linear in the text, whatever the pattern (RE2
 * syntax: no backreferences, no lookaround).
 * @throws ScratchpadError `usage` for a pattern that it does not support
 */
export async function compilePattern(pattern: unknown, ignoreCase = false): Promise<Pattern> {
  if (typeof pattern !== 'string' || pattern === '') throw invalid('it is empty', pattern);
  if (pattern.length > LONGEST) throw invalid(`it is longer than ${LONGEST} characters`, pattern);
  if (!ignoreCase && /^[^\\^$.|?*+()[\]{}]+$/.test(pattern)) return literalPattern(pattern);
  const repeats = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)];
  const unrolled = repeats.reduce((sum, [, low, high]) => sum + Math.max(Number(low), Number(high ?? 0)), 0);
  if (unrolled > MOST_REPEATS)
    throw invalid(`its repeat counts add up to more than ${MOST_REPEATS}`, pattern);
  // Loaded only here: it takes 17 ms.
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return {
      test: (line) => compiled.test(line),
      find: (line) => {
        const matcher = compiled.matcher(line);
        return matcher.find() ? matcher.start() : -1;
      },
      longest: Math.min(LONGEST_PIECE, Math.floor(LONGEST_LOOK_NS / NS_A_STEP / compiled.programSize())),
    };
  } catch (error) {
    throw invalid(messageOf(error), pattern);
  }
}

function literalPattern(text: string): Pattern {
  return {
    test: (line) => line.includes(text),
    find: (line) => line.indexOf(text),
    longest: LONGEST_PIECE,
  };
}

function invalid(why: string, pattern: unknown): ScratchpadError {
  return misuse(`not a valid regular expression: ${why}`, {
    where: 'regex',
    expected: 'RE2 syntax, without backreferences and lookaround',
    found: typeof pattern === 'string' ? pattern : typeof pattern,
    next: 'put a backslash before literal characters: \\. \\( \\[',
  });
}
