export interface Alert {
  /** Its subject: two alerts about the same subject are merged. */
  subject: string;
  text: string;
  /** Hours until it matters; sooner comes first. */
  inHours: number;
  /** For `--explain`. */
  why: string;
  /** The item and how near it is: set for alerts shown to the model, once for each degree of nearness. */
  due?: string;
  /** What is said as `due` is not said again for this long, however it is worded. */
  everyMs?: number;
  /** Made from the spaces. */
  ofSpaces?: boolean;
  /** The `due` of other alerts that it says as well. */
  covers?: readonly string[];
}

const FILLERS = new Set('and the for with from how not that this are was has have'.split(' '));

/** The words that identify a subject. */
export function subjectWords(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\d]{3,}/gu) ?? [];
  return new Set(words.filter((word) => !FILLERS.has(word)));
}

/** Half the words of the shorter text, but at least two; or all of both. */
export function sameSubject(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared > 0 && shared === Math.max(a.size, b.size)
    ? true
    : shared >= 2 && shared * 2 >= Math.min(a.size, b.size);
}

/** Most urgent first, each subject once; among equals the first one. */
export function byUrgency(alerts: readonly Alert[]): Alert[] {
  const known: Set<string>[] = [];
  return [...alerts]
    .sort((a, b) => a.inHours - b.inHours)
    .filter(({ subject }) => {
      const words = subjectWords(subject);
      if (known.some((other) => sameSubject(other, words))) return false;
      known.push(words);
      return true;
    });
}

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
