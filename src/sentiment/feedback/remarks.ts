import { join } from 'node:path';
import DATA from '../../../models/words/remarks.json' with { type: 'json' };
import {
  DATA_DIR,
  exists,
  keepForProcess,
  setAside,
  sweepTemporary,
  tryReadJson,
  withLock,
  writeAtomically,
} from '../../base/fs/index.ts';
import { list, makeUnion, record, text } from '../../base/fs/json-shape.ts';
import { sanitizeLine, toPlainLine } from '../../base/safety/index.ts';
import { formatAge } from '../../base/text/durations.ts';
import { getList, getString, toMembers } from '../../base/text/json.ts';
import { compilePattern, shorten } from '../../base/text/strings.ts';
import type { Config } from '../../config/settings.ts';
import { extractProse } from '../../transcript/pasted-text.ts';
import type { Message } from '../../transcript/types.ts';
import { type Strategy, VERBOSITIES } from '../types.ts';

export type Advice = Pick<Strategy, 'style' | 'tone' | 'verbosity' | 'preamble'>;

/** What a remark about the answers can ask for; `good` is praise, which `audit` counts and which changes nothing. */
export const MEANINGS = [
  'shorter',
  'longer',
  'no preamble',
  'preamble',
  'direct',
  'warm',
  'playful',
  'professional',
  'good',
] as const;
export type Meaning = (typeof MEANINGS)[number];

export interface FeedbackEvent {
  /** ISO 8601, UTC. */
  at: string;
  /** The name that the host gives them; empty where it names nobody, and for what was said to the command. */
  person: string;
  /** What they said, redacted, as one plain line; of a remark in a transcript only the relevant words. */
  text: string;
  meanings: readonly Meaning[];
  /** `said`: through the command; `noticed`: found in a transcript. */
  source: 'said' | 'noticed';
}

export interface Feedback {
  events: readonly FeedbackEvent[];
  lastsMs: number;
}

export interface AdjustedStrategy {
  strategy: Strategy;
  why: { verbosity?: string; tone?: string; preamble?: string };
}

/**
 * Applies a person's newest wishes to the strategy that the mood suggests. Limits: the length changes by one step; a
 * preamble does not return while the mood calls for speed or rest; no jokes for somebody who is strained or tired, no
 * bluntness for somebody tired. The style depends on the mood alone.
 * @param person the name that the host gives them, or empty
 * @param now epoch milliseconds
 */
export function adjust(usual: Strategy, feedback: Feedback, person: string, now: number): AdjustedStrategy {
  const strategy = { ...usual };
  const why: AdjustedStrategy['why'] = {};
  const isCounted = ({ at, person: by }: FeedbackEvent): boolean =>
    (by === person || by === '') && now - Date.parse(at) < feedback.lastsMs;
  for (const event of sortEvents(feedback.events.filter(isCounted))) {
    const reason = `feedback: "${event.text}", ${event.source} ${formatAge(now - Date.parse(event.at))} ago`;
    for (const wish of event.meanings.map((meaning) => computeWish(meaning, usual))) {
      Object.assign(strategy, wish);
      for (const part of Object.keys(wish) as (keyof typeof why)[])
        why[part] = `${reason}; ${formatValue(usual[part])} without it`;
    }
  }
  for (const part of ['verbosity', 'preamble', 'tone'] as const)
    if (strategy[part] === usual[part]) delete why[part];
  return { strategy, why };
}

const formatValue = (value: string | boolean): string => {
  if (typeof value === 'string') return value;
  return value ? 'YES' : 'NO';
};

function computeWish(
  meaning: Meaning,
  usual: Strategy,
): Partial<Pick<Strategy, 'verbosity' | 'tone' | 'preamble'>> {
  const isStrained = usual.style === 'concise' || usual.style === 'gentle';
  switch (meaning) {
    case 'shorter':
    case 'longer': {
      const step = VERBOSITIES.indexOf(usual.verbosity) + (meaning === 'longer' ? 1 : -1);
      return { verbosity: VERBOSITIES[step] ?? usual.verbosity };
    }
    case 'no preamble':
      return { preamble: false };
    case 'preamble':
      return isStrained ? {} : { preamble: true };
    case 'playful':
      return isStrained ? {} : { tone: meaning };
    case 'direct':
      return usual.style === 'gentle' ? {} : { tone: meaning };
    case 'good':
      return {};
    default:
      return { tone: meaning };
  }
}

const sortEvents = (events: readonly FeedbackEvent[]): FeedbackEvent[] =>
  [...events].sort((a, b) => Number(a.at > b.at) - Number(a.at < b.at));

