/**
 * A lexicon as bytes: words sorted, each written as the number of leading
 * UTF-16 units it shares with the one before (one character from `0x20`), the
 * rest, and a line feed; and one byte a word for its valence times 30.
 */
export interface PackedLexicon {
  words: Uint8Array;
  ratings: Int8Array;
}

const BASE = 0x20;
const MOST_SHARED = 60;
const SCALE = 30;

export function packLexicon(lexicon: ReadonlyMap<string, number>): PackedLexicon {
  const words = [...lexicon.keys()].filter((w) => !w.includes('\n')).sort();
  let text = '';
  let before = '';
  for (const word of words) {
    let shared = 0;
    while (shared < MOST_SHARED && shared < word.length && word[shared] === before[shared]) shared++;
    text += `${String.fromCharCode(BASE + shared)}${word.slice(shared)}\n`;
    before = word;
  }
  const ratings = Int8Array.from(words, (w) => Math.round((lexicon.get(w) ?? 0) * SCALE));
  return { words: new TextEncoder().encode(text), ratings };
}

export function unpackLexicon({ words, ratings }: PackedLexicon): Map<string, number> {
  const lexicon = new Map<string, number>();
  let before = '';
  let i = 0;
  for (const line of new TextDecoder().decode(words).split('\n')) {
    if (line === '') continue;
    const word = before.slice(0, line.charCodeAt(0) - BASE) + line.slice(1);
    lexicon.set(word, (ratings[i++] ?? 0) / SCALE);
    before = word;
  }
  return lexicon;
}
