import { compiled } from '../text/compile-patterns.ts';
import { wordList } from '../text/word-list.ts';

/**
 * Words of which every remark on the answers has one (the strict table of `phrases.ts`; a test holds one
 * against the other). Nine messages in ten have none: then the table, which takes
 * milliseconds to compile, is not made. A set, because as a pattern they take one and a half of them.
 */
const HINTS = new Set(
  wordList(`answer answering gist apologetic apologising apologizing before blunt brief briefer brilliant casual cautious
chase chatty cheerful chirpy clear cold complimenting concise condescending curt cute detailed direct effusive emoji
emojis enthusiastic essay essays excellent explain explaining fantastic flattering flattery flippant formal friendlier
fuller good great harsh hedging helpful jokes jokey joking kinder lecture lectures lengthy less lighten long longer love
monologue monologues nice nicer niceties novel novels patronising patronizing perfect playful pleasantries point polite
praising preamble preambles professional puns question rambling repeat repeating rephrase rephrasing restate restating
right rude answers replies responses messages explanations summaries reports serious short shorter small fluff
spare stiff straight straightforward succinct sugar sugarcoat sugarcoating summarising summarizing sycophancy telling
terse thanking thesis tight tl tldr too verbose waffling wall walls warmer wordy writing saying`),
);
const WORD = /[a-z0-9_]+/g;

/** Whether a text may hold a remark on the answers. */
export function mayBeFeedback(text: string): boolean {
  const lower = text.toLowerCase();
  const pattern = compiled(WORD);
  pattern.lastIndex = 0;
  for (let word = pattern.exec(lower); word !== null; word = pattern.exec(lower)) {
    if (HINTS.has(word[0])) return true;
  }
  return false;
}
