import WORDS from '../../models/words/sentiment.json' with { type: 'json' };
import { HOUR_MS } from '../base/text/durations.ts';
import { foldProse, splitWords } from '../base/text/prose.ts';
import { extractProse } from '../transcript/pasted-text.ts';
import type { Message, Sign } from '../transcript/types.ts';
import { type Cue, MOOD_CUES, REPROACH } from './cues.ts';
import { listPlainWords, tokenize } from './features.ts';
import { type ModelReading, REST_AROUSAL, type SentimentModel, toProbability } from './model.ts';
import {
  acceptsAnswer,
  type Exchange,
  matches,
  READER,
  type Reading,
  rateSuitability,
  readExchange,
} from './reader.ts';
import { DIMENSIONS, type Dimensions, type ReadMessage, type SentimentState, type Signal } from './types.ts';

export interface WindowOptions {
  /** Number of messages, where a sequence of replies and tool results counts as one; default 20. */
  windowMessages?: number;
  /** How far before the person's last message the window reaches, in milliseconds; default 4 h. */
  windowMs?: number;
  signs?: readonly Sign[];
}

export interface Utterance extends Exchange {
  person: string;
  /** Messages older than the window only serve the trajectory. */
  isRecent: boolean;
}

const WINDOW_MESSAGES = 20;
const WINDOW_MS = 4 * HOUR_MS;
const SESSION_WINDOWS = 4;

export function collectUtterances(messages: readonly Message[], options: WindowOptions): Utterance[] {
  const limit = options.windowMessages ?? WINDOW_MESSAGES;
  const span = options.windowMs ?? WINDOW_MS;
  const end = messages.findLastIndex(({ role }) => role === 'user');
  const spoke = parseTime(messages[end]);
  const readings: { message: Message; isRecent: boolean }[] = [];
  let counted = 0;
  let inReplies = false;

  for (const message of messages.slice(0, end + 1).reverse()) {
    if (message.role === 'system') continue;

    const time = parseTime(message);
    const age = spoke !== undefined && time !== undefined ? spoke - time : 0;
    const isReply = message.role !== 'user';

    if (!isReply || !inReplies) counted++;
    inReplies = isReply;
    if (counted > limit * SESSION_WINDOWS || age > span * SESSION_WINDOWS) break;

    readings.push({ message, isRecent: counted <= limit && age <= span });
  }

  return buildExchanges(readings.reverse(), options.signs ?? []);
}

function buildExchanges(
  messages: readonly { message: Message; isRecent: boolean }[],
  signs: readonly Sign[],
): Utterance[] {
  const utterances: Utterance[] = [];
  let reply: Message | undefined;

  for (const { message, isRecent } of messages) {
    if (message.role === 'assistant' && message.content.trim() !== '') reply = message;
    if (message.role !== 'user') continue;

    const read = readMessage(message);
    const person = message.sender ?? '';
    const before = utterances.at(-1)?.message.time ?? Number.NEGATIVE_INFINITY;
    const wasStopped = signs.some(({ timestamp }) => {
      const at = Date.parse(timestamp ?? '');
      return at >= before && at <= (read.time ?? Number.NEGATIVE_INFINITY);
    });
    const stopped = message.voice === 'rejection' || wasStopped;
    utterances.push({ message: read, reply, stopped, person, isRecent });
  }

  return utterances;
}

export function readMessage(message: Message): ReadMessage {
  const content = typeof message.content === 'string' ? message.content : '';
  const prose = extractProse(content);
  const tokens = tokenize(prose);
  return { ...message, content, prose, tokens, words: listPlainWords(tokens), time: parseTime(message) };
}

/** The current time: the caller's clock, else the time of the last message that has one. */
export function findPresent(messages: readonly Message[], now: number | undefined): number | undefined {
  if (now !== undefined && Number.isFinite(now)) return now;
  return parseTime(messages.findLast((message) => parseTime(message) !== undefined));
}

function parseTime(message: Message | undefined): number | undefined {
  const time = Date.parse(message?.timestamp ?? '');
  return Number.isFinite(time) ? time : undefined;
}

