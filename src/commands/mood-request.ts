import type { Message, Role } from '../transcript/message.ts';
import type { Unreadable } from './batch.ts';

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
    messages: messages.flatMap(messageOf),
    ...(present === undefined ? {} : { now: present }),
    ...(utcOffsetMinutes === undefined ? {} : { utcOffsetMinutes }),
  };
}

/** A message as a string or as an object with at least `content`; the person's unless `role` says otherwise. */
function messageOf(value: unknown, at: number): Message[] {
  if (typeof value === 'string') return [{ id: String(at), role: 'user', content: value, session: '' }];
  if (typeof value !== 'object' || value === null) return [];
  const { id, role, content, text, sender, timestamp } = value as Record<string, unknown>;
  const words = typeof content === 'string' ? content : text;
  if (typeof words !== 'string') return [];
  const time = timestamp === undefined ? undefined : timeOf(timestamp);
  return [
    {
      id: typeof id === 'string' ? id : String(at),
      role: roleOf(role),
      content: words,
      session: '',
      ...(typeof sender === 'string' ? { sender } : {}),
      ...(time === undefined ? {} : { timestamp: new Date(time).toISOString() }),
    },
  ];
}

function roleOf(role: unknown): Role {
  return role === 'assistant' || role === 'tool' || role === 'system' ? role : 'user';
}

/** The largest time that a Date can hold. */
const MAX_TIME = 8.64e15;

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Math.abs(time) <= MAX_TIME ? time : undefined;
}
