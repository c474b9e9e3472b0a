import { compiled, shorten } from '../../base/text/strings.ts';
import { mask } from '../../transcript/hearing.ts';
import type { Message } from '../../transcript/types.ts';
import type { FeedbackEvent, InForce, Meaning } from './remarks.ts';

export interface NoticeOptions {
  known: readonly FeedbackEvent[];
  /** Epoch milliseconds up to which a person's feedback is forgotten. */
  forgotten(person: string): number;
  /** The strategy for the message before this time (epoch milliseconds). */
  inForce(at: number): InForce | null;
}

/**
 * Remarks in a transcript about how people are answered, as far as they are not stored yet. Only the person's own
 * prose counts, only after an answer, and only with a time, since otherwise yesterday's remark would be added again
 * at each reading.
 */
export function noticeFeedback(messages: readonly Message[], options: NoticeOptions): FeedbackEvent[] {
  const noticed: FeedbackEvent[] = [];
  let answered = false;
  for (const { role, content, timestamp, sender } of messages) {
    if (role === 'assistant') answered = true;
    const time = Date.parse(timestamp ?? '');
    const person = sender ?? '';
    if (role !== 'user' || !answered || Number.isNaN(time) || time <= options.forgotten(person)) continue;
    const at = new Date(time).toISOString();
    if ([...options.known, ...noticed].some((event) => event.at === at && event.person === person)) continue;
    const found = understand(content);
    if (found.length === 0) continue;
    const text = [...new Set(found.map(({ words }) => words))].join(' … ');
    const meanings = found.map(({ meaning }) => meaning);
    noticed.push({ at, person, text, meanings, source: 'noticed', strategy: options.inForce(time) });
  }
  return noticed;
}

/** A meaning, and a pattern over one sentence in lower case without marks. */
type Saying = readonly [Meaning, RegExp];

/** The first sentence of a message says only this: elsewhere "too long" is about a log or a list. */
const FIRST: readonly Saying[] = [
  ['shorter', /^(?:(?:way|far|much|a bit) )?too (?:verbose|wordy|chatty|long|much (?:text|detail))$/],
  ['longer', /^(?:(?:way|far|much|a bit) )?too (?:short|terse|curt)$/],
  ['warm', /^(?:(?:way|far|much|a bit) )?too (?:cold|rude|harsh|blunt)$/],
  ['good', /^(?:that|this)(?: answer| explanation| summary)? was perfect$/],
];

/** A sentence says only this, or names the agent or its answers. */
const SAYINGS: readonly Saying[] = [
  ['shorter', /^(?:please )?be (?:a bit )?(?:more )?(?:brief|concise|succinct|terse)(?: please)?$/],
  ['shorter', /^(?:please )?(?:give me )?shorter (?:answers|replies)(?: please)?$|^get to the point$/],
  ['shorter', /\byou(?:'re| are)?(?: being)?(?: way| far| a bit)? (?:too|so) (?:verbose|wordy|chatty)\b/],
  ['shorter', /\byou (?:talk|write|explain|say)(?: way| far)? too much\b|\bstop rambling\b/],
  ['shorter', /\byour [\w ]{0,12}(?:answer|repl|explan|summar)\w* (?:\w+ ){1,3}(?:long|verbose|wordy)\b/],
  ['shorter', /\b(?:can|could) you be (?:a bit )?(?:more )?(?:brief|concise|succinct|terse)\b/],
  ['longer', /\byour [\w ]{0,12}(?:answer|repl|explan|summar)\w* (?:\w+ ){0,3}too (?:short|terse|thin)\b/],
  [
    'no preamble',
    /\b(?:skip|drop|cut|omit) (?:the |your )?(?:preambles?|pleasantries|flattery|small talk|fluff)\b/,
  ],
  [
    'no preamble',
    /\bstop (?:saying (?:that )?(?:sorry|you're|great|absolutely)|apologi[sz]ing|flattering)\b/,
  ],
  ['preamble', /\b(?:tell|show) me what you(?:'re|'ll)? (?:\w+ ){0,4}before you (?:do|start|begin|change)\b/],
  ['direct', /\b(?:stop|quit) (?:hedging|sugarcoating)\b|^be (?:more )?(?:direct|blunt)$/],
  [
    'warm',
    /\byou(?:'re| are)?(?: being)? (?:too|so) (?:rude|cold|harsh|blunt)\b|^be (?:nicer|kinder|friendlier)$/,
  ],
  ['playful', /\byou(?:'re| are)? (?:too|so) (?:stiff|formal)\b|^don't be so (?:stiff|formal|serious)\b/],
  ['professional', /\b(?:stop using|no more) (?:the |so many )?(?:emojis?|jokes|puns)\b/],
  ['good', /^(?:perfect|great|excellent|good|nice|clear) (?:answer|explanation|summary)(?: thanks)?$/],
];

/** A remark about the answers comes early in a message; what follows is the next request. */
const LONGEST_READ = 600;
const EVIDENCE = 60;

export interface Understood {
  meaning: Meaning;
  words: string;
}

/**
 * What a message says about the agent's answers, each meaning once; praise only if there is nothing else. Only
 * sayings count that cannot be about anything else, in the person's own words: no code, no quotation.
 */
export function understand(message: string): Understood[] {
  const prose = mask(message).slice(0, LONGEST_READ).replaceAll('’', "'");
  const found = new Map<Meaning, string>();
  const sentences = prose.split(/[.!?;:…\p{Cc}]+|\p{Extended_Pictographic}/u).map((text) => text.trim());
  for (const [at, text] of sentences.filter((each) => /\p{L}/u.test(each)).entries()) {
    const plain = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}']+/gu, ' ')
      .trim();
    // "Your answers are not too long"; what begins with "don't" is meant so.
    if (/\b(?:not|never)\b|n't\b/.test(plain.replace(/^don't/, ''))) continue;
    for (const [meaning, pattern] of at === 0 ? [...FIRST, ...SAYINGS] : SAYINGS)
      if (!found.has(meaning) && compiled(pattern).test(plain)) found.set(meaning, shorten(text, EVIDENCE));
  }
  const all = [...found].map(([meaning, words]) => ({ meaning, words }));
  const wishes = all.filter(({ meaning }) => meaning !== 'good');
  return wishes.length > 0 ? wishes : all;
}
