import { safeJson } from '../base/safety/visible.ts';
import { isObject, membersOf, parsed } from '../base/text/json.ts';
import type { Message, Role } from '../transcript/types.ts';
import { type Invocation, readStdin, write } from './invocation.ts';

/** Why a request cannot be answered, in a few words. */
export interface Unreadable {
  error: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Answers requests from stdin in order, one JSON object per line with the caller's `id`: the answer carries that
 * `id`. An unreadable request gives `{id, error}`, and the final exit code is 2.
 */
export async function batch<Request extends object>(
  invocation: Invocation,
  read: (fields: Fields) => Request | Unreadable,
  answer: (request: Request) => object | Promise<object>,
): Promise<void> {
  for (const line of readStdin().split('\n')) {
    if (line.trim() === '') continue;
    const fields = objectOf(line);
    const request = typeof fields === 'string' ? { error: fields } : read(fields);
    const id = typeof fields === 'string' ? null : (fields.id ?? null);
    if ('error' in request) invocation.exitCode = 2;
    const said = 'error' in request ? { error: request.error } : await answer(request);
    write(1, `${safeJson({ id, ...said })}\n`);
  }
}

/** The object on a line, or why it is not one. */
function objectOf(line: string): Fields | string {
  const value = parsed(line);
  return value === undefined ? 'not JSON' : isObject(value) ? value : 'not an object';
}

/** Messages of a request: strings, or objects with at least `content`; the person's unless `role` says otherwise. */
export function messagesOf(values: readonly unknown[]): Message[] {
  return values.flatMap(messageOf);
}

function messageOf(value: unknown, at: number): Message[] {
  if (typeof value === 'string') return [{ id: String(at), role: 'user', content: value, session: '' }];
  const { id, role, content, text, sender, timestamp } = membersOf(value);
  const words = typeof content === 'string' ? content : text;
  if (typeof words !== 'string') return [];
  const time = timestamp === undefined ? undefined : timeOf(timestamp);
  return [
    {
      id: typeof id === 'string' ? id : String(at),
      role: roleOf(role),
      content: words,
      session: '',
      sender: typeof sender === 'string' ? sender : undefined,
      timestamp: time === undefined ? undefined : new Date(time).toISOString(),
    },
  ];
}

function roleOf(role: unknown): Role {
  return role === 'assistant' || role === 'tool' || role === 'system' ? role : 'user';
}

/** The largest time that a Date can hold. */
const MAX_TIME = 8.64e15;

export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Math.abs(time) <= MAX_TIME ? time : undefined;
}
