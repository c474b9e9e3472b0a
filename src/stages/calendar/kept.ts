import { readCache, writeCache } from '../../fs/cache.ts';
import type { CalendarEntry, CalendarReading, Span } from './event.ts';

/** The parsed content of a calendar file, cached until the file changes. */
export interface KeptReading extends CalendarReading {
  path: string;
  /** The file's stamp, see `files.ts`. */
  stamp: string;
  span: Span;
}

const VERSION = 1;

export function writeKept(file: string, calendars: readonly KeptReading[]): void {
  writeCache(file, { version: VERSION, calendars });
}

/** The cached content; anything in another format is ignored. */
export function readKept(file: string): KeptReading[] {
  const kept = readCache(file) as { version?: unknown; calendars?: unknown } | null | undefined;
  if (kept?.version !== VERSION || !Array.isArray(kept.calendars)) return [];
  return kept.calendars.filter(isKept);
}

function isKept(value: unknown): value is KeptReading {
  if (typeof value !== 'object' || value === null) return false;
  const { path, stamp, span, entries, problems } = value as Partial<Record<keyof KeptReading, unknown>>;
  const { from, until } = (span ?? {}) as Partial<Record<keyof Span, unknown>>;
  return (
    typeof path === 'string' &&
    typeof stamp === 'string' &&
    Number.isFinite(from) &&
    Number.isFinite(until) &&
    Array.isArray(problems) &&
    problems.every((problem) => typeof problem === 'string') &&
    Array.isArray(entries) &&
    entries.every(isEntry)
  );
}

function isEntry(value: unknown): value is CalendarEntry {
  if (typeof value !== 'object' || value === null) return false;
  const entry = value as Partial<Record<keyof CalendarEntry, unknown>>;
  const { summary, start, end, location, allDay, kind } = entry;
  return (
    typeof summary === 'string' &&
    isMoment(start) &&
    (end === undefined || isMoment(end)) &&
    (location === undefined || typeof location === 'string') &&
    typeof allDay === 'boolean' &&
    (kind === 'event' || kind === 'task')
  );
}

function isMoment(value: unknown): boolean {
  return typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value === 'string' && !Number.isNaN(Date.parse(`${value}Z`));
}
