import { safeLine } from '../base/safety/index.ts';
import { spellDuration } from './freshness.ts';
import { currentStep, stepsOf } from './steps.ts';

/** One section of the state block, safe to write: every line is one plain line. */
export interface BlockSection {
  /** The title of a built-in section (`sections.ts`), or of a custom stage. */
  title: string;
  lines: readonly BlockLine[];
}

export interface BlockLine {
  text: string;
  /** The plan's step that it names: it is outdated with the step. */
  step?: string;
  /** Whether it is made from the spaces, and outdated when they change. */
  ofSpaces?: boolean;
  /** The branch that it names: it is outdated on another one. */
  branch?: string;
}

export interface BlockStamp {
  /** ISO 8601 with offset. */
  updated: string;
  ttlMs: number;
}

/** The text between the state markers: two comments that are copied with it, then the sections. */
export function renderState(sections: readonly BlockSection[], stamp: BlockStamp): string {
  const head = [
    `<!-- Updated: ${stamp.updated} -->`,
    `<!-- TTL: ${spellDuration(stamp.ttlMs)} — ignore if older -->`,
  ];
  const body = sections.filter((section) => section.lines.length > 0);
  return [
    ...head,
    ...body.flatMap(({ title, lines }) => ['', `## ${title}`, ...lines.map(({ text }) => text)]),
  ].join('\n');
}

/** What the lines of a block are held against. */
export interface Present {
  plan: string;
  /** Whether a space was changed after the block was made. */
  changed: boolean;
  /** The branch that is checked out, if it is known. */
  branch?: string | undefined;
}

/** Whether a line of the block no longer agrees with the spaces, or the branch. */
export function isOutdated(line: BlockLine, { plan, changed, branch }: Present): boolean {
  const { step: named, ofSpaces = false } = line;
  if (line.branch !== undefined && branch !== undefined && line.branch !== branch) return true;
  if (named === undefined) return ofSpaces && changed;
  const step = currentStep(stepsOf(plan));
  if (step === undefined || step.done) return changed;
  return !safeLine(step.text).startsWith(named);
}
