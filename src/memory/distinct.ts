import { termsOf } from './terms.ts';

/** Two passages that share this part of their terms say the same. */
const SAME = 0.8;

/** Remembers what was said, to keep a list of lines free of repeats. */
export class Distinct {
  readonly #said: ReadonlySet<string>[] = [];

  /** @param shown lines the reader already has before them */
  constructor(shown: readonly string[] = []) {
    for (const line of shown) {
      const terms = new Set(termsOf(line));
      if (terms.size > 0) this.#said.push(terms);
    }
  }

  /** True when the text says something new, which is then remembered. */
  add(text: string): boolean {
    const terms = new Set(termsOf(text));
    for (const said of this.#said) {
      let shared = 0;
      for (const term of terms) if (said.has(term)) shared++;
      // Both ways: a part of a line that was shown is a repeat, and so is a line with one word more.
      if (shared >= SAME * terms.size && (shared >= SAME * said.size || terms.size <= said.size))
        return false;
    }
    this.#said.push(terms);
    return true;
  }
}