/** `concise, direct, minimal, no introduction`. */
export const formatStrategy = ({ style, tone, verbosity, preamble }: Advice): string =>
  `${style}, ${tone}, ${verbosity}, ${preamble ? 'introduction' : 'no introduction'}`;

/**
 * Remarks in a transcript about how people are answered, as far as they are not known yet. Only the person's own
 * prose counts, only after an answer, and only with a time, since otherwise yesterday's remark would be added again
 * at each reading.
 */
export function detectFeedback(messages: readonly Message[], known: FeedbackFile = NONE): FeedbackEvent[] {
  const noticed: FeedbackEvent[] = [];
  const forgotten = Date.parse(known.forgotten ?? '');
  let answered = false;
  for (const { role, content, timestamp, sender } of messages) {
    if (role === 'assistant') answered = true;
    const time = Date.parse(timestamp ?? '');
    if (role !== 'user' || !answered || Number.isNaN(time) || time <= forgotten) continue;
    const [at, person] = [new Date(time).toISOString(), sender ?? ''];
    const found = recallRemarks(content);
    if (found.length === 0) continue;
    // Text of a transcript is foreign: what this returns is safe to write and to show.
    const text = sanitizeLine([...new Set(found.map(({ words }) => words))].join(' … '), NOTICED_LENGTH);
    const meanings = found.map(({ meaning }) => meaning);
    const event: FeedbackEvent = { at, person, text, meanings, source: 'noticed' };
    if (!isStored(event, [...known.events, ...noticed])) noticed.push(event);
  }
  return noticed;
}

/** A prompt in hand has the time of its call, its record in the transcript another one. */
const SAME_MS = 10 * 60_000;

const isStored = ({ at, person, text }: FeedbackEvent, events: readonly FeedbackEvent[]): boolean =>
  events.some((event) => {
    const gapMs = Math.abs(Date.parse(event.at) - Date.parse(at));
    return event.person === person && (gapMs === 0 || (gapMs < SAME_MS && event.text === text));
  });

/** What messages were found to say: a process that stays meets each of them at every prompt. */
const understood = keepForProcess(new Map<string, readonly UnderstoodRemark[]>());
const MOST_UNDERSTOOD = 500;

function recallRemarks(message: string): readonly UnderstoodRemark[] {
  const found = understood.get(message) ?? understandRemark(message);
  if (understood.size >= MOST_UNDERSTOOD) understood.clear();
  understood.set(message, found);
  return found;
}

const NOTICED_LENGTH = 80;

type Saying = readonly [Meaning, RegExp];

const loadSayings = (table: Readonly<Partial<Record<Meaning, readonly string[]>>>): Saying[] =>
  MEANINGS.flatMap((meaning) =>
    (table[meaning] ?? []).map((source): Saying => [meaning, new RegExp(source)]),
  );

/** A sentence says only this, or names the agent or its answers. */
const SAYINGS = loadSayings(DATA.any);
/** The first sentence of a message says only this: elsewhere "too long" is about a log or a list. */
const FIRST_SAYINGS = [...loadSayings(DATA.first), ...SAYINGS];

/** A remark about the answers comes early in a message; what follows is the next request. */
const LONGEST_READ = 600;
const EVIDENCE = 60;

interface UnderstoodRemark {
  meaning: Meaning;
  words: string;
}

/**
 * What a message says about the agent's answers, each meaning once; praise only if there is nothing else. Only
 * sayings count that cannot be about anything else, in the person's own words: no code, no quotation.
 */
export function understandRemark(message: string): UnderstoodRemark[] {
  const prose = extractProse(message).slice(0, LONGEST_READ).replaceAll('’', "'");
  const found = new Map<Meaning, string>();
  const sentences = prose.split(/[.!?;:…\p{Cc}]+|\p{Extended_Pictographic}/u).map((text) => text.trim());
  for (const [at, text] of sentences.filter((each) => /\p{L}/u.test(each)).entries()) {
    const plain = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}']+/gu, ' ')
      .trim();
    // "Your answers are not too long"; what begins with "don't" is meant so.
    if (/\b(?:not|never)\b|n't\b/.test(plain.replace(/^don't/, ''))) continue;
    const hasSaying = SAYINGS.some(([, pattern]) => compilePattern(pattern).test(plain));
    // "Too long, skip the preamble", and not "too long, split the function".
    const start = hasSaying ? plain.slice(0, text.search(/,|$/)) : plain;
    for (const [meaning, pattern] of at === 0 ? FIRST_SAYINGS : SAYINGS)
      if (!found.has(meaning) && [start, plain].some((words) => compilePattern(pattern).test(words)))
        found.set(meaning, shorten(text, EVIDENCE));
  }
  const all = [...found].map(([meaning, words]) => ({ meaning, words }));
  const wishes = all.filter(({ meaning }) => meaning !== 'good');
  return wishes.length > 0 ? wishes : all;
}

