import TRAINED from '../../models/reader.json' with { type: 'json' };
import { foldProse, toOneLine } from '../base/text/prose.ts';
import { compilePattern } from '../base/text/strings.ts';
import type { Message } from '../transcript/types.ts';
import {
  ACCEPTS,
  ASKS_FOR_ANOTHER,
  ASKS_FOR_WORK,
  type Cue,
  DENIED,
  GRANTED,
  HARM,
  JOY,
  MOCK_PRAISE,
  OWN_FAULT,
  REFUSES,
  REPLY_CLOSES,
  REPLY_CUES,
  REPLY_FAILED,
  REPROACH,
  SETTLED,
  SHOUTED,
  STOPPED,
  SWEARING,
  WORD_CUES,
} from './cues.ts';
import type { ModelReading } from './model.ts';
import type { ReadMessage } from './types.ts';

export interface Exchange {
  message: ReadMessage;
  reply: Message | undefined;
  stopped: boolean;
}

/** A feature of an exchange; its value is 0 if absent, and at most 2. */
interface Feature {
  name: string;
  value: number;
  evidence?: string;
}

export interface Reading {
  /** Log-odds that the person is displeased with the agent's work, and that they are pleased. */
  displeased: number;
  pleased: number;
  /** The contribution of each feature to displeasure, in log-odds, the strongest first. */
  reasons: { feature: Feature; weight: number }[];
}

/** A logistic regression; `start` is the log-odds without any feature. */
export interface Regression {
  start: number;
  features: Readonly<Record<string, number>>;
  /** The weight of each head of the trained model, per unit above its average output. */
  heads: Readonly<Record<string, number>>;
}

export interface ReaderWeights {
  displeased: Regression;
  pleased: Regression;
  usualHeads: Readonly<Record<string, number>>;
  named: number;
}

export const READER: ReaderWeights = TRAINED;

/** Characters at the end of a reply to examine: there it says what it did. */
const REPLY_END = 400;
const LONG_WORDS = 60;
const EVIDENCE_LENGTH = 48;

const STOPPED_NAME = 'the agent was stopped';
/**
 * Value of a refusal or an interruption recorded by the host: the histories that the weight was learnt from
 * contain only calls at which the talk ended, so each of many counts for less.
 */
const SIGN_VALUE = 0.5;

/** The features of an exchange, under the names of the weights and of the reasons. */
export function extractExchangeFeatures({ message, reply, stopped }: Exchange): Feature[] {
  const words = normalizeText(message.prose).replace(compilePattern(GRANTED), ' ');
  const replyEnd = reply === undefined ? '' : normalizeText(reply.content.slice(-REPLY_END));
  const joy = isJoy(words);
  const found = [
    ...WORD_CUES.filter(({ name }) => !(joy && LOUD.has(name))).map((cue) => count(cue, words)),
    ...REPLY_CUES.map((cue) => count(cue, replyEnd)),
  ];
  const shouted = (message.prose.match(/\b[A-Z]{2,}\b/g) ?? []).filter((word) => SHOUTED.has(word));
  const sign = stopped ? SIGN_VALUE : 0;

  return [
    ...(isPlainQuestion(found, words) ? found.filter(({ name }) => name !== ASKS_WHY) : found),
    { name: STOPPED_NAME, value: STOPPED.test(replyEnd) ? 1 : sign },
    { name: 'capitals', value: Math.min(2, shouted.length), evidence: shouted.slice(0, 3).join(' ') },
    { name: 'an answer before', value: replyEnd === '' ? 0 : 1 },
    { name: 'a long message', value: words.split(' ').length > LONG_WORDS ? 1 : 0 },
  ].filter(({ value }) => value > 0);
}

const ASKS_WHY = 'asks why the agent did it';
const IN_QUESTIONS: ReadonlySet<string> = new Set([ASKS_WHY, 'a question', 'you', 'we', 'a plain request']);

/** "Why did you use a map here?": nothing in it but the question. */
function isPlainQuestion(found: readonly Feature[], words: string): boolean {
  const rest = words.replace(/\bwhy\b/g, ' ');
  return (
    words.endsWith('?') &&
    WORD_CUES.every(
      ({ name }) => IN_QUESTIONS.has(name) || !found.some((each) => each.name === name && each.value > 0),
    ) &&
    !matches(REPROACH, rest) &&
    !/\b(?:keep|kept|always|even|just)\b/.test(rest)
  );
}

/** With one of these the message is about what the agent did, whatever it asks for. */
const BLAMES: ReadonlySet<string> = new Set([
  'asks why the agent did it',
  'says what the agent did not do',
  'asks whether the agent did',
  'says what was told before',
  'swearing',
  'sighs',
  'exclamation marks',
]);

const isRequest = ({ message }: Exchange, features: readonly Feature[]): boolean =>
  compilePattern(ASKS_FOR_WORK).test(normalizeText(message.prose)) &&
  !features.some(({ name }) => BLAMES.has(name));

const LOUD: ReadonlySet<string> = new Set(['swearing', 'sighs', 'harsh words', 'exclamation marks']);

