import { Distinct } from '../distinct.ts';
import type { MemoryHit } from '../types.ts';

/** Score of one standard deviation of a passage's vector; the best hit by words has 100. */
const PER_DEVIATION = 6;
/**
 * A passage found only by its vector must be this many standard deviations closer to the query than the average of
 * the memory, because there is always a nearest one.
 */
const LEAST = 5;

/**
 * Merges both lists, without repeats and lines already shown. It adds scores, not ranks: reciprocal rank fusion
 * discards the distance between the best hit and the next, and lost 10 to 18 points of recall
 * (`docs/figures/memory.md`).
 */
export function fused(
  byWords: readonly MemoryHit[],
  byMeaning: readonly { hit: MemoryHit; standsOut: number }[],
  alreadyShown: readonly string[] | undefined,
  limit: number,
  { least, perDeviation }: { least: number; perDeviation: number } = {
    least: LEAST,
    perDeviation: PER_DEVIATION,
  },
): MemoryHit[] {
  const all = new Map<string, MemoryHit>();
  const add = (hit: MemoryHit, term: string, score: number): void => {
    const known = all.get(keyOf(hit)) ?? { ...hit, score: 0, why: [] };
    all.set(keyOf(hit), { ...known, score: known.score + score, why: [...known.why, { term, score }] });
  };
  const best = byWords[0]?.score ?? 1;
  for (const hit of byWords) add(hit, '(words)', (100 * hit.score) / best);
  for (const { hit, standsOut } of byMeaning) {
    if (standsOut >= least || (standsOut > 0 && all.has(keyOf(hit))))
      add(hit, '(meaning)', perDeviation * standsOut);
  }
  const distinct = new Distinct(alreadyShown);
  return [...all.values()]
    .sort((a, b) => b.score - a.score)
    .filter(({ text }) => distinct.add(text))
    .slice(0, limit);
}

function keyOf({ path, line, text }: MemoryHit): string {
  return `${path}:${line}:${text}`;
}
