import { safeJson } from '../safety/visible.ts';
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
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : 'not an object';
  } catch {
    return 'not JSON';
  }
}
