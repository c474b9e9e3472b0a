import { safeLine } from '../safety/index.ts';
import { spellDuration } from './freshness.ts';
import { currentStep, stepsOf } from './steps.ts';

/** One section of the state block, safe to write: every line is one plain line. */
export interface BlockSection {
  /** The title of a built-in section (`sections.ts`), or of a custom stage. */
  title: string;
  lines: readonly string[];
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
  return [...head, ...body.flatMap(({ title, lines }) => ['', `## ${title}`, ...lines])].join('\n');
}

/** The sections of a block in a file, without its comments: for injection and for reuse. */
export function readState(content: string): { title: string; lines: string[] }[] {
  const sections: { title: string; lines: string[] }[] = [];
  for (const line of content.split('\n')) {
    if (line.startsWith('## ')) sections.push({ title: line.slice(3).trim(), lines: [] });
    else if (line.trim() !== '' && !line.startsWith('<!--')) sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** Lines that stages make from the spaces: what is worked on, what is due in them, how full they are. */
const FROM_SPACES =
  /^- (?:Working on: (.*)|Task .*\((?:plan|notes):\d+\)|Scratchpad: (?:plan|notes|refs) holds .*)$/;

/**
 * Whether a line of the block no longer agrees with the spaces.
 * @param changed whether a space was changed after the block was made
 */
export function isOutdated(line: string, plan: string, changed: boolean): boolean {
  const match = FROM_SPACES.exec(line);
  if (match === null) return false;
  const step = currentStep(stepsOf(plan));
  if (match[1] === undefined || step === undefined || step.done) return changed;
  return !safeLine(step.text).startsWith(match[1].replace(/…$/, ''));
}
