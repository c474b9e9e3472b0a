import { splitSentences, toOneLine } from '../base/text/prose.ts';
import { estimateLineTokens, estimateTokens } from '../pad/tokens.ts';
import { isPrompt, listItems } from '../transcript/record.ts';
import type { StoredSession } from '../transcript/store.ts';
import { fitSentences, keepSentences } from './choose-messages.ts';
import { isAnnouncement, isUpcoming } from './words.ts';

export interface AgentMessage {
  id: string;
  text: string;
}

/** After a cut-off the findings are told that nobody has seen; a closing message repeats what was done. */
const FINDING_TOKENS = 120;
const CLOSING_TOKENS = 80;
const LEAST_TOKENS = 20;
/** "I see the issue." says nothing; what names a thing, asks or leads to a list does. */
const LEAST_SAID = 6;
const TELLING = /[`\d/_]|\w\.\w|\p{Ll}\p{Lu}|[?？]$/u;

/**
 * The agent's newest messages, oldest first: what it found out, and nobody has seen in a change yet.
 * @param isCutOff whether the work ended in the middle: then all messages since the last edit count, else the closing one;
 * if its turn edited something, what it says of the next step
 */
export function chooseAgentMessages(
  { record }: Pick<StoredSession, 'record'>,
  isCutOff: boolean,
): AgentMessage[] {
  const items = listItems(record);
  const edited = items.findLastIndex((item) => item.type === 'did' && item.facts.edits !== undefined);
  const since = items.slice(edited + 1).filter((item) => item.type === 'agent');
  // Files show what an edit did, and not what comes next.
  const isSeen = !isCutOff && edited > items.findLastIndex(isPrompt);
  const chosen: AgentMessage[] = [];
  let left = isCutOff ? FINDING_TOKENS : CLOSING_TOKENS;

  for (const { id, text } of (isCutOff ? since : since.slice(-1)).toReversed()) {
    const isNewest = isCutOff && id === since.at(-1)?.id;
    const prose = keepSentences(extractProse(text), (one) => isTelling(one, isNewest));
    const said = (isSeen ? keepSentences(prose, isUpcoming) : prose).replace(/^\[…\]\n|\n\[…\]$/g, '');
    const part = fitSentences(splitSentences(said), left).join(' ');
    if (part === '') continue;

    chosen.unshift({ id, text: part.replace(/(?:\[…\] ){2,}/g, '[…] ').replace(/[;；]$/, '.') });
    left -= estimateLineTokens(part);
    if (left < LEAST_TOKENS) break;
  }

  return chosen;
}

/** A message without code, tags, and the marks of lists, tables and headings; each sentence in a line. */
function extractProse(text: string): string {
  const prose = text
    .replace(/^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1[^\n]*$|$(?![\s\S]))/gm, ' ')
    .replace(/<!--[\s\S]*?-->|<\/?[a-z][\w-]{0,40}>/g, ' ')
    .replace(/^[ \t]*(?:#{1,6}|>+|[-*+•]|\d{1,2}[.)])\s+|^[-:| \t]{4,}$|\*\*|__/gm, '')
    .replaceAll('|', ' ');
  const sentences = splitSentences(prose).filter((sentence) => /\p{L}/u.test(sentence));
  return sentences.map((sentence) => toOneLine(sentence)).join('\n');
}

/** Whether a sentence says something by itself; what the newest message announces was not done. */
function isTelling(sentence: string, isNewest: boolean): boolean {
  const names = TELLING.test(sentence);
  if (isAnnouncement(sentence)) return isNewest && names;
  return names || estimateTokens(sentence) >= LEAST_SAID;
}
