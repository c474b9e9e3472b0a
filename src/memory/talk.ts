import { wordList } from '../text/word-list.ts';
import { COMMON_TALK } from './common-talk.ts';
import { stem } from './stem.ts';
import { FILLERS } from './words.ts';

let worths: Map<string, number> | undefined;

/**
 * Significance of a stem in conversation with an agent, from its frequency there: 0 for `continue`, 1 for
 * `kubernetes`.
 */
export function worthOf(term: string): number {
  worths ??= readWorths();
  return worths.get(term) ?? 1;
}

function readWorths(): Map<string, number> {
  const out = new Map<string, number>();
  for (const [level, text] of COMMON_TALK.entries())
    for (const term of wordList(text)) out.set(term, level / COMMON_TALK.length);
  for (const filler of FILLERS) out.set(stem(filler), 0);
  return out;
}
