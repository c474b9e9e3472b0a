import type { Token } from './words.ts';

/**
 * Technical terms that are unpleasant elsewhere: a killed process, a dead branch and a fatal error say
 * nothing about a mood. The words around them still count.
 */
const TRADE =
  'fail fails failing failed failure failures error errors bug bugs crash crashes crashed crashing kill kills killed killing dead abort aborts aborted aborting exception exceptions invalid missing drop drops dropped dropping delete deletes deleted deleting deprecated dirty fatal warning warnings conflict conflicts conflicting leak leaks leaking hang hangs hanging corrupt corrupted corruption panic panics issue issues problem problems critical severe attack attacks exploit vulnerability orphan orphaned zombie poison illegal undefined null reject rejects rejected rejection denied deny denies block blocked blocking blocks lock locked deadlock interrupt interrupted timeout timeouts flaky debug debugging incorrect unexpected negative lose loses lost loss force forced cancel cancelled canceled stop stops stopped remove removed removing revert reverted undo exclude worst';

let words: Set<string> | undefined;

/** The tokens with technical terms made neutral; the same array if there are none. */
export function withoutTrade(tokens: readonly Token[]): readonly Token[] {
  words ??= new Set(TRADE.split(' '));
  const set = words;
  if (!tokens.some((t) => t.kind === 'word' && set.has(t.lower))) return tokens;
  return tokens.map((t) => (t.kind === 'word' && set.has(t.lower) ? NEUTRAL : t));
}

const NEUTRAL: Token = { raw: 'thing', lower: 'thing', kind: 'word' };
