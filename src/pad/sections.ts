import { sanitizeLine } from '../base/safety/index.ts';
import { formatDuration } from '../base/text/durations.ts';
import { findCurrentStep, parseSteps } from './steps.ts';

/**
 * The sections of the state block, in the order in which the file shows them: stage ids, titles, settings and the
 * repair of a lost end marker derive from this table. A new section is a row here and a file in `stages/`.
 */
export const SECTIONS = [
  {
    id: 'sentiment',
    title: 'Emotional Context',
    about: 'the mood of the person, read from their last messages',
    fileOnly: true,
  },
  { id: 'strategy', title: 'Response Strategy', about: 'how to answer them', fileOnly: true },
  {
    id: 'context',
    title: 'Active Context',
    about: 'what is being worked on, with which files, and how long ago the person spoke',
  },
  {
    id: 'memory',
    title: 'Relevant Memories',
    about: 'lines of the memory files that answer the last messages',
  },
  { id: 'time', title: 'Time Context', about: 'the clock and the date' },
  {
    id: 'routing',
    title: 'Routing Hint',
    about: 'how sensitive and how hard the task is, and which model fits',
    fileOnly: true,
  },
  { id: 'alerts', title: 'Proactive Alerts', about: 'what is due, full or neglected' },
  {
    id: 'handover',
    title: 'Where It Stands',
    about:
      'what the session did last, and what it leaves open: commits, uncommitted edits, tasks, a question',
  },
] as const;

export type SectionId = (typeof SECTIONS)[number]['id'];

const TITLES = new Set<string>(SECTIONS.map(({ title }) => title));
const FILE_ONLY = new Set<string>(SECTIONS.flatMap((row) => ('fileOnly' in row ? row.title : [])));

/** Whether a section is only for readers of the file, and never shown to a model. */
export const isFileOnly = (title: string): boolean => FILE_ONLY.has(title);

export const isSectionTitle = (title: string): boolean => TITLES.has(title);

/** Whether the assembler can have written a line: if the block's end marker is lost, other text must stay. */
export function isGeneratedLine(line: string): boolean {
  if (line.trim() === '' || line.startsWith('- ')) return true;
  if (line.startsWith('## ')) return isSectionTitle(line.slice(3).trim());
  return /^<!-- (?:Updated|TTL): .*-->$/.test(line);
}

/** One section of the state block, safe to write: every line is one plain line. */
export interface BlockSection {
  title: string;
  lines: readonly BlockLine[];
}

interface BlockLine {
  text: string;
  /** The plan's step that it names: it is outdated with the step. */
  step?: string;
  /** Whether it is made from the spaces, and outdated when they change. */
  ofSpaces?: boolean;
  /** The branch that it names: it is outdated on another one. */
  branch?: string;
}

interface BlockStamp {
  /** ISO 8601 with offset. */
  updated: string;
  ttlMs: number;
}

/** The text between the state markers: two comments that are copied with it, then the sections. */
export function renderState(sections: readonly BlockSection[], stamp: BlockStamp): string {
  const head = [
    `<!-- Updated: ${stamp.updated} -->`,
    `<!-- TTL: ${formatDuration(stamp.ttlMs)} — ignore if older -->`,
  ];
  const body = sections
    .filter(({ lines }) => lines.length > 0)
    .flatMap(({ title, lines }) => ['', `## ${title}`, ...lines.map(({ text }) => text)]);
  return [...head, ...body].join('\n');
}

/** The current facts with which the lines of a block are compared. */
export interface CurrentFacts {
  plan: string;
  /** Whether the spaces have changed since the block was written. */
  changed: boolean;
  branch?: string | undefined;
}

/** Whether a line of the block no longer agrees with the spaces, or the branch. */
export function isOutdated(line: BlockLine, { plan, changed, branch }: CurrentFacts): boolean {
  if (line.branch !== undefined && branch !== undefined && line.branch !== branch) return true;
  if (line.step === undefined) return line.ofSpaces === true && changed;

  const step = findCurrentStep(parseSteps(plan));
  if (step === undefined) return changed;

  // The line holds the sanitized text; sanitizing is slow, and seldom changes a text.
  return !step.text.startsWith(line.step) && !sanitizeLine(step.text).startsWith(line.step);
}
