/**
 * A moment as `Date.prototype.toISOString` writes it. V8 (as of Node 24) looks up the zone of the machine for that, of
 * which nothing is seen, and a fresh process waits .3 ms for it.
 *
 * @param ms epoch milliseconds
 * @throws RangeError for what is no date
 */
export function isoUtc(ms: number): string {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  if (!(year >= 1000 && year <= 9999)) return date.toISOString();
  const day = `${year}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${day}T${time}.${String(date.getUTCMilliseconds()).padStart(3, '0')}Z`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}
