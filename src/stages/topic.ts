import { redactSecrets } from '../base/safety/index.ts';
import { ownSentences } from '../transcript/hearing/own-words.ts';
import type { Message } from '../transcript/types.ts';

/** The topic and its source. */
export interface Said {
  text: string;
  /** For `--explain`. */
  why: string;
}

/** Maximum length of a topic; whole sentences only. */
export const TOPIC_CHARACTERS = 160;
/** How much of a message is read. */
const LONGEST_READ = 4000;
/** A go-ahead ("yes please") is shorter than this. */
const LEAST_WORDS = 4;
/** A host writes this before an approved plan. */
const APPROVED = /^Implement the following plan:\s+(?:[\s\S]*?\n)??#\s+(.+)$/m;
/** Refers to something outside the sentence, so the sentence alone says nothing. */
const POINTING =
  /^(?:and |but |so |no,? |yes,? |ok(?:ay)?,? )?(?:it|this|that|they|these|those|he|she|the same)\b/i;
/**
 * The person's last meaningful words: whole sentences, nothing pasted or quoted. For readers of the file; a model
 * has already seen them.
 */
export function lastTopic(messages: readonly Message[]): Said | undefined {
  const human = messages.filter(({ role }) => role === 'user');
  for (let at = human.length - 1; at >= 0; at -= 1) {
    const content = human[at]?.content ?? '';
    const title = approvedTitle(content);
    const sentences = title === undefined ? topicSentences(content) : [title];
    if (sentences.join(' ').split(/\s+/).length < LEAST_WORDS && title === undefined) continue;
    const text = whatFits(sentences);
    if (text === undefined) continue;
    const later = human.length - 1 - at;
    return {
      text,
      why: later === 0 ? 'the last message of the person' : `said ${later} messages before the last`,
    };
  }
  return undefined;
}

/** The title of a plan that a host put into a prompt once it was approved. */
export function approvedTitle(content: string): string | undefined {
  if (!content.startsWith('Implement the following plan:')) return undefined;
  return APPROVED.exec(content.slice(0, LONGEST_READ))?.[1]?.trim();
}

/** The sentences that a person wrote, without secrets and without those that only introduce what follows. */
function topicSentences(content: string): string[] {
  // Redacted before anything is cut, because a secret is recognised by its context.
  return ownSentences(redactSecrets(content.slice(0, LONGEST_READ))).filter(
    (sentence) => !sentence.endsWith(':'),
  );
}

/** The question or the first whole sentences, as far as they fit. */
function whatFits(sentences: readonly string[]): string | undefined {
  const question = sentences.findLast((sentence) => sentence.endsWith('?') && !POINTING.test(sentence));
  let text = '';
  for (const sentence of sentences) {
    const longer = text === '' ? sentence : `${text} ${sentence}`;
    if (longer.length > TOPIC_CHARACTERS) break;
    text = longer;
  }
  if (question !== undefined && question.length <= TOPIC_CHARACTERS && !text.includes(question))
    return question;
  return text === '' ? undefined : text;
}
