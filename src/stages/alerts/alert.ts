/** Something that a person would be told now. */
export interface Alert {
  /** What it is about: two alerts of the same are one. */
  subject: string;
  /** The whole line. */
  text: string;
  /** Hours until it matters: what matters sooner comes first. */
  inHours: number;
  /** For `--explain`. */
  why: string;
  /** What becomes due, and how near it is: with it the alert goes before the model, once for each nearness. */
  due?: string;
}

const FILLERS = new Set('and the for with from how not that this are was has have'.split(' '));

/** The words by which a subject is known again. */
export function subjectWords(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\d]{3,}/gu) ?? [];
  return new Set(words.filter((word) => !FILLERS.has(word)));
}

/** Half the words of the shorter wording, and two at least; or all of both. */
export function sameSubject(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared > 0 && shared === Math.max(a.size, b.size)
    ? true
    : shared >= 2 && shared * 2 >= Math.min(a.size, b.size);
}

/** The most urgent first, each subject once; of equals the first given. */
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
