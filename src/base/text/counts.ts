/** Formats `1204.3` as `1,204`, without the cost of loading Intl. */
export function thousands(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A number with its noun: `1 entry`, `1,204 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}

/** A list of nonzero counts: `3 sessions, 1 entry`; `nothing` if all are zero. */
export function listCounts(
  counts: readonly (readonly [count: number, one: string, many?: string])[],
): string {
  const some = counts.filter(([count]) => count > 0);
  return some.map(([count, one, many]) => counted(count, one, many)).join(', ') || 'nothing';
}

/** `under a minute`, `25 min`, `1h 45m`, `9h`, `3 days` */
export function spellGap(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'under a minute';
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (minutes < 4 * 60) return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)}h`;
  return spellDays(ms);
}

/** Rounded, so that everything that counts days names the same number: Friday evening to Monday morning is 3 days. */
export function spellDays(ms: number): string {
  return `${Math.round(ms / 86_400_000)} days`;
}
