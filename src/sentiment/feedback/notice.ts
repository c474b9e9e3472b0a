import { compiled } from '../../base/text/compile-patterns.ts';
import { digest } from '../../base/text/hash.ts';
import { shorten } from '../../base/text/shorten.ts';
import { mask } from '../../transcript/hearing.ts';
import type { Message } from '../../transcript/types.ts';
import type { FeedbackEvent, InForce, Meaning } from './remarks.ts';

/**
 * The same words within this time are the same message: first given directly, then found in the transcript.
 */
const SAME_MS = 10 * 60 * 1000;

export interface NoticeOptions {
  known: readonly FeedbackEvent[];
  /** Epoch milliseconds up to which a person's feedback is forgotten. */
  forgotten(person: string): number;
  /** The strategy for the message before this time (epoch milliseconds). */
  inForce(at: number): InForce | null;
}

/**
 * Remarks in a transcript about how people are answered, as far as they are not stored yet. Only the person's
 * own prose counts, only after an answer, and only with a time, since otherwise yesterday's remark would be
 * added again at each reading. `text` is what the person wrote.
 */
export function noticeFeedback(messages: readonly Message[], options: NoticeOptions): FeedbackEvent[] {
  const noticed: FeedbackEvent[] = [];
  let answered = false;
  for (const { role, content, timestamp, sender } of messages) {
    if (role === 'assistant') answered = true;
    const at = Date.parse(timestamp ?? '');
    const person = sender ?? '';
    if (role !== 'user' || !answered || Number.isNaN(at) || at <= options.forgotten(person)) continue;
    const mark = digest(`${person}\0${content.trim()}`);
    const same = (event: FeedbackEvent): boolean =>
      event.mark === mark && Math.abs(Date.parse(event.at) - at) < SAME_MS;
    if (options.known.some(same) || noticed.some(same)) continue;
    const found = understand(content);
    if (found.length === 0) continue;
    noticed.push({
      at: new Date(at).toISOString(),
      person,
      text: [...new Set(found.map(({ words }) => words))].join(' … '),
      meanings: found.map(({ meaning }) => meaning),
      source: 'noticed',
      strategy: options.inForce(at),
      mark,
    });
  }
  return noticed;
}

export interface Understood {
  meaning: Meaning;
  words: string;
}

/** A meaning, and a pattern over one sentence in lower case without marks. */
type Saying = readonly [Meaning, RegExp];

/** The first sentence of a message says only this: elsewhere "too long" is about a log or a list. */
const FIRST: readonly Saying[] = [
  ['shorter', /^(?:(?:way|far|much|a bit) )?too (?:verbose|wordy|chatty|long|long winded)$/],
  ['shorter', /^(?:(?:way|far) )?too much (?:text|detail|explanation|prose)$|^less (?:text|talking|prose)$/],
  ['longer', /^(?:(?:way|far|much|a bit) )?too (?:short|terse|curt)$/],
  ['direct', /^be (?:more )?(?:direct|blunt|straightforward)$/],
  ['warm', /^(?:(?:way|far|much|a bit) )?too (?:cold|rude|harsh|blunt|condescending)$/],
  ['good', /^(?:that|this)(?: answer| explanation| summary)? was perfect$/],
];

/** A sentence says only this. */
const WHOLE: readonly Saying[] = [
  ['shorter', /^(?:please )?be (?:a bit )?(?:more )?(?:brief|concise|succinct|terse)(?: please)?$/],
  ['shorter', /^(?:get to the point|just answer the question|no need to explain)(?: please)?$/],
  ['shorter', /^(?:please )?(?:(?:use|give|keep|write) )?(?:me )?shorter (?:answers|replies)(?: please)?$/],
  ['no preamble', /^(?:please )?(?:skip|cut|drop) the (?:small talk|fluff)$/],
  ['warm', /^(?:please )?be (?:a bit )?(?:more )?(?:nicer|kinder|friendlier|warmer)(?: please)?$/],
  ['playful', /^(?:please )?(?:lighten up|be more playful)$/],
  ['professional', /^(?:please )?be more (?:professional|serious)$|^no (?:emojis?|jokes|puns) please$/],
  ['good', /^(?:perfect|great|excellent|good|nice|clear) (?:answer|explanation|summary|reply)(?: thanks)?$/],
  ['good', /^(?:just |exactly )?the right (?:length|amount|level)\b/],
];

