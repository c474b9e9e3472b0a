import DATA from '../../models/words/cues.json' with { type: 'json' };
import { compilePattern, makeWordSet } from '../base/text/strings.ts';

/*
 * Ways of speaking that show how a person takes the agent's work, as patterns over the person's own words in lower case:
 * `models/words/cues.json`. Each is a kind of sentence, not a list of examples; its weight was learnt
 * (`scripts/train/reader.ts`). Every pattern is linear: gaps are bounded.
 */

export interface Cue {
  name: string;
  /** All matches; `null` if there is none. */
  find(text: string): string[] | null;
}

function compileCues(table: Readonly<Record<string, string>>, negates?: RegExp): readonly Cue[] {
  return Object.entries(table).map(([name, source]) => {
    // Emoji are whole characters only so.
    const flags = /[\u{10000}-\u{10ffff}]/u.test(source) ? 'gu' : 'g';
    const pattern = new RegExp(source, flags);
    const find = (text: string): string[] | null => {
      const found = [...text.matchAll(compilePattern(pattern))];
      const meant = found.filter(({ index }) => !negates?.test(text.slice(Math.max(0, index - 60), index)));
      return meant.length === 0 ? null : meant.map(([words]) => words);
    };
    return { name, find };
  });
}

const compileAll = (sources: readonly string[]): RegExp[] => sources.map((source) => new RegExp(source));

export const WORD_CUES = compileCues(DATA.words);
export const REPLY_CUES = compileCues(DATA.reply);
export const SWEARING = new RegExp(DATA.words.swearing, 'g');

/** What stands before a word that is denied: `no `, `not in a `, `no need to fix it `. */
const NEGATES = new RegExp(DATA.negates);

/**
 * Moods that are recognized only by explicit words: there were too few examples to learn from (of 1,596
 * messages two urgent, none playful), and "right now" is not enough.
 */
export const MOOD_CUES = {
  urgency: compileCues(DATA.moods.urgency, NEGATES),
  playfulness: compileCues(DATA.moods.playfulness, NEGATES),
  fatigue: compileCues(DATA.moods.fatigue, NEGATES),
} as const;

/**
 * How an exchange is going, after the signs of satisfaction of Y.-C. Lin et al. (SPUR, ACL 2024) and the
 * interaction parameters of A. Schmitt and S. Ultes (Speech Communication, 2015). They affect valence only:
 * declining an offer is not anger.
 */
export const REFUSES = new RegExp(DATA.exchange.refuses);
export const ASKS_FOR_ANOTHER = new RegExp(DATA.exchange['asks for another']);
export const ACCEPTS = new RegExp(DATA.exchange.accepts);

export const REPLY_FAILED = new RegExp(DATA.replyFailed);
/** An offer that ends the matter: answering "no" declines nothing. */
export const REPLY_CLOSES = new RegExp(DATA.replyCloses);
/** A call that the person stopped, as marked in histories stored as text. */
export const STOPPED = new RegExp(DATA.stopped);

/** Words that people capitalize to raise their voice; other capitals are constants and acronyms. */
export const SHOUTED = makeWordSet(DATA.shouted);

/** A curse in a message with one of these words and without a reproach is joy: "fuck yeah it works". */
export const JOY = compileAll(DATA.joy);
export const REPROACH = compileAll(DATA.reproach);

const LEAD_IN = '(?:and|but|then|so|now|next|also|please|just|ok|okay|instead),? ';
/** A request for work, or what must be: what it calls broken or ugly is material, not the agent's answer. */
export const ASKS_FOR_WORK = new RegExp(
  `(?:^|[.!?;:,] )(?:${LEAD_IN}){0,2}(?:${DATA.work.replaceAll(' ', '|')})\\b|\\b(?:must|needs? to|has to|please)\\b`,
);
/** No complaint of the person: what is granted ("even though they're ugly"), and what others say or feel. */
export const GRANTED = new RegExp(DATA.granted, 'g');

/** A mood that the person denies is not theirs: "not angry at all". */
export const DENIED = new RegExp(DATA.denied);

/** What was wrong is right now: more than an "ok". */
export const SETTLED = new RegExp(DATA.settled);
export const OWN_FAULT = new RegExp(DATA.ownFault);

/** Praise that is none: the harm is named in the same breath, without a "but". */
export const MOCK_PRAISE = new RegExp(DATA.mockPraise);
export const HARM = compileAll(DATA.harm);
