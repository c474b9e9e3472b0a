import type { Related } from '../../src/memory/expand.ts';
import { writeValue } from '../../src/memory/packed.ts';

/** An English stem that says what a word says, and how sure that is, 0 to 1. */
export interface Meaning {
  stem: string;
  trust: number;
}

/** Words with a smaller cosine have nothing to do with each other, and one is worth this much less. */
const LEAST_COSINE = 0.4;
const NO_RELATION = 0.2;
/** The share of a word that means the very same, of the word itself; and the least that counts. */
const SAME_MEANING = 0.8;
const LEAST_SHARE = 0.12;
/** Nearest words of each word, English ones and others: most memories hold one language. */
const MOST = { english: 12, other: 4 };

/**
 * Writes which words mean nearly the same, so that a search reads a list and no vectors.
 *
 * @param vectors of English stems
 * @param meanings of words of other languages
 */
export function writeRelations(
  file: string,
  vectors: ReadonlyMap<string, ArrayLike<number>>,
  meanings: ReadonlyMap<string, readonly Meaning[]>,
): void {
  const stems = [...vectors.keys()];
  const near = findNearStems([...vectors.values()]);
  const all = new Map(stems.map((stem): [string, Meaning[]] => [stem, [{ stem, trust: 1 }]]));
  for (const [word, translated] of meanings) all.set(word, [...(all.get(word) ?? []), ...translated]);

  const meaning = new Map<string, { word: string; trust: number }[]>();
  for (const [word, each] of all)
    for (const { stem, trust } of each) meaning.set(stem, [...(meaning.get(stem) ?? []), { word, trust }]);

  const places = new Map(stems.map((stem, at) => [stem, at]));
  const words = [...all.keys()].sort();
  const numbers = new Map(words.map((word, at) => [word, at]));
  const chosen = words.map(() => new Map<number, number>());

  for (const [number, word] of words.entries()) {
    const found = new Map<string, number>();
    const add = (stem: string, relation: number): void => {
      for (const other of meaning.get(stem) ?? [])
        found.set(other.word, Math.max(found.get(other.word) ?? 0, SAME_MEANING * relation * other.trust));
    };
    for (const { stem, trust } of all.get(word) ?? []) {
      add(stem, trust);
      for (const { at, relation } of near[places.get(stem) ?? -1] ?? [])
        add(stems[at] ?? '', trust * relation);
    }
    found.delete(word);
    const best = [...found].filter(([, share]) => share >= LEAST_SHARE).sort((a, b) => b[1] - a[1]);
    const english = best.filter(([other]) => vectors.has(other)).slice(0, MOST.english);
    const others = best.filter(([other]) => !vectors.has(other)).slice(0, MOST.other);
    for (const [other, share] of [...english, ...others]) {
      const at = numbers.get(other) ?? 0;
      chosen[number]?.set(at, share);
      // A common word has many near ones, and is the nearest of some that it does not list.
      chosen[at]?.set(number, share);
    }
  }

  const [ends, ids, shares] = [[] as number[], [] as number[], [] as number[]];
  for (const relations of chosen) {
    for (const [at, share] of [...relations].sort((a, b) => b[1] - a[1])) {
      ids.push(at);
      shares.push(Math.round(255 * share));
    }
    ends.push(ids.length);
  }

  let end = 0;
  const related: Related = {
    words: { text: words.join(''), ends: Uint32Array.from(words, ({ length }) => (end += length)) },
    ends: Uint32Array.from(ends),
    ids: Uint16Array.from(ids),
    shares: Uint8Array.from(shares),
  };
  writeValue(file, related);
  console.log(`${words.length} words, ${ids.length} relations`);
}

function findNearStems(rows: readonly ArrayLike<number>[]): { at: number; relation: number }[][] {
  const units = rows.map((row) => {
    const length = Math.hypot(...Array.from(row)) || 1;
    return Float32Array.from(row, (value) => value / length);
  });
  const near = units.map((): { at: number; relation: number }[] => []);
  for (const [a, one] of units.entries())
    for (let b = 0; b < a; b++) {
      const other = units[b] as Float32Array;
      let cosine = 0;
      for (let d = 0; d < one.length; d++) cosine += (one[d] as number) * (other[d] as number);
      if (cosine < LEAST_COSINE) continue;
      const relation = (cosine - NO_RELATION) / (1 - NO_RELATION);
      near[a]?.push({ at: b, relation });
      near[b]?.push({ at: a, relation });
    }
  return near;
}