function isJoy(words: string): boolean {
  const calm = toOneLine(words.replace(compilePattern(SWEARING), ' '));
  return (matches(JOY, words) || matches(JOY, calm)) && !matches(REPROACH, calm);
}

export const matches = (patterns: readonly RegExp[], words: string): boolean =>
  patterns.some((pattern) => compilePattern(pattern).test(words));

/** Reads an exchange; `model` is the trained model's result for the message. */
export function readExchange(
  exchange: Exchange,
  model: ModelReading,
  weights: ReaderWeights = READER,
): Reading {
  const features = extractExchangeFeatures(exchange);
  const { displeased, pleased, usualHeads } = weights;
  const byModel = sumHeads(displeased, usualHeads, model) + readWordsAlone(exchange, features, model);
  const reasons: Reading['reasons'] = [
    ...features.map((feature) => ({
      feature,
      weight: feature.value * (displeased.features[feature.name] ?? 0),
    })),
    {
      feature: {
        name: 'the wording',
        value: 1,
        evidence: normalizeText(exchange.message.prose).slice(0, EVIDENCE_LENGTH),
      },
      weight: byModel,
    },
    ...detectMockPraise(exchange),
    ...detectDenial(exchange),
  ];

  return {
    displeased: reasons.reduce((sum, { weight }) => sum + weight, displeased.start),
    pleased: features.reduce(
      (sum, { name, value }) => sum + value * (pleased.features[name] ?? 0),
      pleased.start + sumHeads(pleased, usualHeads, model),
    ),
    reasons: reasons.sort((a, b) => b.weight - a.weight),
  };
}

const sumHeads = ({ heads }: Regression, usual: ReaderWeights['usualHeads'], model: ModelReading): number =>
  Object.entries(heads).reduce(
    (sum, [name, weight]) => sum + weight * ((model.heads[name] ?? 0) - (usual[name] ?? 0)),
    0,
  );

/**
 * Without a previous answer there is nothing to be displeased with, and such messages were rare in the
 * training set: the trained model decides most.
 */
function readWordsAlone(exchange: Exchange, features: readonly Feature[], model: ModelReading): number {
  if (exchange.reply !== undefined) return 0;
  const chance = Math.min(0.995, Math.max(0.005, model.frustrated));
  const start = isRequest(exchange, features) ? FIRST_REQUEST : FIRST_START;
  return FIRST_WEIGHT * Math.log(chance / (1 - chance)) + start;
}

/** Tuned on GoEmotions, where nobody asks for work; one of the 229 first messages in the random part is called frustrated. */
const FIRST_WEIGHT = 1.2;
const FIRST_START = 3.6;
/** In a request the words describe the work. Set by hand, on a dozen invented requests. */
const FIRST_REQUEST = 1;

const normalizeText = (text: string): string =>
  toOneLine(foldProse(text).replaceAll('`', ' ')).replace(/^[^\p{L}\p{N}?!]+/u, '');

function count({ name, find }: Cue, text: string): Feature {
  const found = text === '' ? null : find(text);
  if (found === null) return { name, value: 0 };
  return {
    name,
    value: Math.min(2, found.length),
    evidence: (found[0] ?? '').slice(0, EVIDENCE_LENGTH).trim(),
  };
}

/** Weight of praise that names the harm, set by hand: the licensed messages hold two. */
const MOCK_WEIGHT = 5;

function detectMockPraise({ message, reply }: Exchange): Reading['reasons'] {
  const words = normalizeText(message.prose);
  if (reply === undefined || !compilePattern(MOCK_PRAISE).test(words) || !matches(HARM, words)) return [];
  if (/\bbut\b/.test(words)) return [];
  return [{ feature: { name: 'mock praise', value: 1, evidence: words.slice(0, 48) }, weight: MOCK_WEIGHT }];
}

const detectDenial = ({ message }: Exchange): Reading['reasons'] =>
  DENIED.test(normalizeText(message.prose))
    ? [{ feature: { name: 'denies anger', value: 1 }, weight: -MOCK_WEIGHT }]
    : [];

/** Whether the person accepts the answer, is glad of it, or takes the blame, without a word against it. */
export function acceptsAnswer({ message, reply }: Exchange): boolean {
  const words = normalizeText(message.prose);
  if (reply === undefined || matches(REPROACH, words)) return false;
  return matches([SETTLED, ...JOY, OWN_FAULT], words);
}

/** How well the answers suit the person, from -1 to 1, whatever the words. */
export function rateSuitability({ message, reply }: Exchange): number {
  if (reply === undefined) return 0;

  const words = normalizeText(message.prose);
  const replyEnd = normalizeText(reply.content.slice(-REPLY_END));
  const closes = compilePattern(REPLY_CLOSES).test(replyEnd);
  const refuses = !closes && compilePattern(REFUSES).test(words) ? 0.43 : 0;
  const another = compilePattern(ASKS_FOR_ANOTHER).test(words) ? 0.3 : 0;
  const failed = compilePattern(REPLY_FAILED).test(replyEnd) ? 0.12 : 0;
  const accepts = compilePattern(ACCEPTS).test(words) ? 0.1 : 0;

  return accepts - refuses - another - failed;
}
