import type { Alert } from './alert.ts';

/** An open task that is due soon, or was. */
export interface DatedTask {
  /** As it may be shown. */
  what: string;
  /** `memory/2026-02-05.md:11` */
  place: string;
  /** Days from today; negative when it is overdue. */
  inDays: number;
  alert: Alert;
}

export interface TaskBook {
  /** Open tasks with a date until tomorrow, the most urgent first. */
  dated: readonly DatedTask[];
  /** Lines (`memory/2026-02-05.md:11`) with a task of which a newer list says something else. */
  superseded: ReadonlySet<string>;
}
