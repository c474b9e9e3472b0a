import { defuse } from '../base/safety/index.ts';
import type { Freshness } from './freshness.ts';
import { SPACE_NAMES, SPACE_TITLES, type SpaceName } from './markers.ts';
import { escapeHeadings } from './our-headings.ts';
import { sortNotes } from './rules.ts';
import { type BlockSection, isFileOnly } from './sections.ts';

export const INJECTION_START = '[Session Scratchpad - your persistent working memory]';
export const INJECTION_END = '[End Scratchpad]';
/** The first line of additions to a window that has been shown the scratchpad before. */
export const NEWS_START = '[Session Scratchpad: news]';

/**
 * The text that the model is shown: the spaces that are not empty, then the state block while it is fresh. A stale
 * block is replaced by a remark. The bytes depend only on the memory, not on the time, so that a prompt cache keeps
 * them.
 *
 * @param state the sections of the block, without outdated lines
 * @param aside shown instead of a plan that does not belong here
 * @returns `''` if there is nothing to show
 */
export function renderInjection(
  spaces: Readonly<Record<SpaceName, string>>,
  state: readonly BlockSection[],
  freshness: Freshness,
  aside?: string,
): string {
  const parts = SPACE_NAMES.filter((name) => spaces[name].trim() !== '').map(
    (name) => `## ${SPACE_TITLES[name]}\n${escapeHeadings(defuse(renderLines(name, spaces[name])))}`,
  );
  if (aside !== undefined) parts.unshift(defuse(`(${aside})`));

  if (freshness.status === 'fresh') {
    const sections = state.filter(({ title, lines }) => !isFileOnly(title) && lines.length > 0);
    if (sections.length > 0) parts.push(`(State as of ${freshness.updated}.)`);
    for (const { title, lines } of sections) {
      parts.push(`## ${title}\n${defuse(lines.map(({ text }) => text).join('\n'))}`);
    }
  }

  if (freshness.status === 'stale') {
    const when = defuse(`it dates from ${freshness.updated}`);
    parts.push(`(The assembled state - mood, memories, time - is stale and left out: ${when}.)`);
  }

  return parts.length === 0 ? '' : `${[INJECTION_START, parts.join('\n\n'), INJECTION_END].join('\n')}\n`;
}

const renderLines = (name: SpaceName, text: string): string =>
  name === 'notes' ? sortNotes(text.trimEnd()).join('\n') : text.trimEnd();

const BLOCK_START = /\[Session Scratchpad[^\]\n]{0,60}\]\n/g;

/** A message without the blocks that hosts put into it from the scratchpad; a block without an end stays. */
export function stripInjections(message: string): string {
  let own = '';
  let copied = 0;

  for (const { index } of message.matchAll(BLOCK_START)) {
    if (index < copied) continue;

    const end = message.indexOf(`\n${INJECTION_END}`, index);
    if (end === -1) break;

    own += message.slice(copied, index);
    copied = end + 1 + INJECTION_END.length;
    while (message[copied] === '\n') copied += 1;
  }

  return own + message.slice(copied);
}