/** These name the agent or its answers, so a longer sentence may hold them. */
const NAMED: readonly Saying[] = [
  ['shorter', /\byou(?:'re| are)?(?: being)?(?: way| far| a bit)? (?:too|so) (?:verbose|wordy|chatty)\b/],
  ['shorter', /\byou (?:talk|write|explain|say)(?: way| far)? too much\b|\bstop (?:rambling|waffling)\b/],
  [
    'shorter',
    /\byour [\w ]{0,12}(?:answer|repl|respon|explan|summar)\w* (?:\w+ ){1,3}(?:long|verbose|wordy)\b/,
  ],
  ['shorter', /\b(?:can|could) you be (?:a bit )?(?:more )?(?:brief|briefer|concise|succinct|terse)\b/],
  ['shorter', /\b(?:keep|make) your (?:answers|replies|summaries) (?:short|shorter|brief|concise)\b/],
  ['shorter', /\b(?:stop explaining|don't explain) everything\b|\banother wall of text\b/],
  [
    'longer',
    /\byour [\w ]{0,12}(?:answer|repl|respon|explan|summar)\w* (?:\w+ ){0,3}too (?:short|terse|thin)\b/,
  ],
  [
    'longer',
    /\bthat (?:answer|reply|explanation) was too (?:short|terse|thin)\b|\bdon't be so (?:terse|curt)\b/,
  ],
  [
    'longer',
    /\b(?:want|need|prefer|like|give|write)(?: me)? (?:longer|fuller) (?:answers|replies|explanations)\b/,
  ],
  ['no preamble', /\b(?:skip|drop|cut|omit)(?: the| your)? (?:preambles?|pleasantries|flattery)\b/],
  [
    'no preamble',
    /\bstop saying (?:that )?(?:sorry|you're|great|good|absolutely|certainly|perfect)\b|\bstop telling me i'm right\b/,
  ],
  ['no preamble', /\b(?:stop|quit) (?:apologi[sz]ing|flattering|complimenting|thanking)\b/],
  ['no preamble', /\b(?:don't repeat|stop repeating) (?:my (?:question|request|message)|what i said)\b/],
  [
    'preamble',
    /\b(?:tell|show) me what you(?:'re|'ll)? (?:\w+ ){0,4}before you (?:do|start|begin|change|edit)\b/,
  ],
  [
    'direct',
    /\b(?:stop|quit) (?:hedging|sugarcoating)\b|\bdon't sugarcoat\b|\bbe (?:straight|blunt) with me\b/,
  ],
  ['warm', /\byou(?:'re| are)?(?: being)? (?:too|so) (?:rude|cold|harsh|blunt|condescending)\b/],
  ['warm', /\b(?:don't be|stop being) (?:so )?(?:rude|cold|harsh|blunt|condescending)\b/],
  [
    'playful',
    /\byou(?:'re| are)?(?: being)? (?:too|so) (?:stiff|formal)\b|\bdon't be so (?:stiff|formal|serious)\b/,
  ],
  ['professional', /\b(?:stop|quit) (?:using|adding) (?:the |so many )?(?:emojis?|jokes|puns)\b/],
  ['professional', /\bno more (?:emojis?|jokes|puns)\b|\byou(?:'re| are) too (?:casual|jokey|cheerful)\b/],
  [
    'good',
    /\b(?:like|love|prefer) (?:the|your|these|this) (?:short|brief|concise|direct|detailed) (?:answers|replies)\b/,
  ],
  ['good', /\bkeep (?:answering|explaining|writing) (?:it )?like (?:this|that)\b/],
];

/** A remark about the answers comes early in a message; what follows is the next request. */
const LONGEST_READ = 600;
const EVIDENCE = 60;
const NEGATED = /(?:^|\s)(?:not|isn't|wasn't|aren't|never|don't|doesn't|didn't)\b/;

/**
 * What a message says about the agent's answers, each meaning once; praise only if there is nothing else. Only
 * sayings count that cannot be about anything else, in the person's own words: no code, no quotation.
 */
export function understand(message: string): Understood[] {
  const prose = mask(message).prose.slice(0, LONGEST_READ).replaceAll('’', "'");
  const found = new Map<Meaning, string>();
  sentencesOf(prose).forEach(({ text, plain }, at) => {
    for (const [meaning, pattern] of at === 0 ? [...FIRST, ...WHOLE, ...NAMED] : [...WHOLE, ...NAMED]) {
      const match = compiled(pattern).exec(plain);
      if (match === null || found.has(meaning) || isNegated(plain, match)) continue;
      found.set(meaning, shorten(text, EVIDENCE));
    }
  });
  const all = [...found].map(([meaning, words]) => ({ meaning, words }));
  const wishes = all.filter(({ meaning }) => meaning !== 'good');
  return wishes.length > 0 ? wishes : all;
}

function sentencesOf(prose: string): { text: string; plain: string }[] {
  return prose.split(/[.!?;:…\p{Cc}]+|\p{Extended_Pictographic}/u).flatMap((part) => {
    const text = part.trim();
    const plain = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}']+/gu, ' ')
      .trim();
    return plain === '' ? [] : [{ text, plain }];
  });
}

/** "Your answers are not too long": the saying is there, but denied. One that begins with "don't" is meant so. */
function isNegated(plain: string, { 0: words, index }: RegExpExecArray): boolean {
  const before = plain.slice(0, index).trim().split(' ').slice(-2).join(' ');
  return NEGATED.test(before) || NEGATED.test(words.replace(/^\S+/, ''));
}
