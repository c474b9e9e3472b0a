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
