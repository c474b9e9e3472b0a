import { estimateTokens } from '../pad/tokens.ts';
import type { SectionLine } from '../stages/stage.ts';

/** The lines of one section, which the budget may shorten. */
export interface Budgeted {
  title: string;
  lines: SectionLine[];
  /** Lines that did not fit. */
  dropped: SectionLine[];
}

/**
 * Leaves out whole lines until a block fits its budget. Lines are taken in the order of their worth, of equals the
 * first; one for which there is no more room is left out, and a shorter one that is worth less may still find some.
 *
 * @param frame what the block has beside its sections
 * @param budget estimated tokens
 */
export function fitToBudget(sections: readonly Budgeted[], frame: string, budget: number): void {
  const lines = sections.flatMap((section) =>
    section.lines.map((line) => ({ section, line, priority: line.priority ?? 0 })),
  );
  lines.sort((a, b) => b.priority - a.priority);
  const kept = new Set<SectionLine>();
  const opened = new Set<Budgeted>();
  let left = budget - costOf(frame);
  for (const { section, line } of lines) {
    const heading = opened.has(section) ? 0 : costOf('') + costOf(`## ${section.title}`);
    const cost = heading + costOf(line.text);
    if (cost > left) continue;
    left -= cost;
    kept.add(line);
    opened.add(section);
  }
  for (const section of sections) {
    section.dropped.push(...section.lines.filter((line) => !kept.has(line)));
    section.lines = section.lines.filter((line) => kept.has(line));
  }
}

/** Of a line and its end. A little more than its part in the whole, which is rounded once. */
function costOf(line: string): number {
  return estimateTokens(line) + 1;
}
