import { DAY, type DaySpan } from './dates.ts';

/** Parts of one mention, of one unit of score, and of one nat that whole numbers count in. */
export const MENTION = 64;
export const SCORE = 1024;
export const IDF = 4096;
/** Past every passage, and still a small integer. */
export const LAST = 0x3fffffff;

/** Saturation by table: mentions in `MENTION`ths, idf in `IDF`ths, results in `SCORE`ths, all whole numbers. */
export class Saturation {
  readonly k: number;
  readonly table = new Int32Array(32 * MENTION);

  constructor(k: number) {
    this.k = k;
  }

  times(idf: number, mentions: number): number {
    const at = mentions < this.table.length ? mentions : this.table.length - 1;
    let value = this.table[at] ?? 0;
    if (value === 0 && at > 0) {
      value = Math.round(SCORE * saturate(at / MENTION, this.k, 1));
      this.table[at] = value;
    }
    // At most 12 nats and 3.7 units: below 2^31.
    return (idf * value) >> 12;
  }
}

/** BM25's term frequency part: grows with mentions, never past `k1 + 1`. */
export function saturate(mentions: number, k1: number, norm: number): number {
  return (mentions * (k1 + 1)) / (mentions + k1 * norm);
}

/** 1 for a day the query speaks of, 0.5 for the week after it, when people write such things down. */
export function dateShare(spans: readonly DaySpan[], day: number): number {
  let share = 0;
  if (day < 0) return share;
  for (const { from, to } of spans) {
    if (day >= from && day <= to) return 1;
    if (day > to && day <= to + 7) share = 0.5;
  }
  return share;
}

/** 1 today, half after 30 days. A file without a date is evergreen and stands in the middle. */
export function freshness(now: number, day: number): number {
  return day < 0 ? 0.5 : 2 ** (-Math.max(0, now / DAY - day) / 30);
}

export function lowerBound(ids: Uint32Array, value: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Keeps the best `limit` items, best first; equals in the order of their passages. */
export function insert<T extends { score: number; passage: number }>(top: T[], item: T, limit: number): void {
  let at = top.length;
  for (; at > 0; at--) {
    const before = top[at - 1];
    if (before === undefined || before.score > item.score) break;
    if (before.score === item.score && before.passage < item.passage) break;
  }
  top.splice(at, 0, item);
  if (top.length > limit) top.pop();
}
