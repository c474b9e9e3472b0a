export interface Freshness {
  status: 'fresh' | 'stale' | 'missing';
  /** ISO 8601 with offset, as in the file. */
  updated?: string;
  /** Milliseconds since the update; negative if the clock was set back. */
  ageMs?: number;
  ttlMs?: number;
}

/**
 * How old a state is. One from the future means that the clock was set back: it counts as stale, with a minute's grace.
 * @param now epoch milliseconds
 */
export function judgeFreshness(
  state: { updated: string; ttlMs: number } | undefined,
  now: number,
): Freshness {
  if (state === undefined) return { status: 'missing' };
  const { updated, ttlMs } = state;
  const ageMs = now - Date.parse(updated);
  return { status: ageMs < ttlMs && ageMs > -60_000 ? 'fresh' : 'stale', updated, ageMs, ttlMs };
}
