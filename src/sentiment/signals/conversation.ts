import { readCues, silent } from '../cues.ts';
import { phraseBook } from '../phrases.ts';
import type { ReadMessage, SignalExtractor } from '../types.ts';
import { ownTurns } from './style.ts';

const COMMON = new Set(
  'the a an and or but if of to in on at by for with from as is are was were be do does did have has had will would can could should not no yes this that it i you we they me my your please ok okay just so now'.split(
    ' ',
  ),
);

/** The person says again what they said before. */
export const repetition: SignalExtractor = {
  name: 'repetition',
  moves: { frustration: 0.55, valence: -0.2, urgency: 0.1 },
  extract(messages) {
    const own = ownTurns(messages);
    const last = own.at(-1);
    if (last === undefined) return silent('repetition');
    let best = 0;
    let back = 0;
    for (let i = own.length - 2; i >= 0 && i >= own.length - 6; i--) {
      const before = own[i];
      if (before === undefined) continue;
      const likeness = alike(last, before);
      if (likeness > best) {
        best = likeness;
        back = own.length - 1 - i;
      }
    }
    if (best < 0.5) return silent('repetition');
    const evidence = [
      `${Math.round(best * 100)} % of the words of ${back} message${back === 1 ? '' : 's'} ago`,
    ];
    return { name: 'repetition', score: Math.min(1, best), confidence: 0.6, evidence };
  },
};

/** Each message is compared with those before and after it. */
const contents = new WeakMap<ReadMessage, ReadonlySet<string>>();

function content(message: ReadMessage): ReadonlySet<string> {
  const known = contents.get(message);
  if (known !== undefined) return known;
  const set = new Set<string>();
  for (const word of message.words.slice(0, 200)) if (!COMMON.has(word) && word.length > 1) set.add(word);
  contents.set(message, set);
  return set;
}

/** How far two messages have the same content words, 0 to 1; 0 for fewer than three. */
export function alike(a: ReadMessage, b: ReadMessage): number {
  const words = content(a);
  return words.size < 3 ? 0 : overlap(words, content(b));
}

/** The replies before the last message, in order. */
export function repliesOf(messages: readonly ReadMessage[]): ReadMessage[] {
  return messages.slice(0, -1).filter(({ role, prose }) => role === 'assistant' && prose !== '');
}

/** Jaccard similarity of two sets, 0 to 1. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / (a.size + b.size - shared);
}

const sorry = phraseBook(`
  1  sorry|apology|apologies|apologize|apologise / my mistake|bad|fault / you're ?absolutely|completely right / you are ?absolutely|completely right / i misunderstood|misread|overlooked / i was wrong / i made a|an mistake|error
`);
const failed = phraseBook(`
  1  unable|couldn't|cannot|can't|failed|unavailable|unsuccessful / was|were|am|is|are not able / could not / didn't work|find / did not work|find / no results|matches|luck / not found|available|possible / went wrong / there was|were an|a|no error|problem|issue / don't|didn't|do|did ?not understand|follow|catch|get / could|can you repeat|rephrase|clarify / not sure what|i|how
`);

/** The reply just before apologised, or told of a failure. */
export const apology: SignalExtractor = {
  name: 'apology before',
  moves: { frustration: 0.4, valence: -0.25 },
  extract(messages) {
    const before = previousReply(messages);
    if (before === undefined) return silent('apology before');
    const regrets = readCues('apology before', sorry(), before, 0.55);
    const fails = readCues('apology before', failed(), before, 0.55);
    if (regrets.score === 0) return { ...fails, score: 0.55 * fails.score };
    return { ...regrets, score: fails.score > 0 ? 1 : 0.7 };
  },
};

/** The assistant's last message before the person's, if nothing of theirs is in between. */
export function previousReply(messages: readonly ReadMessage[]): ReadMessage | undefined {
  for (let i = messages.length - 2; i >= 0; i--) {
    const message = messages[i];
    if (message?.role === 'assistant' && message.prose !== '') return message;
    if (message?.role === 'user') return undefined;
  }
  return undefined;
}
