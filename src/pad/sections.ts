/**
 * The sections of the state block, in the order in which the file shows them: stage ids, titles, settings and the
 * repair of a lost end marker derive from this table. A new section is a row here and a file in `stages/`.
 */
export const SECTIONS = [
  {
    id: 'sentiment',
    title: 'Emotional Context',
    timeoutMs: 1500,
    about: 'the mood of the person, read from their last messages',
    fileOnly: true,
  },
  { id: 'strategy', title: 'Response Strategy', timeoutMs: 1500, about: 'how to answer them' },
  {
    id: 'context',
    title: 'Active Context',
    timeoutMs: 1000,
    about: 'what is being worked on, with which files, and how long ago the person spoke',
  },
  {
    id: 'memory',
    title: 'Relevant Memories',
    timeoutMs: 1500,
    about: 'lines of the memory files that answer the last messages',
  },
  { id: 'time', title: 'Time Context', timeoutMs: 500, about: 'the clock, the date, the next appointment' },
  {
    id: 'routing',
    title: 'Routing Hint',
    timeoutMs: 500,
    about: 'how sensitive and how hard the task is, and which model fits',
    fileOnly: true,
  },
  { id: 'alerts', title: 'Proactive Alerts', timeoutMs: 3000, about: 'what is due, full or neglected' },
  {
    id: 'handover',
    title: 'Where It Stands',
    timeoutMs: 2000,
    // Beside that of the block: it pushes nothing out of it.
    budget: 75,
    about:
      'what the session did last, and what it leaves open: commits, uncommitted edits, tasks, a question',
  },
] as const;

/** A row of the table. */
export type SectionRow = (typeof SECTIONS)[number];
export type SectionId = SectionRow['id'];

const TITLES = new Set<string>(SECTIONS.map(({ title }) => title));
const FILE_ONLY = new Set<string>(SECTIONS.flatMap((row) => ('fileOnly' in row ? row.title : [])));

/** Whether a section is only for readers of the file, and never shown to a model. */
export function isFileOnly(title: string): boolean {
  return FILE_ONLY.has(title);
}

/** Whether a section of the block has this title. */
export function isSectionTitle(title: string): boolean {
  return TITLES.has(title);
}

/**
 * Whether the assembler can have written a line. Used only if the block's end marker is lost, to remove no foreign
 * text.
 */
export function looksGenerated(line: string): boolean {
  if (line.trim() === '' || line.startsWith('- ')) return true;
  if (line.startsWith('## ')) return isSectionTitle(line.slice(3).trim());
  return /^<!-- (?:Updated|TTL): .*-->$/.test(line);
}
