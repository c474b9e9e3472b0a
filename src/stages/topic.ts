import { redactSecrets } from '../safety/redact.ts';
import { compiled } from '../text/compile-patterns.ts';
import type { Message } from '../transcript/message.ts';
import { type Clause, clausesOf } from './clauses.ts';
import { tellingOf, wordsOf } from './common-words.ts';

/** What a window of messages is about, in the person's words. */
export interface Topic {
  /** The request or the trouble that the rest of the window turns round. */
  work?: Said;
  /** What was said last that says something. */
  last?: Said;
}

export interface Said {
  text: string;
  /** For `--explain`. */
  why: string;
}

/** A message that is nothing but a go-ahead says less than this. */
const SAYS_SOMETHING = 1.6;
/** So many words of a clause count: a long sentence is not more central for being long. */
const WORDS_COUNTED = 6;
export const TOPIC_CHARACTERS = 120;
/** What a request is worth against a mere remark of the same words. */
const KIND = new Map<Clause['kind'], number>([
  ['request', 1.5],
  ['trouble', 1.3],
  ['question', 0.9],
  ['statement', 0.7],
]);
/** Begins with a word for something that was named before: it does not stand alone as well. */
const POINTING = new Set(['it', 'this', 'that', 'they', 'these', 'those', 'he', 'she']);
const FIRST_WORD = /^\w+/;
/** A message counts so much less than the next. */
const FADING = 0.94;
/** What opened the session, once it has left the window, counts like something said so long ago at most. */
const OPENING = 0.8;
/** Of agents' words and tools' input the beginning tells what they are about. */
const LONGEST_LISTENED = 600;

interface Candidate extends Said {
  /** Which of the human messages, 0 the oldest; -1 for the opening of the session. */
  turn: number;
  score: number;
}

/**
 * @param opening the first words of the session, where they are older than the window
 */
export function topicOf(messages: readonly Message[], opening: string | undefined): Topic {
  const human = messages.filter((message) => message.role === 'user');
  const heard = heardIn(messages);
  const candidates: Candidate[] = [];
  // Redacted before anything is cut: a secret is known by what stands around it.
  const spoken = human.map(({ content }) => clausesOf(redactSecrets(content.slice(0, 4000))));
  spoken.forEach((clauses, turn) => {
    for (const clause of clauses) {
      const score = weigh(clause, heard) * FADING ** (human.length - 1 - turn);
      candidates.push({ text: clause.text, turn, score, why: `${clause.kind}, weight ${score.toFixed(1)}` });
    }
  });
  if (opening !== undefined) {
    for (const clause of clausesOf(redactSecrets(opening.slice(0, 4000)))) {
      const score = weigh(clause, heard) * OPENING * stillHeard(clause, heard);
      candidates.push({
        text: clause.text,
        turn: -1,
        score,
        why: `opening ${clause.kind}, weight ${score.toFixed(1)}`,
      });
    }
  }
  const last = lastOf(spoken, SAYS_SOMETHING) ?? lastOf(spoken, 0);
  const work = best(candidates.filter(({ text }) => text !== last?.clause));
  const topic: Topic = {};
  // In a session that has just begun the last words are all there is.
  const only = work ?? last;
  if (only) topic.work = { text: only.text, why: only.why };
  if (work && last) topic.last = { text: last.text, why: last.why };
  return topic;
}

function best(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (found, next) => (next.score >= SAYS_SOMETHING && next.score > (found?.score ?? 0) ? next : found),
    undefined,
  );
}

/** The newest message that is more than a go-ahead: all of it when it is short, else the sentence that says most. */
function lastOf(spoken: readonly Clause[][], atLeast: number): (Said & { clause: string }) | undefined {
  for (let turn = spoken.length - 1; turn >= 0; turn -= 1) {
    const clauses = spoken[turn] ?? [];
    const whole = clauses.map(({ text }) => text).reduce(joined, '');
    if (!/\S\s+\S+\s+\S/.test(whole) || plainWeight(whole) < atLeast) continue;
    const ranked = clauses.map(({ text, kind }) => ({
      text,
      score: plainWeight(text) * (KIND.get(kind) ?? 1),
    }));
    const top = ranked.reduce((found, next) => (next.score > found.score ? next : found));
    return {
      text: whole.length <= TOPIC_CHARACTERS ? whole : top.text,
      clause: top.text,
      why:
        turn === spoken.length - 1
          ? 'the last message of the person'
          : `said ${spoken.length - 1 - turn} messages before the last`,
    };
  }
  return undefined;
}

/** In how many messages each word stands. */
function heardIn(messages: readonly Message[]): Map<string, number> {
  const heard = new Map<string, number>();
  for (const { role, content } of messages) {
    const part = role === 'user' ? content.slice(0, 4000) : content.slice(0, LONGEST_LISTENED);
    // `0.9.3-gpu` speaks of 0.9.3 and of gpu, too.
    const words = wordsOf(part).flatMap((word) =>
      word.includes('/') || word.includes('-') ? [word, ...word.split(/[/-]/)] : [word],
    );
    for (const word of new Set(words)) heard.set(word, (heard.get(word) ?? 0) + 1);
  }
  return heard;
}

function weigh(clause: Clause, heard: ReadonlyMap<string, number>): number {
  const words = [...new Set(wordsOf(clause.text))].map((word) => {
    const count = heard.get(word) ?? 0;
    return tellingOf(word) * (count >= 2 ? Math.log2(1 + Math.min(count, 12)) : 0.5);
  });
  words.sort((a, b) => b - a);
  const sum = words.slice(0, WORDS_COUNTED).reduce((total, weight) => total + weight, 0);
  return sum * (KIND.get(clause.kind) ?? 1) * (points(clause.text) ? 0.7 : 1);
}

/** Whether it begins with a word for something else. */
function points(text: string): boolean {
  return POINTING.has(compiled(FIRST_WORD).exec(text)?.[0].toLowerCase() ?? '');
}

function joined(before: string, text: string): string {
  if (before === '') return text;
  return `${before}${/[?!]$/.test(before) ? '' : '.'} ${text}`;
}

function plainWeight(text: string): number {
  return [...new Set(wordsOf(text))].reduce((total, word) => total + tellingOf(word), 0);
}

/** Which part of what opened the session is still spoken of. */
function stillHeard(clause: Clause, heard: ReadonlyMap<string, number>): number {
  const telling = [...new Set(wordsOf(clause.text))].filter((word) => tellingOf(word) >= 1);
  return telling.length === 0
    ? 0
    : telling.filter((word) => (heard.get(word) ?? 0) >= 2).length / telling.length;
}