export interface Turn
  extends Pick<SentimentState, 'valence' | 'arousal' | 'confidence' | 'isRead' | 'signals'>,
    Pick<ReadMessage, 'time'> {
  dimensions: Dimensions;
  /** They accept the answer, or take the blame: what they were cross about is over. */
  eases: boolean;
}

/** A message with fewer words of prose says nothing, unless it is a curse. */
const MIN_WORDS = 2;

export function createQuietTurn(time?: number): Turn {
  const dimensions = Object.fromEntries(DIMENSIONS.map((d) => [d, 0])) as Dimensions;
  return {
    ...{ dimensions, valence: 0, arousal: REST_AROUSAL, confidence: 0, signals: [], time },
    ...{ isRead: true, eases: false },
  };
}

export function readTurn(exchange: Exchange, model: SentimentModel | null): Turn {
  const { message } = exchange;
  const turn = createQuietTurn(message.time);
  const words = message.words.length;
  if (model === null || words === 0) return turn;
  if (!isEnglish(message.prose)) return { ...turn, isRead: false };

  const reading = model.score(message.prose, message.tokens);
  const read = readExchange(exchange, reading);

  // .5 is where it is named.
  turn.dimensions.frustration = toProbability(STEEPNESS * (read.displeased - READER.named));
  turn.signals = listReasons(read, turn.dimensions.frustration);
  for (const dimension of Object.keys(MOOD_CUES) as (keyof typeof MOOD_CUES)[])
    addMood(turn, dimension, foldProse(message.prose), reading);
  turn.dimensions.frustration *= rateBlame(turn, foldProse(message.prose));
  // A curse is not playful.
  turn.dimensions.playfulness *= 1 - turn.dimensions.frustration;
  turn.valence = computeValence(exchange, read, reading);
  turn.arousal = clamp(reading.arousal + 0.2 * turn.dimensions.urgency, 0, 1);
  turn.eases = turn.dimensions.frustration < EASED && acceptsAnswer(exchange);
  const strongest = Math.max(...Object.values(turn.dimensions));
  const isCurse = words < MIN_WORDS && turn.dimensions.frustration > 0.5;

  const substance = words < MIN_WORDS ? 0.2 * words : 1 - Math.exp(-(words + 1) / 4);

  turn.confidence = Math.min(0.95, (isCurse ? 0.8 : substance) * (0.72 + 0.25 * strongest));

  return turn;
}

const EASED = 0.3;

const STEEPNESS = 0.6;

const TOLD_WEIGHT = 0.2;

const BACKGROUND: ReadonlySet<string> = new Set(['an answer before', 'you', 'we', 'a long message']);
/** Features that tiredness has, too, whatever else the message says. */
const VAGUE: ReadonlySet<string> = new Set(['the wording', 'emphasis']);
const VENTING: ReadonlySet<string> = new Set([
  ...VAGUE,
  'sighs',
  'swearing',
  'exclamation marks',
  'capitals',
]);
/** A sigh about something else than the answer: "ugh, mondays". */
const ASIDE = /^\W*(?:u+g+h+|sigh)\W+(?!come on|seriously|oh boy|this|that|you)\w|\w\W+(?:u+g+h+|sigh)\W*$/;

function rateBlame({ signals, dimensions }: Turn, prose: string): number {
  const blames = signals.filter(({ raises }) => raises === 'frustration').map(({ name }) => name);
  const tiredWords = signals.flatMap(({ raises, evidence }) => (raises === 'fatigue' ? evidence : []));
  const rest = tiredWords.reduce((text, words) => text.replace(words, ' '), prose);
  const isTired = dimensions.fatigue > 0;
  // "Tired, but let's go on" reproaches nobody.
  const isReproach = matches(isTired ? REPROACH.slice(1) : REPROACH, rest);

  if (!blames.every((name) => (isReproach ? VAGUE : VENTING).has(name))) return 1;
  if (isTired) return 1 - dimensions.fatigue;
  return !isReproach && ASIDE.test(prose) ? 1 - USUAL_STRENGTH : 1;
}

