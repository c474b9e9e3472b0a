import { messageOf, ScratchpadError } from '../errors.ts';

const LONGEST = 1000;
/** Repeat counts are unrolled by the engine: their sum bounds what compiling a pattern costs. */
const MOST_REPEATS = 1000;

/**
 * What the engine takes for a character and an instruction of its program, at worst; most patterns take a hundredth.
 * With it a line is cut so that no single look at it takes longer than this.
 */
const NS_A_STEP = 60;
const LONGEST_LOOK_NS = 3e9;
const LONGEST_PIECE = 1024 * 1024;

export interface Pattern {
  test(line: string): boolean;
  /** Where the first match starts, in code units; -1 when there is none. */
  find(line: string): number;
  /** Bytes that a match must contain, `undefined` when there are none to look for. */
  literal: Buffer | undefined;
  /** Code units of a line that may be looked at at once: a longer one is searched in pieces. */
  longest: number;
}

/**
 * Compiles a regular expression for an engine that takes time linear in the text, whatever the
 * pattern (RE2 syntax: no backreferences, no lookaround).
 * @throws ScratchpadError `usage` for one that it does not take
 */
export async function compilePattern(pattern: unknown, ignoreCase = false): Promise<Pattern> {
  if (typeof pattern !== 'string' || pattern === '') throw invalid('it is empty', pattern);
  if (pattern.length > LONGEST) throw invalid(`it is longer than ${LONGEST} characters`, pattern);
  if (!ignoreCase && /^[^\\^$.|?*+()[\]{}]+$/.test(pattern)) return literalPattern(pattern);
  const repeats = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)];
  const unrolled = repeats.reduce((sum, [, low, high]) => sum + Math.max(Number(low), Number(high ?? 0)), 0);
  if (unrolled > MOST_REPEATS)
    throw invalid(`its repeat counts add up to more than ${MOST_REPEATS}`, pattern);
  // Loaded only here: 17 ms that nothing else should pay.
  const { RE2JS } = await import('./linear-engine.ts');
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return {
      test: (line) => compiled.test(line),
      find: (line) => {
        const matcher = compiled.matcher(line);
        return matcher.find() ? matcher.start() : -1;
      },
      literal: undefined,
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
    literal: text.isWellFormed() ? Buffer.from(text) : undefined,
    longest: LONGEST_PIECE,
  };
}

function invalid(why: string, pattern: unknown): ScratchpadError {
  return new ScratchpadError('usage', `not a valid regular expression: ${why}`, {
    where: 'regex',
    expected: 'RE2 syntax, without backreferences and lookaround',
    found: typeof pattern === 'string' ? pattern : typeof pattern,
    next: 'put a backslash before literal characters: \\. \\( \\[',
  });
}
