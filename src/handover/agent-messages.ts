import { redactSecrets } from '../base/safety/index.ts';
import { splitSentences, splitWords } from '../base/text/prose.ts';
import { estimateLineTokens, estimateTokens, truncateToTokens } from '../pad/tokens.ts';
import { type Item, isPrompt, listItems } from '../transcript/record.ts';
import type { StoredSession } from '../transcript/store.ts';
import { isAnnouncement } from './words.ts';

export interface AgentMessage {
  id: string;
  text: string;
}

const AGENT_TOKENS = 130;
const LEAST_TOKENS = 30;
/** "Good thinking." says nothing. */
const LEAST_SAID = 5;

/**
 * The agent's newest messages, oldest first, within 130 tokens: what it found out, and nobody has seen in a change yet.
 * Code and announcements are left out.
 * @param isCutOff whether the work ended in the middle: then all messages since the last edit count, else the closing one
 * if its turn edited nothing
 */
export function chooseAgentMessages(
  { record }: Pick<StoredSession, 'record'>,
  isCutOff: boolean,
): AgentMessage[] {
  const items = listItems(record);
  const edited = items.findLastIndex((item) => item.type === 'did' && item.facts.edits !== undefined);
  const prompted = items.findLastIndex(isPrompt);
  const since = items.slice(edited + 1).filter((item) => item.type === 'agent');
  const last = edited > prompted ? [] : since.slice(-1);
  const found = isCutOff ? since : last;

  const chosen: AgentMessage[] = [];
  let left = AGENT_TOKENS;

  for (const item of found.toReversed()) {
    const sentences = splitMessage(item);
    const whole = sentences.join(' ');
    const text = estimateTokens(whole) <= left ? whole : fitEnds(sentences, left);

    if (text === '' && whole !== '') break;
    if (estimateTokens(text) < LEAST_SAID) continue;

    chosen.unshift({ id: item.id, text: redactSecrets(text) });
    left -= estimateLineTokens(text);
    if (text !== whole || left < LEAST_TOKENS) break;
  }

  return chosen;
}

function splitMessage({ text }: Item & { type: 'agent' }): string[] {
  const prose = text
    .replace(/^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1[^\n]*$|$(?![\s\S]))/gm, ' ')
    .replace(/<!--[\s\S]*?-->|<\/?[a-z][\w-]{0,40}>/g, ' ')
    .replace(/^\s*(?:#{1,6}|>+|[-*+•])\s+|^\s*\|?[-:| ]{4,}$|\*\*|__/gm, '');
  return splitSentences(prose)
    .map((sentence) =>
      sentence
        .replace(/\s*\|\s*/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter(
      (sentence, at, { length }) =>
        splitWords(sentence).length > 0 && !isAnnouncement(sentence, at === length - 1),
    );
}

/** Sentences from both ends, as many as fit: a finding stands first in an answer, and a question last. */
function fitEnds(sentences: readonly string[], tokens: number): string {
  if (tokens < LEAST_TOKENS) return '';

  const head: string[] = [];
  const tail: string[] = [];
  const rest = [...sentences];
  const joinSentences = (): string => [...head, '[…]', ...tail].join(' ');

  for (let isHead = false; rest.length > 0; isHead = !isHead) {
    const sentence = (isHead ? rest.shift() : rest.pop()) ?? '';
    if (isHead) head.push(sentence);
    else tail.unshift(sentence);
    if (estimateTokens(joinSentences()) <= tokens) continue;

    if (isHead) head.pop();
    else tail.shift();
    break;
  }

  return head.length + tail.length === 0 ? truncateToTokens(rest.join(' '), tokens) : joinSentences();
}
