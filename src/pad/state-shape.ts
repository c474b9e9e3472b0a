/** Section titles of the state block, in the order in which they are written. */
export const SECTION_TITLES = [
  'Emotional Context',
  'Response Strategy',
  'Active Context',
  'Relevant Memories',
  'Time Context',
  'Routing Hint',
  'Proactive Alerts',
] as const;

const TITLES = new Set<string>(SECTION_TITLES);

/**
 * Whether a line can be one that the assembler wrote. Used only where the block's end is
 * lost, to take away no more than what is ours.
 */
export function looksGenerated(line: string): boolean {
  if (line.trim() === '' || line.startsWith('- ')) return true;
  if (line.startsWith('## ')) return TITLES.has(line.slice(3).trim());
  return /^<!-- (?:Updated|TTL): .*-->$/.test(line);
}
