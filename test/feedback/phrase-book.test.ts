import { describe, expect, test } from 'vitest';
import { findPhrases, phraseBook } from '../../src/feedback/phrase-book.ts';
import { tokenize } from '../../src/sentiment/words.ts';

/** What of the text the only phrase of a book matches. */
function matched(phrase: string, text: string): string | undefined {
  const tokens = tokenize(text);
  const [place] = findPhrases(phraseBook(phrase), tokens).values();
  return (
    place &&
    tokens
      .slice(place.start, place.end)
      .map((t) => t.raw)
      .join(' ')
  );
}

describe('phrases', () => {
  test.each([
    ['still broken', 'it is STILL broken', 'STILL broken'],
    ['still|again wrong|broken', 'wrong again, broken', undefined],
    ['you ?are keep|always', 'you keep it', 'you keep'],
    ['you ?are keep|always', 'You are always so', 'You are always'],
    ['so annoy~', 'so annoyingly', 'so annoyingly'],
    ['stop ~ing', 'stop guessing', 'stop guessing'],
    ['told _ twice', 'told you twice', 'told you twice'],
    ['told _ twice', 'told twice', undefined],
    ['in #|five min', 'in 5 min', 'in 5 min'],
    ['in #|five min', 'in five min', 'in five min'],
    ['# am', 'at 4:30 am', '4:30 am'],
    ['great ..3 wrong', 'great that is wrong', 'great that is wrong'],
    ['great ..3 wrong', 'great. It is wrong', undefined],
    ['great ..2 wrong', 'great but it is wrong', undefined],
    ['tired !of', 'tired of this', undefined],
    ['tired !of', 'so tired', 'tired'],
    ['<< no', 'no. no', 'no'],
    ['<< no', 'oh no', undefined],
    ['< no', 'Look. no', 'no'],
    ['works >', 'it works!', 'works'],
    ['works >', 'it works here', undefined],
    ['fun|:)', 'nice ;-)', ';-)'],
    ['🔥', 'prod 🔥', '🔥'],
    ['❤', 'I ❤️ it', '❤️'],
    ['now !', 'now!!', 'now !!'],
    ['you never', 'you *never* listen', 'you * never'],
    ['you never', 'you, never', undefined],
    ['constructor', 'constructor', 'constructor'],
  ])('%s in "%s"', (phrase, text, expected) => {
    expect(matched(phrase, text)).toBe(expected);
  });

  test('a cue counts once, whichever of its phrases are there', () => {
    const book = phraseBook(`
      wrong / broken
      again`);
    expect(findPhrases(book, tokenize('wrong and broken and wrong again')).size).toBe(2);
  });

  test('a phrase that could begin anywhere is refused', () => {
    for (const phrase of ['~ing', '?a', '..3 a', '_ a']) expect(() => phraseBook(phrase)).toThrow(/phrase/);
  });
});
