import { wordsOf } from './terms.ts';

/** Two passages that share this fraction of their words count as the same. */
const SAME = 0.8;

/** Remembers lines, to keep a list free of repeats. */
export class Distinct {
  readonly #said: ReadonlySet<string>[] = [];

  /** @param shown lines the reader already has */
  constructor(shown: readonly string[] = []) {
    for (const line of shown) {
      const words = new Set(wordsOf(line));
      if (words.size > 0) this.#said.push(words);
    }
  }

  /** True if the text says something new, which is then remembered. */
  add(text: string): boolean {
    const words = new Set(wordsOf(text));
    for (const said of this.#said) {
      let shared = 0;
      for (const word of words) if (said.has(word)) shared++;
      // Checked both ways: part of a shown line is a repeat, and so is a line with one more word.
      if (shared >= SAME * words.size && (shared >= SAME * said.size || words.size <= said.size))
        return false;
    }
    this.#said.push(words);
    return true;
  }
}
