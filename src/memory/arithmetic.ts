import { DAY, type DaySpan } from './dates.ts';

/** BM25's term frequency part: grows with mentions, never past `k1 + 1`. */
export function saturate(mentions: number, k1: number, norm: number): number {
  return (mentions * (k1 + 1)) / (mentions + k1 * norm);
}

/** 1 for a day that the query mentions, 0.5 for the week after it, when people tend to write about it. */
export function dateShare(spans: readonly DaySpan[], day: number): number {
  let share = 0;
  if (day < 0) return share;
  for (const { from, to } of spans) {
    if (day >= from && day <= to) return 1;
    if (day > to && day <= to + 7) share = 0.5;
  }
  return share;
}

/** 1 today, half after 30 days. A file without a date gets the middle value. */
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
