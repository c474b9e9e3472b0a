import { HitReader } from '../hits.ts';
import type { MemoryHit, MemoryOptions } from '../types.ts';
import type { Similar } from './similar.ts';

/** Reads each passage from its file; passages that changed since they got their vector are left out. */
export function readHits(
  near: readonly Similar[],
  options: MemoryOptions,
): { hit: MemoryHit; standsOut: number }[] {
  const reader = new HitReader(options);
  return near.flatMap(({ path, place, similarity, standsOut }) => {
    const hit = reader.at(path, place, similarity);
    return hit === undefined ? [] : [{ hit, standsOut }];
  });
}