interface FeedbackFile {
  /** Oldest first. */
  events: readonly FeedbackEvent[];
  /** The ISO 8601 time up to which everybody's feedback is forgotten. */
  forgotten?: string | undefined;
}

const NONE: FeedbackFile = { events: [] };
const FILE = 'feedback.json';
const MOST_EVENTS = 500;
const TEXT_LENGTH = 200;

export function readFeedback(data: string): FeedbackFile {
  const found = toMembers(tryReadJson(join(data, FILE), 'record'));
  return {
    events: keepNewest(getList(found, 'events').flatMap(parseEvent)),
    forgotten: getString(found, 'forgotten'),
  };
}

const STORED_REMARK = record(
  { at: text, person: text, meanings: list(makeUnion(...MEANINGS)) },
  { text, source: makeUnion('said', 'noticed') },
);

/** A stored remark. The file may have come with a clone, so every field is checked. */
function parseEvent(value: unknown): FeedbackEvent[] {
  const found = STORED_REMARK(value);
  const time = Date.parse(found?.at ?? '');
  if (found === undefined || Number.isNaN(time)) return [];

  const meanings = MEANINGS.filter((meaning) => found.meanings.includes(meaning));
  const words = toPlainLine(found.text ?? '', TEXT_LENGTH);
  const source = found.source ?? 'noticed';
  return [{ at: new Date(time).toISOString(), person: found.person, text: words, meanings, source }];
}

/**
 * Changes the stored feedback: under a lock, flushed, atomically, readable by this user only. An unreadable file is
 * set aside first.
 * @param waitMs how long to wait for another process
 * @returns where a damaged file was moved, if there was one
 * @throws ScratchpadError `environment` if it cannot be written
 */
export async function changeFeedback(
  data: string,
  change: (now: FeedbackFile) => FeedbackFile,
  waitMs?: number,
): Promise<string | undefined> {
  const path = join(data, FILE);
  return withLock(
    join(data, 'feedback.lock'),
    (lock) => {
      if (lock.tookOver) sweepTemporary(data, (target) => target === FILE);
      const isSound = !exists(path) || Array.isArray(toMembers(tryReadJson(path, 'record')).events);
      const { events, forgotten } = change(readFeedback(data));
      const damaged = isSound ? undefined : setAside(path, join(data, 'recovered'));
      const stored = { scratchpad: 1, events: keepNewest(events), forgotten };
      lock.check();
      writeAtomically(path, `${JSON.stringify(stored, null, 1)}\n`, { mode: 0o600 });
      return damaged;
    },
    waitMs,
  );
}

/** Adds remarks; those noticed in a transcript, only if they are not stored yet. */
export function withEvents(file: FeedbackFile, more: readonly FeedbackEvent[]): FeedbackFile {
  const added = more.filter((event) => event.source === 'said' || !isStored(event, file.events));
  return { ...file, events: [...file.events, ...added] };
}

const keepNewest = (events: readonly FeedbackEvent[]): FeedbackEvent[] =>
  sortEvents(events).slice(-MOST_EVENTS);

/** The feedback for one reading: what is stored, and what is found in its messages for the first time. */
interface CollectedFeedback {
  events: readonly FeedbackEvent[];
  noticed: readonly FeedbackEvent[];
}

export function collectFeedback(
  root: string,
  config: Config,
  messages: readonly Message[],
): CollectedFeedback {
  const file = readFeedback(join(root, DATA_DIR));
  const noticed = config.feedback.notice ? detectFeedback(messages, file) : [];
  return { events: [...file.events, ...noticed], noticed };
}

/** An assembly does not wait longer for another process: the same remarks are found again at the next one. */
const LOCK_WAIT_MS = 300;

/** Stores the remarks that were found, in a workspace that stores anything at all. */
export async function keepFeedback(root: string, { noticed }: CollectedFeedback): Promise<void> {
  const data = join(root, DATA_DIR);
  if (noticed.length === 0 || !exists(data)) return;
  await changeFeedback(data, (now) => withEvents(now, noticed), LOCK_WAIT_MS);
}
