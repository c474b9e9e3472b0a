import type { Message } from '../transcript/message.ts';
import { WINDOW_MESSAGES, WINDOW_MS } from './limits.ts';
import { readMessage } from './read.ts';
import type { ReadMessage } from './types.ts';

/** How far back to look. */
export interface WindowOptions {
  /** The person's zone, minutes east of UTC; without it the hour of the day says nothing. */
  utcOffsetMinutes?: number;
  /** Messages that are looked at, a run of replies and tool results counting as one; default 20. */
  windowMessages?: number;
  /** How far before the person's last message the window reaches; default 4 h. */
  windowMs?: number;
}

/** The read messages of a session, oldest first, and where the window that makes the state begins. */
export interface Window {
  messages: ReadMessage[];
  /** Index of the first message of the window proper; what is before it serves the trajectory. */
  from: number;
}

/** The trajectory looks this many windows back. */
const SESSION_WINDOWS = 4;

/**
 * The messages up to the last one of a person, newest last. Of a run of
 * replies and tool results, which counts as one message, only the last reply
 * with words in it is kept; system messages are not.
 */
export function openWindow(messages: readonly Message[], options: WindowOptions): Window {
  const limit = options.windowMessages ?? WINDOW_MESSAGES;
  const span = options.windowMs ?? WINDOW_MS;
  const end = messages.findLastIndex((m) => m.role === 'user');
  const spoke = timeOf(messages[end]);
  const kept: ReadMessage[] = [];
  let inWindow = 0;
  let counted = 0;
  let inReplies = false;
  for (let i = end; i >= 0; i--) {
    const message = messages[i];
    if (message === undefined || message.role === 'system') continue;
    const time = timeOf(message);
    const age = spoke !== undefined && time !== undefined ? spoke - time : 0;
    const reply = message.role !== 'user';
    if (!reply || !inReplies) counted++;
    if (counted > limit * SESSION_WINDOWS || age > span * SESSION_WINDOWS) break;
    const heard = kept.at(-1)?.role === 'assistant';
    if (!reply || (message.role === 'assistant' && !heard && message.content !== '')) {
      kept.push(readMessage(message, options.utcOffsetMinutes));
      if (counted <= limit && age <= span) inWindow = kept.length;
    }
    inReplies = reply;
  }
  return { messages: kept.reverse(), from: kept.length - inWindow };
}

/** What counts as the present: the caller's clock, else the time of the last message that tells one. */
export function presentOf(messages: readonly Message[], now: number | undefined): number | undefined {
  if (now !== undefined && Number.isFinite(now)) return now;
  for (let i = messages.length - 1; i >= 0; i--) {
    const time = timeOf(messages[i]);
    if (time !== undefined) return time;
  }
  return undefined;
}

function timeOf(message: Message | undefined): number | undefined {
  if (message?.timestamp === undefined) return undefined;
  const time = Date.parse(message.timestamp);
  return Number.isFinite(time) ? time : undefined;
}
