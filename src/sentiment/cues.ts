import { findPhrases, type PhraseBook } from './phrases.ts';
import type { ReadMessage, Signal } from './types.ts';
import type { Token } from './words.ts';

const HEAD = 320;
const TAIL = 160;

/** The part of a long message that cues look at: people say what they feel first or last. */
function cueTokens(tokens: readonly Token[]): readonly Token[] {
  return tokens.length > HEAD + TAIL ? [...tokens.slice(0, HEAD), ...tokens.slice(-TAIL)] : tokens;
}

/** What the phrases of a book say about a message: their weights add as independent evidence (1 - product of 1 - weight). */
export function readCues(
  name: string,
  book: PhraseBook,
  message: ReadMessage | undefined,
  confidence: number,
): Signal {
  if (message === undefined || message.tokens.length === 0) return silent(name);
  const tokens = cueTokens(message.tokens);
  const found = findPhrases(book, tokens);
  if (found.size === 0) return silent(name);
  let miss = 1;
  const evidence: string[] = [];
  for (const [cue, { start, end }] of found) {
    miss *= 1 - cue.weight;
    if (evidence.length < 3) evidence.push(shown(tokens.slice(start, end)));
  }
  return { name, score: 1 - miss, confidence, evidence };
}

/** A signal that found nothing. */
export function silent(name: string): Signal {
  return { name, score: 0, confidence: 0, evidence: [] };
}

const SHOWN = 40;

function shown(tokens: readonly Token[]): string {
  let text = '';
  for (const { raw, kind } of tokens) text += text === '' || kind === 'mark' ? raw : ` ${raw}`;
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
}
