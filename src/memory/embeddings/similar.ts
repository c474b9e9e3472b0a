import { insert } from '../arithmetic.ts';
import type { PassagePlace } from '../segment.ts';
import { type Quantized, similarity } from './quantize.ts';
import type { VectorFile } from './vector-file.ts';

export interface Similar {
  path: string;
  place: PassagePlace;
  /** Cosine of the angle to the query. */
  similarity: number;
  /** How many standard deviations it is closer to the query than the average passage. */
  standsOut: number;
}

/**
 * The passages nearest to a query, nearest first. Reads every vector, and checks the bytes of those it returns.
 *
 * @throws BrokenIndex
 */
export function similarTo(query: Quantized, file: VectorFile, limit: number): Similar[] {
  const top: { passage: number; score: number }[] = [];
  let [sum, squares] = [0, 0];
  for (const { first, vectors } of file.chunks()) {
    const rows = vectors.length / file.dimensions;
    for (let row = 0; row < rows; row++) {
      const score = similarity(query, vectors, row * file.dimensions, file.scales[first + row] ?? 0);
      sum += score;
      squares += score * score;
      if (top.length < limit || score > (top[limit - 1]?.score ?? 0))
        insert(top, { passage: first + row, score }, limit);
    }
  }
  const mean = sum / file.rows;
  const deviation = Math.sqrt(Math.max(0, squares / file.rows - mean * mean));
  return top.map(({ passage, score }) => {
    file.vector(passage);
    const standsOut = deviation === 0 ? 0 : (score - mean) / deviation;
    return { path: pathOf(file, passage), place: file.place(passage), similarity: score, standsOut };
  });
}

function pathOf({ meta }: VectorFile, row: number): string {
  let end = 0;
  for (const { path, rows } of meta.files) {
    end += rows;
    if (row < end) return path;
  }
  return '';
}
