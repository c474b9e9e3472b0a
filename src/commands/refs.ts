import { refsSpace } from '../core/spaces.ts';
import { usageOf } from '../pad/budget.ts';
import { type Invocation, readText } from './invocation.ts';
import type { TextOptions } from './notes.ts';
import { openSession } from './open.ts';
import { report } from './report.ts';

/** One ref a line, oldest first. Shape with `--json`: `{space, used, limit, unit, items}`. */
export async function list(invocation: Invocation): Promise<void> {
  const { pad } = await openSession(invocation);
  const { spaces, notices } = await pad.store.read();
  for (const notice of notices) invocation.note(`warning: ${notice}`);
  const items = await refsSpace(pad).list();
  invocation.result({ ...usageOf('refs', spaces.refs, pad.config.limits), items }, items.join('\n'));
}

export const add = writer('add');
export const remove = writer('remove');

/** Items as arguments, or `-`/`--file` with a JSON array or one ref a line. */
export async function set(invocation: Invocation, refs: string[], options: TextOptions): Promise<void> {
  const single = refs.length === 0 || (refs.length === 1 && refs[0] === '-');
  const items = single ? itemsIn(readText(refs[0], options.file, invocation.cwd)) : refs;
  const { pad } = await openSession(invocation);
  report(invocation, await refsSpace(pad).set(items));
}

export async function clear(invocation: Invocation): Promise<void> {
  const { pad } = await openSession(invocation);
  report(invocation, await refsSpace(pad).clear());
}

function writer(op: 'add' | 'remove') {
  return async (invocation: Invocation, ref: string | undefined, options: TextOptions): Promise<void> => {
    const text = readText(ref, options.file, invocation.cwd);
    const { pad } = await openSession(invocation);
    report(invocation, await refsSpace(pad)[op](text));
  };
}

function itemsIn(text: string): readonly unknown[] {
  if (text.trimStart().startsWith('[')) {
    try {
      const parsed: unknown = JSON.parse(text);
      if (Array.isArray(parsed)) return parsed;
    } catch {
      // Not JSON after all: a ref may begin with a bracket.
    }
  }
  return text.split('\n');
}
