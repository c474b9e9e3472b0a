import { redactSecrets } from '../base/safety/index.ts';
import { splitSentences } from '../base/text/prose.ts';
import { estimateLineTokens, estimateTokens } from '../pad/tokens.ts';
import { isPrompt, listItems } from '../transcript/record.ts';
import type { StoredSession } from '../transcript/store.ts';
import { fitSentences } from './choose-messages.ts';
import { isAnnouncement } from './words.ts';

export interface AgentMessage {
  id: string;
  text: string;
}

const AGENT_TOKENS = 80;
const LEAST_TOKENS = 20;
/** "I see the issue." says nothing; what names a thing, asks or leads to a list does. */
const LEAST_SAID = 6;
const TELLING = /[`\d/_]|\w\.\w|\p{Ll}\p{Lu}|[?？:：]$/u;

/**
 * The agent's newest messages, oldest first: what it found out, and nobody has seen in a change yet.
 * @param isCutOff whether the work ended in the middle: then all messages since the last edit count, else the closing one
 * if its turn edited nothing
 */
export function chooseAgentMessages(
  { record }: Pick<StoredSession, 'record'>,
  isCutOff: boolean,
): AgentMessage[] {
  const items = listItems(record);
  const edited = items.findLastIndex((item) => item.type === 'did' && item.facts.edits !== undefined);
  const since = items.slice(edited + 1).filter((item) => item.type === 'agent');
  const closing = edited > items.findLastIndex(isPrompt) ? [] : since.slice(-1);
  const chosen: AgentMessage[] = [];
  let left = AGENT_TOKENS;

  for (const { id, text } of (isCutOff ? since : closing).toReversed()) {
    const sentences = listTellingSentences(text);
    const part = redactSecrets(
      fitSentences(sentences, left)
        .join(' ')
        .replace(/(?:\[…\] ){2,}/g, '[…] '),
    );
    if (part === '') continue;

    chosen.unshift({ id, text: part });
    left -= estimateLineTokens(part);
    if (left < LEAST_TOKENS) break;
  }

  return chosen;
}

/** The sentences of a message without code, list marks, announcements, and those that say nothing; `[…]` between two. */
function listTellingSentences(text: string): string[] {
  const prose = text
    .replace(/^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1[^\n]*$|$(?![\s\S]))/gm, ' ')
    .replace(/<!--[\s\S]*?-->|<\/?[a-z][\w-]{0,40}>/g, ' ')
    .replace(/^\s*(?:#{1,6}|>+|[-*+•]|\d{1,2}[.)])\s+|^\s*\|?[-:| ]{4,}$|\*\*|__/gm, '')
    .replace(/[ \t]*\|[ \t]*/g, ' ');
  const sentences = splitSentences(prose)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => /\p{L}/u.test(sentence));
  const parts = sentences.map((sentence, at) =>
    isTelling(sentence, at, sentences.length) ? sentence : LEFT_OUT,
  );
  const first = parts.findIndex((part) => part !== LEFT_OUT);

  return parts.slice(first, parts.findLastIndex((part) => part !== LEFT_OUT) + 1);
}

const LEFT_OUT = '[…]';

function isTelling(sentence: string, at: number, length: number): boolean {
  const names = TELLING.test(sentence);
  // "Those are the fixes": of what stands in another message.
  const pointsBack = at === 0 && !names && /^(?:those|these|that|this)\b/i.test(sentence);
  const isLong = estimateTokens(sentence) >= LEAST_SAID;
  return (isLong || names) && !pointsBack && !isAnnouncement(sentence, at === length - 1);
}
