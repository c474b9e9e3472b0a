/** Epoch numbers below this are seconds, others milliseconds (1e11 s is the year 5138, 1e11 ms is 1973). */
const SECONDS_BELOW = 1e11;
/** A date-time without a zone. Hosts write UTC; local time would make the result depend on the machine. */
const ZONELESS = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;

/**
 * A host's timestamp as ISO 8601 in UTC: an ISO string, or an epoch number in seconds or milliseconds.
 * Undefined if it is neither, or out of range.
 */
export function isoTime(value: unknown): string | undefined {
  if (typeof value === 'string' && isCanonical(value)) return value;
  const epoch = epochMs(value);
  if (epoch === undefined) return undefined;
  const date = new Date(epoch);
  return Number.isNaN(date.getTime()) ? undefined : new Date(epoch).toISOString();
}

/** The form that all current hosts write, for a day that every month has: no conversion needed. */
const CANONICAL = /^\d{4}-\d\d-(?:[01]\d|2[0-8])T(?:[01]\d|2[0-3]):\d\d:\d\d\.\d{3}Z$/;

function isCanonical(text: string): boolean {
  return CANONICAL.test(text) && !Number.isNaN(Date.parse(text));
}

function epochMs(value: unknown): number | undefined {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string' || value.length > 40) return undefined;
  const text = value.trim();
  if (/^\d{9,16}(\.\d+)?$/.test(text)) return fromNumber(Number(text));
  if (!/^\d{4}-\d{2}/.test(text)) return undefined;
  const parsed = Date.parse(ZONELESS.test(text) ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(parsed) ? undefined : parsed;
}

function fromNumber(value: number): number | undefined {
  if (!Number.isFinite(value) || value <= 0) return undefined;
  return value < SECONDS_BELOW ? value * 1000 : value;
}
