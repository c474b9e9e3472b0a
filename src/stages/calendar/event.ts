/**
 * A moment: epoch milliseconds, or a time on the wall of wherever the reader is (`2026-02-06T09:30:00`), as calendars
 * have them for whole days and for times without a zone.
 */
export type Moment = number | string;

/** One thing on a calendar, at one of its times in a span that was asked for. */
export interface CalendarEntry {
  summary: string;
  location?: string;
  start: Moment;
  /** Missing for a task, and where the file does not tell. */
  end?: Moment;
  allDay: boolean;
  /** `task`: something to be done by `start` (`VTODO`). */
  kind: 'event' | 'task';
}

/** What a calendar file says of a span of time. */
export interface CalendarReading {
  entries: CalendarEntry[];
  /** For people: what could not be read, and why. */
  problems: string[];
  /** Set when time ran out: another try may come further. */
  late?: true;
}

/** Epoch milliseconds, `[from, until)`. */
export interface Span {
  from: number;
  until: number;
}
