import { refsOf, usageOf } from '../pad/budget.ts';
import { addRef, removeRef, setRefs } from '../pad/spaces.ts';
import { editSpace } from './edit-space.ts';
import { type Invocation, openSession, readText } from './invocation.ts';
import type { TextOptions } from './notes.ts';

/** One ref a line, oldest first. Shape with `--json`: `{space, used, limit, unit, items}`. */
export async function list(invocation: Invocation): Promise<void> {
  const { store, config } = await openSession(invocation);
  const { spaces, notices } = await store.read();
  for (const notice of notices) invocation.note(`warning: ${notice}`);
  const items = refsOf(spaces.refs);
  invocation.result({ ...usageOf('refs', spaces.refs, config.limits), items }, items.join('\n'));
}

export async function add(
  invocation: Invocation,
  ref: string | undefined,
  options: TextOptions,
): Promise<void> {
  const text = readText(ref, options.file, invocation.cwd);
  await editSpace(invocation, 'refs', 'add', (now, limits) => addRef(now, text, limits));
}

export async function remove(
  invocation: Invocation,
  ref: string | undefined,
  options: TextOptions,
): Promise<void> {
  const text = readText(ref, options.file, invocation.cwd);
  await editSpace(invocation, 'refs', 'remove', (now) => removeRef(now, text));
}

/** Items as arguments, or `-`/`--file` with a JSON array or one ref a line. */
export async function set(invocation: Invocation, refs: string[], options: TextOptions): Promise<void> {
  const single = refs.length === 0 || (refs.length === 1 && refs[0] === '-');
  const items = single ? itemsIn(readText(refs[0], options.file, invocation.cwd)) : refs;
  await editSpace(invocation, 'refs', 'set', (_, limits) => setRefs(items, limits));
}

export async function clear(invocation: Invocation): Promise<void> {
  await editSpace(invocation, 'refs', 'clear', () => ({ content: '', warnings: [] }));
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
