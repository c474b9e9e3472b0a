import { safeJson } from '../base/safety/outgoing.ts';
import { isObject, membersOf, parsed } from '../base/text/json.ts';
import type { Message, Role } from '../transcript/types.ts';
import { type Invocation, readStdin, write } from './invocation.ts';

export interface Unreadable {
  error: string;
}

type Fields = Readonly<Record<string, unknown>>;

export const BATCH = { '--batch': 'one JSON request per line on stdin, one answer per line on stdout' };

/**
 * Answers requests from stdin in order, one JSON object per line with the caller's `id`: the answer carries that
 * `id`. An unreadable request gives `{id, error}`, and the final exit code is 2.
 */
export async function batch<Request extends object>(
  call: Invocation,
  read: (fields: Fields) => Request | Unreadable,
  answer: (request: Request) => object | Promise<object>,
): Promise<void> {
  for (const line of readStdin().split('\n')) {
    if (line.trim() === '') continue;
    const fields = parsed(line);
    const request = isObject(fields)
      ? read(fields)
      : { error: fields === undefined ? 'not JSON' : 'not an object' };
    const id = membersOf(fields).id ?? null;
    if ('error' in request) call.exitCode = 2;
    const said = 'error' in request ? { error: request.error } : await answer(request);
    write(1, `${safeJson({ id, ...said })}\n`);
  }
}

const ROLES: readonly Role[] = ['assistant', 'tool', 'system'];

/** Messages of a request: strings, or objects with at least `content`; the person's unless `role` says otherwise. */
export function messagesOf(values: readonly unknown[]): Message[] {
  return values.flatMap((value, at) => {
    const given = typeof value === 'string' ? { content: value } : membersOf(value);
    const { id, role, content, text, sender, timestamp } = given as Fields;
    const words = typeof content === 'string' ? content : text;
    if (typeof words !== 'string') return [];
    const time = timeOf(timestamp);
    return {
      id: typeof id === 'string' ? id : String(at),
      role: ROLES.find((each) => each === role) ?? 'user',
      content: words,
      session: '',
      sender: typeof sender === 'string' ? sender : undefined,
      timestamp: time === undefined ? undefined : new Date(time).toISOString(),
    };
  });
}

const MAX_TIME = 8.64e15;

/** Epoch milliseconds, of a number or an ISO 8601 text. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Math.abs(time) <= MAX_TIME ? time : undefined;
}
