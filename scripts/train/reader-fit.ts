import { REPLY_CUES, WORD_CUES } from '../../src/sentiment/cues.ts';
import type { ModelReading, SentimentModel } from '../../src/sentiment/model.ts';
import {
  type Exchange,
  extractExchangeFeatures,
  type ReaderWeights,
  type Reading,
  type Regression,
  readExchange,
} from '../../src/sentiment/reader.ts';
import { readMessage } from '../../src/sentiment/turn.ts';
import type { Message } from '../../src/transcript/types.ts';
import { roundTo } from '../evaluate/stats.ts';
import { fitLogistic } from './logistic.ts';
import type { AgentChatRow } from './rows.ts';

/** A labelled message as the reader sees it. */
export interface Labelled {
  row: AgentChatRow;
  exchange: Exchange;
  model: ModelReading;
  /** The value of each of {@link FEATURES}. */
  found: number[];
}

/** The features that are learnt; others that `featuresIn` may find are listed here by name. */
const FEATURES: readonly string[] = [
  ...[...WORD_CUES, ...REPLY_CUES].map(({ name }) => name),
  'capitals',
  'an answer before',
  'the agent was stopped',
  'a long message',
];

/**
 * Ridge penalties of a standardised feature and head; between half and twice these values the results hardly differ,
 * except by chance.
 */
const FEATURE_PENALTY = 20;
const HEAD_PENALTY = 90;
/** Clear anger counts more than slight anger. */
const CLEAR_COUNTS = 2;
/** The share of all messages that may wrongly be called frustrated; the threshold is set by it. */
const FALSE_ALARMS = 0.014;

/** The messages of a conversation that a labelled row represents. */
export function listMessages({ id, prev, text }: Pick<AgentChatRow, 'id' | 'prev' | 'text'>): Message[] {
  const message: Message = { id, role: 'user', content: text, session: 'row' };
  return prev === ''
    ? [message]
    : [{ ...message, id: `${id} before`, role: 'assistant', content: prev }, message];
}

export const labelMessages = (rows: readonly AgentChatRow[], model: SentimentModel): Labelled[] =>
  rows.map((row) => {
    const messages = listMessages(row);
    const message = readMessage(messages.at(-1) as Message);
    const reply = messages.length > 1 ? messages[0] : undefined;
    const exchange: Exchange = { message, reply, stopped: false };
    const values = new Map(extractExchangeFeatures(exchange).map(({ name, value }) => [name, value]));
    const found = FEATURES.map((name) => values.get(name) ?? 0);
    return { row, exchange, model: model.score(message.prose, message.tokens), found };
  });

/** Learns the weights, all but the threshold. */
export function fitReader(texts: readonly Labelled[]): ReaderWeights {
  const heads = Object.keys(texts[0]?.model.heads ?? {});
  const usualHeads = Object.fromEntries(
    heads.map((name) => [
      name,
      roundTo(texts.reduce((sum, { model }) => sum + (model.heads[name] ?? 0), 0) / texts.length, 4),
    ]),
  );
  const inputs = texts.map(({ found, model }) => [
    ...found,
    ...heads.map((name) => (model.heads[name] ?? 0) - (usualHeads[name] ?? 0)),
  ]);
  const penalties = [...FEATURES.map(() => FEATURE_PENALTY), ...heads.map(() => HEAD_PENALTY)];
  const learn = (truth: readonly number[], counts: readonly number[]): Regression => {
    const { start, weights } = fitLogistic(inputs, truth, counts, penalties);
    const measureNamed = (names: readonly string[], from: number): Record<string, number> =>
      Object.fromEntries(names.map((name, i) => [name, roundTo(weights[from + i] ?? 0, 4)]));
    return {
      start: roundTo(start, 4),
      features: measureNamed(FEATURES, 0),
      heads: measureNamed(heads, FEATURES.length),
    };
  };
  const labels = texts.map(({ row }) => row.labels);
  return {
    named: Number.NaN,
    displeased: learn(
      labels.map(({ frustration }) => (frustration > 0 ? 1 : 0)),
      labels.map(({ frustration }) => (frustration > 1 ? CLEAR_COUNTS : 1)),
    ),
    pleased: learn(
      labels.map(({ positive }) => positive),
      labels.map(() => 1),
    ),
    usualHeads,
  };
}

/** The lowest threshold at which at most {@link FALSE_ALARMS} of the messages are wrongly called frustrated. */
export function findThreshold(scores: readonly number[], truth: readonly number[]): number {
  const calm = scores.filter((_, i) => truth[i] !== 1).sort((a, b) => b - a);
  return roundTo((calm[Math.floor(FALSE_ALARMS * scores.length)] ?? 0) + 0.001, 4);
}

/**
 * The reading of each message by a reader that was not trained on its group: its repository, or several
 * repositories together.
 */
export function readOutside(
  texts: readonly Labelled[],
  groupOf: (repo: string) => string = (repo) => repo,
): Reading[] {
  const readings = new Map<Labelled, Reading>();
  for (const group of new Set(texts.map(({ row }) => groupOf(row.repo)))) {
    const isInside = ({ row }: Labelled): boolean => groupOf(row.repo) === group;
    const weights = fitReader(texts.filter((text) => !isInside(text)));
    for (const text of texts.filter(isInside))
      readings.set(text, readExchange(text.exchange, text.model, weights));
  }
  return texts.map((text) => readings.get(text) as Reading);
}

const INNER_FOLDS = 5;

/**
 * The threshold for each message, set without its repository: on readings of the other repositories, in five
 * groups, with weights trained on neither.
 */
export function findOutsideThresholds(texts: readonly Labelled[]): number[] {
  const thresholds = new Map<string, number>();
  for (const repo of new Set(texts.map(({ row }) => row.repo))) {
    const others = texts.filter(({ row }) => row.repo !== repo);
    const groups = splitFolds(others);
    const readings = readOutside(others, (name) => groups.get(name) ?? '');
    const random = others.map(({ row }) => row.drawn === 'random');
    thresholds.set(
      repo,
      findThreshold(
        readings.filter((_, i) => random[i]).map(({ displeased }) => displeased),
        others.filter((_, i) => random[i]).map(({ row }) => (row.labels.frustration > 0 ? 1 : 0)),
      ),
    );
  }
  return texts.map(({ row }) => thresholds.get(row.repo) ?? Number.POSITIVE_INFINITY);
}

/** Repositories in groups of about the same number of messages. */
function splitFolds(texts: readonly Labelled[]): Map<string, string> {
  const sizes = new Map<string, number>();
  for (const { row } of texts) sizes.set(row.repo, (sizes.get(row.repo) ?? 0) + 1);
  const folds = Array.from({ length: INNER_FOLDS }, () => 0);
  const groups = new Map<string, string>();
  for (const [repo, size] of [...sizes].sort((a, b) => b[1] - a[1])) {
    const least = folds.indexOf(Math.min(...folds));
    folds[least] = (folds[least] ?? 0) + size;
    groups.set(repo, String(least));
  }
  return groups;
}
