import type { Message } from '../transcript/message.ts';
import { messagesOf, timeOf, type Unreadable } from './batch.ts';

/** One request of `mood --batch`. */
export interface MoodRequest {
  messages: Message[];
  now?: number;
  utcOffsetMinutes?: number;
}

/** Reads one request of `mood --batch`, or returns its error. */
export function requestOf(fields: Readonly<Record<string, unknown>>): MoodRequest | Unreadable {
  const { messages, now, utcOffsetMinutes } = fields;
  if (!Array.isArray(messages)) return { error: 'messages is not a list' };
  const present = now === undefined ? undefined : timeOf(now);
  if (now !== undefined && present === undefined) return { error: 'now is not a time' };
  if (utcOffsetMinutes !== undefined && typeof utcOffsetMinutes !== 'number') {
    return { error: 'utcOffsetMinutes is not a number' };
  }
  return {
    messages: messagesOf(messages),
    ...(present === undefined ? {} : { now: present }),
    ...(utcOffsetMinutes === undefined ? {} : { utcOffsetMinutes }),
  };
}