const MOST_REASONS = 6;

const listReasons = ({ reasons }: Reading, frustration: number): Signal[] =>
  reasons
    .filter(({ feature, weight }) => weight >= TOLD_WEIGHT && !BACKGROUND.has(feature.name))
    .slice(0, MOST_REASONS)
    .map(({ feature, weight }) => ({
      name: feature.name,
      score: Math.min(1, frustration * (1 - Math.exp(-weight))),
      raises: 'frustration' as const,
      evidence: feature.evidence === undefined ? [] : [feature.evidence],
    }));

/** Kinds of explicit words that name a mood on their own; two of any kind always do. */
const STRENGTH: Readonly<Record<string, number>> = {
  laughter: 0.4,
  'a wink or a smile': 0.3,
  joking: 0.35,
  'wants to stop for today': 0.4,
};
const USUAL_STRENGTH = 0.7;
/** The head of playfulness was trained on other talk: it never names it on its own. */
const MOST_BY_HEAD = 0.3;

function addMood(turn: Turn, dimension: keyof typeof MOOD_CUES, text: string, reading: ModelReading): void {
  let miss = 1;
  for (const { name, find } of MOOD_CUES[dimension] as readonly Cue[]) {
    const found = find(text);
    if (found === null) continue;

    const score = STRENGTH[name] ?? USUAL_STRENGTH;
    miss *= 1 - score;
    turn.signals.push({
      name,
      score,
      raises: dimension,
      evidence: found.slice(0, 3).map((words) => words.trim()),
    });
  }

  const head = dimension === 'playfulness' ? reading.heads.playful : undefined;
  turn.dimensions[dimension] =
    1 - miss * (1 - MOST_BY_HEAD * toProbability(head ?? Number.NEGATIVE_INFINITY));
}

/**
 * After an answer: how much likelier praise is than displeasure, and whether the answer suits. Before one:
 * the model's reading of the words.
 */
export function computeValence(
  exchange: Exchange,
  { displeased, pleased }: Reading,
  { valence }: ModelReading,
): number {
  if (exchange.reply === undefined) return valence;
  const judged = toProbability(pleased) - toProbability(displeased);
  return clamp(judged + WORDS_SHARE * valence + SUITS_SHARE * rateSuitability(exchange), -1, 1);
}

const WORDS_SHARE = 0.5;
const SUITS_SHARE = 0.5;

export const clamp = (value: number, low: number, high: number): number =>
  value >= low ? Math.min(value, high) : low;

const ENGLISH_WORDS = new Set(WORDS.functionWords.split(' '));
const FOREIGN_WORDS = new Set(WORDS.otherFunctionWords.split(' ').filter((word) => !ENGLISH_WORDS.has(word)));

/** An English error quoted by a German is German, and the other way round. */
const QUOTED = /"[^"\n]*"|“[^“”\n]*”|„[^„“\n]*“|«[^«»\n]*»/g;

/**
 * Doubted only on evidence: another script, or more function words of another language than of English; terse English
 * without function words passes.
 */
export function isEnglish(prose: string): boolean {
  const own = prose.replace(QUOTED, ' ');
  const head = own.slice(0, 400);
  const letters = head.match(/\p{L}/gu)?.length ?? 0;
  const latin = head.match(/[a-z]/gi)?.length ?? 0;
  const words = splitWords(own);
  const [ours, theirs] = countFunctionWords(words);

  if (latin < (ours === 0 ? 0.96 : 0.6) * letters) return false;

  return theirs <= ours || (theirs === 1 && ours > 0 && words.length > 3);
}

/** A terse message may have neither. */
export function countFunctionWords(words: readonly string[]): [ours: number, theirs: number] {
  const count = (list: ReadonlySet<string>): number =>
    words.slice(0, 80).filter((word) => list.has(word)).length;
  return [count(ENGLISH_WORDS), count(FOREIGN_WORDS)];
}
