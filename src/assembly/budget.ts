import { estimateTokens } from '../pad/tokens.ts';
import type { SectionLine } from '../stages/stage.ts';

/** The lines of one section, which may be shortened. */
export interface Budgeted {
  title: string;
  lines: SectionLine[];
  /** Lines that did not fit. */
  dropped: SectionLine[];
}

/**
 * Leaves out whole lines until a block fits its budget. Lines are taken by priority, then by order; when one
 * no longer fits, shorter lines of lower priority may still be taken.
 * @param frame the text of the block apart from its sections
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

/**
 * The tokens of a line and its newline. Slightly more than its share of the whole, which is rounded only
 * once.
 */
function costOf(line: string): number {
  return estimateTokens(line) + 1;
}
