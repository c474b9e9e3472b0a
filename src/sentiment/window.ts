import { mask } from '../transcript/hearing.ts';
import type { Message, Sign } from '../transcript/types.ts';
import type { Exchange } from './reader.ts';
import type { ReadMessage } from './types.ts';
import { plainWords, tokenize } from './words.ts';

export interface WindowOptions {
  /** Number of messages, where a sequence of replies and tool results counts as one; default 20. */
  windowMessages?: number;
  /** How far before the person's last message the window reaches, in milliseconds; default 4 h. */
  windowMs?: number;
  /** Calls that the person refused, and when they stopped the agent. */
  signs?: readonly Sign[];
}

/** A person's message with its context, and whether it is in the window proper. */
export interface Heard extends Exchange {
  person: string;
  /** Messages older than the window only serve the trajectory. */
  isRecent: boolean;
}

const WINDOW_MESSAGES = 20;
const WINDOW_MS = 4 * 60 * 60 * 1000;
/** How many windows back the trajectory reaches. */
const SESSION_WINDOWS = 4;

export function hear(messages: readonly Message[], options: WindowOptions): Heard[] {
  const limit = options.windowMessages ?? WINDOW_MESSAGES;
  const span = options.windowMs ?? WINDOW_MS;
  const end = messages.findLastIndex(({ role }) => role === 'user');
  const spoke = timeOf(messages[end]);
  const kept: { message: Message; isRecent: boolean }[] = [];
  let counted = 0;
  let inReplies = false;
  for (const message of messages.slice(0, end + 1).reverse()) {
    if (message.role === 'system') continue;
    const time = timeOf(message);
    const age = spoke !== undefined && time !== undefined ? spoke - time : 0;
    const isReply = message.role !== 'user';
    if (!isReply || !inReplies) counted++;
    inReplies = isReply;
    if (counted > limit * SESSION_WINDOWS || age > span * SESSION_WINDOWS) break;
    kept.push({ message, isRecent: counted <= limit && age <= span });
  }
  return exchangesOf(kept.reverse(), options.signs ?? []);
}

function exchangesOf(
  kept: readonly { message: Message; isRecent: boolean }[],
  signs: readonly Sign[],
): Heard[] {
  const heard: Heard[] = [];
  let reply: Message | undefined;
  for (const { message, isRecent } of kept) {
    if (message.role === 'assistant' && message.content.trim() !== '') reply = message;
    if (message.role !== 'user') continue;
    const read = readMessage(message);
    const person = message.sender ?? '';
    const earlier = heard.filter((other) => other.person === person).map((other) => other.message);
    const before = heard.at(-1)?.message.time ?? Number.NEGATIVE_INFINITY;
    const wasStopped = signs.some(({ timestamp }) => {
      const at = Date.parse(timestamp ?? '');
      return at >= before && at <= (read.time ?? Number.NEGATIVE_INFINITY);
    });
    const stopped = message.voice === 'rejection' || wasStopped;
    heard.push({ message: read, reply, stopped, earlier, person, isRecent });
  }
  return heard;
}

/** Masks a message's code and splits its prose into tokens. */
export function readMessage(message: Message): ReadMessage {
  const content = typeof message.content === 'string' ? message.content : '';
  const prose = mask(content);
  const tokens = tokenize(prose);
  return { ...message, content, prose, tokens, words: plainWords(tokens), time: timeOf(message) };
}

/** The current time: the caller's clock, else the time of the last message that has one. */
export function presentOf(messages: readonly Message[], now: number | undefined): number | undefined {
  if (now !== undefined && Number.isFinite(now)) return now;
  return timeOf(messages.findLast((message) => timeOf(message) !== undefined));
}

function timeOf(message: Message | undefined): number | undefined {
  const time = Date.parse(message?.timestamp ?? '');
  return Number.isFinite(time) ? time : undefined;
}
