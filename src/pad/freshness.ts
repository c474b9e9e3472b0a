export interface Freshness {
  status: 'fresh' | 'stale' | 'missing';
  /** ISO 8601 with offset, as in the file. */
  updated?: string;
  /** Milliseconds since the update; negative if the clock was set back. */
  ageMs?: number;
  ttlMs?: number;
}

/**
 * How old a state is. One from the future means that the clock was set back: it counts as stale, with a minute's grace, as does one before the plan's last change.
 * @param now epoch milliseconds, as is `planChangedAt`
 */
export function judgeFreshness(
  state: { updated: string; ttlMs: number } | undefined,
  now: number,
  planChangedAt = 0,
): Freshness {
  if (state === undefined) return { status: 'missing' };
  const { updated, ttlMs } = state;
  const ageMs = now - Date.parse(updated);
  // The state's own time has whole seconds.
  const isFresh = ageMs < ttlMs && ageMs > -60_000 && planChangedAt < Date.parse(updated) + 1000;
  return { status: isFresh ? 'fresh' : 'stale', updated, ageMs, ttlMs };
}
