import type { Alert } from './alert.ts';

/** An open task that is due soon or overdue. */
export interface DatedTask {
  /** Its text, safe to show. */
  what: string;
  /** `memory/2026-02-05.md:11` */
  place: string;
  /** Days from today; negative if overdue. */
  inDays: number;
  alert: Alert;
}

export interface TaskBook {
  /** Open tasks with a date until tomorrow, the most urgent first. */
  dated: readonly DatedTask[];
  /** Lines (`memory/2026-02-05.md:11`) with a task that a newer list changes. */
  superseded: ReadonlySet<string>;
}
