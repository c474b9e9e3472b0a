import { ScratchpadError, usageError } from '../base/errors.ts';
import { renderSafeJson } from '../base/safety/outgoing.ts';
import { isObject, parseJson, toMembers } from '../base/text/json.ts';
import type { Message, Role } from '../transcript/types.ts';
import { type Invocation, readStdin, write } from './invocation.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const BATCH = { '--batch': 'one JSON request per line on stdin, one answer per line on stdout' };

/** A refused request is answered by `{id, error}`, and makes the exit code 2. */
export async function answerBatch(
  call: Invocation,
  answer: (request: Fields) => object | Promise<object>,
): Promise<void> {
  for (const line of readStdin().split('\n')) {
    if (line.trim() === '') continue;

    const request = parseJson(line);
    const id = toMembers(request).id ?? null;

    try {
      if (!isObject(request)) throw usageError(request === undefined ? 'not JSON' : 'not an object');
      write(1, `${renderSafeJson({ id, ...(await answer(request)) })}\n`);
    } catch (error) {
      if (!(error instanceof ScratchpadError)) throw error;
      call.exitCode = 2;
      write(1, `${renderSafeJson({ id, error: error.message })}\n`);
    }
  }
}

const ROLES: readonly Role[] = ['assistant', 'tool', 'system'];

/** Messages of a request: strings, or objects with at least `content`; the person's unless `role` says otherwise. */
export const parseMessages = (values: readonly unknown[]): Message[] =>
  values.flatMap((value, index) => {
    const members = typeof value === 'string' ? { content: value } : toMembers(value);
    const { id, role, content, text, sender, timestamp } = members;
    const words = typeof content === 'string' ? content : text;
    if (typeof words !== 'string') return [];

    const time = parseTime(timestamp);
    return {
      id: typeof id === 'string' ? id : String(index),
      role: ROLES.find((each) => each === role) ?? 'user',
      content: words,
      session: '',
      sender: typeof sender === 'string' ? sender : undefined,
      timestamp: time === undefined ? undefined : new Date(time).toISOString(),
    };
  });

const MAX_TIME = 8.64e15;

/** Reads epoch milliseconds or an ISO 8601 text. */
export function parseTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return typeof time === 'number' && Math.abs(time) <= MAX_TIME ? time : undefined;
}
