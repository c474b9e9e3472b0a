import { rollText } from '../text/hash.ts';

/** Valences of words, -4 to 4; a `Map` can be used as one. */
export interface Lexicon {
  get(word: string): number | undefined;
  has(word: string): boolean;
}

/**
 * A lexicon as stored in a file: 32-bit hashes of its words, ascending, and one byte per word for its valence
 * times 30.
 */
export interface PackedLexicon {
  hashes: Uint32Array;
  ratings: Int8Array;
}

export const SCALE = 30;

/**
 * Looks words up by their hash, so that nothing has to be parsed first. One in some 500,000 words outside the
 * lexicon gets the rating of another word; English has fewer.
 */
export class HashedLexicon implements Lexicon {
  private readonly packed: PackedLexicon;

  constructor(packed: PackedLexicon) {
    this.packed = packed;
  }

  get(word: string): number | undefined {
    const { hashes, ratings } = this.packed;
    const hash = rollText(word) >>> 0;
    let low = 0;
    let high = hashes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((hashes[middle] ?? 0) < hash) low = middle + 1;
      else high = middle;
    }
    return hashes[low] === hash ? (ratings[low] ?? 0) / SCALE : undefined;
  }

  has(word: string): boolean {
    return this.get(word) !== undefined;
  }
}
