import type { Clock } from '../clock.ts';

/**
 * A time: epoch milliseconds, or the reader's local time (`2026-02-06T09:30:00`), which calendars use for whole days
 * and for times without a zone.
 */
export type Moment = number | string;

/** One occurrence of a calendar entry in the requested span. */
export interface CalendarEntry {
  summary: string;
  location?: string;
  start: Moment;
  /** Missing for a task, and if the file has none. */
  end?: Moment;
  allDay: boolean;
  /** `task`: to be done by `start` (`VTODO`). */
  kind: 'event' | 'task';
}

/** The content of a calendar file for a span of time. */
export interface CalendarReading {
  entries: CalendarEntry[];
  /** For people: the unreadable parts, and why. */
  problems: string[];
  /** Set on a timeout: another attempt may get further. */
  late?: true;
}

/** Epoch milliseconds, `[from, until)`. */
export interface Span {
  from: number;
  until: number;
}

/**
 * A time as epoch milliseconds, for a reader with this clock, or with this offset from UTC in minutes. Times skipped
 * in spring move forward by the skipped amount.
 */
export function momentOf(moment: Moment, where: Clock | number): number {
  if (typeof moment === 'number') return moment;
  const wall = Date.parse(`${moment}Z`);
  if (typeof where === 'number') return wall - where * 60_000;
  // The offset at that time is not known yet; that of a day before is right, or off by the change in between.
  const before = wall - where(wall - 86_400_000).offsetMinutes * 60_000;
  const at = wall - where(before).offsetMinutes * 60_000;
  return where(at).offsetMinutes === where(before).offsetMinutes ? at : before;
}
