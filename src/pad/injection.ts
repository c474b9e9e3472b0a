import { defuse } from '../safety/index.ts';
import type { Freshness } from './freshness.ts';
import { SPACE_NAMES, SPACE_TITLES, type SpaceName } from './markers.ts';
import { isFileOnly } from './sections.ts';
import { readState } from './state.ts';

export const INJECTION_START = '[Session Scratchpad - your persistent working memory]';
export const INJECTION_END = '[End Scratchpad]';

/**
 * What is put before the model: the spaces that hold something, then the state block while it
 * is fresh. A stale block is left out and said to be. The bytes are the same for as long as
 * the memory is, whatever the time, so that a prompt cache keeps them.
 *
 * @param state the text between the state markers, `''` when there is no block
 * @param aside said in place of a plan that is not of this place
 * @returns `''` when there is nothing to put there
 */
export function renderInjection(
  spaces: Readonly<Record<SpaceName, string>>,
  state: string,
  freshness: Freshness,
  aside?: string,
): string {
  const parts = SPACE_NAMES.filter((name) => spaces[name].trim() !== '').map(
    (name) => `## ${SPACE_TITLES[name]}\n${defuse(spaces[name]).trimEnd()}`,
  );
  if (aside !== undefined) parts.unshift(defuse(`(${aside})`));
  if (freshness.status === 'fresh') {
    const sections = readState(state).filter(({ title, lines }) => !isFileOnly(title) && lines.length > 0);
    if (sections.length > 0) parts.push(`(State as of ${freshness.updated}.)`);
    for (const { title, lines } of sections) {
      parts.push(`## ${title}\n${defuse(lines.join('\n'))}`);
    }
  }
  if (freshness.status === 'stale') {
    const when =
      freshness.updated === undefined ? 'its time cannot be read' : `it dates from ${freshness.updated}`;
    parts.push(`(The assembled state - mood, memories, time - is stale and left out: ${defuse(when)}.)`);
  }
  return parts.length === 0 ? '' : `${[INJECTION_START, parts.join('\n\n'), INJECTION_END].join('\n')}\n`;
}
