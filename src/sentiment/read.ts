import type { Message } from '../transcript/message.ts';
import { mask } from './mask.ts';
import type { ReadMessage } from './types.ts';
import { tokenize, wordsOf } from './words.ts';

/** Masks and splits a message. Assistant and tool texts are only read as context: their first lines do. */
export function readMessage(message: Message, localOffsetMinutes: number | undefined): ReadMessage {
  const own = message.role === 'user';
  const text = typeof message.content === 'string' ? message.content : '';
  const source = own ? text : text.slice(0, CONTEXT_CHARS);
  const { prose, masked } = mask(source);
  const tokens = tokenize(prose);
  const time = message.timestamp === undefined ? Number.NaN : Date.parse(message.timestamp);
  const known = Number.isFinite(time) ? time : undefined;
  return {
    ...message,
    content: text,
    prose,
    tokens,
    words: wordsOf(tokens),
    masked: masked + text.length - source.length,
    time: known,
    localHour: localHour(known, localOffsetMinutes),
  };
}

const CONTEXT_CHARS = 1200;

function localHour(time: number | undefined, offsetMinutes: number | undefined): number | undefined {
  if (time === undefined || offsetMinutes === undefined || !Number.isFinite(offsetMinutes)) return undefined;
  const minutes = Math.floor(time / 60_000) + offsetMinutes;
  return (((minutes % 1440) + 1440) % 1440) / 60;
}

/** The person of a message: their name in a group chat, else the empty string. */
export function personOf(message: Message): string {
  return message.sender ?? '';
}
