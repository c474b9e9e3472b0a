import type { Saturation } from './arithmetic.ts';
import type { RankWeights } from './weights.ts';

/** Shares of a mention, in 256ths. A plain object and function: a call to a private method costs a cold loop more. */
export interface Near {
  before1: number;
  before2: number;
  after1: number;
  after2: number;
}

/** Mentions this far apart have no passage around them in common. */
export const APART = 5;

export function nearOf({ before1, before2, after1, after2 }: RankWeights): Near {
  return {
    before1: Math.round(before1 * 256),
    before2: Math.round(before2 * 256),
    after1: Math.round(after1 * 256),
    after2: Math.round(after2 * 256),
  };
}

/** Adds a mention to a passage and its share to the neighbours in the same file. */
export function spread(
  mentions: Int32Array,
  near: Near,
  id: number,
  count: number,
  start: number,
  end: number,
): void {
  mentions[id] = (mentions[id] ?? 0) + count;
  if (id + 1 < end) mentions[id + 1] = (mentions[id + 1] ?? 0) + ((near.before1 * count) >> 8);
  if (id + 2 < end) mentions[id + 2] = (mentions[id + 2] ?? 0) + ((near.before2 * count) >> 8);
  if (id - 1 >= start) mentions[id - 1] = (mentions[id - 1] ?? 0) + ((near.after1 * count) >> 8);
  if (id - 2 >= start) mentions[id - 2] = (mentions[id - 2] ?? 0) + ((near.after2 * count) >> 8);
}

/** What a mention that stands apart adds to the scores of its passage and of those around it. */
export interface Shares extends Near {
  count: number;
  own: number;
}

export function sharesOf(count: number, near: Near, saturation: Saturation, scale: number): Shares {
  const worth = (mentions: number): number => saturation.times(scale, mentions);
  return {
    count,
    own: worth(count),
    before1: worth((near.before1 * count) >> 8),
    before2: worth((near.before2 * count) >> 8),
    after1: worth((near.after1 * count) >> 8),
    after2: worth((near.after2 * count) >> 8),
  };
}

/** As spreading and saturating, for a mention of a term with no other within `APART`: most are. */
export function addApart(scores: Int32Array, shares: Shares, id: number, start: number, end: number): void {
  scores[id] = (scores[id] ?? 0) + shares.own;
  if (id + 1 < end) scores[id + 1] = (scores[id + 1] ?? 0) + shares.before1;
  if (id + 2 < end) scores[id + 2] = (scores[id + 2] ?? 0) + shares.before2;
  if (id - 1 >= start) scores[id - 1] = (scores[id - 1] ?? 0) + shares.after1;
  if (id - 2 >= start) scores[id - 2] = (scores[id - 2] ?? 0) + shares.after2;
}
