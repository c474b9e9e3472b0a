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
