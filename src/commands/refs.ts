import { refused } from '../base/errors.ts';
import { parsed } from '../base/text/json.ts';
import { refsSpace } from '../core/spaces.ts';
import { refsOf, usageOf } from '../pad/budget.ts';
import { type Invocation, readReplacement, readTextArgument, withoutSession } from './invocation.ts';
import { numberOf } from './numbers.ts';
import { needSession, openSession } from './open.ts';
import { changing, editing, numbered, report, type ShowOptions, type TextOptions } from './space.ts';

const verb = changing(refsSpace);

/** One ref per line, oldest first. */
export async function show(invocation: Invocation, options: ShowOptions): Promise<void> {
  const opened = await openSession(invocation);
  await needSession(opened);
  const { pad } = opened;
  const { spaces, notices } = await pad.store.read();
  invocation.warn(notices);
  const items = refsOf(spaces.refs);
  if (items.length === 0) invocation.note('refs is empty');
  const text = options.numbers ? numbered(items) : items.join('\n');
  invocation.exact({ ...usageOf('refs', spaces.refs, pad.config.limits), items }, text);
}

/** Refs as arguments, or one as `-`/`--file`. */
export const [add, remove] = (['add', 'remove'] as const).map((op) =>
  verb((call, refs: string[], { file }: TextOptions) => {
    const items = refs.length > 1 ? refs : [readTextArgument(refs[0], file, call)];
    return (space) => space[op](...items);
  }),
);

export const edit = editing(
  'refs',
  verb((call, ref: string, replacement: string | undefined, { file }: TextOptions) => {
    const by = readTextArgument(replacement, file, call);
    return (space) => space.edit(ref, by);
  }),
);

export const move = verb((_, ref: string, to: string) => {
  const place = numberOf(to, 'the number of a place');
  return (space) => space.move(ref, place);
});

/** Items as arguments, or `-`/`--file` with a JSON array or one ref per line. */
export const set = verb((call, refs: string[], { file }: TextOptions) => {
  const single = refs.length === 0 || (refs.length === 1 && refs[0] === '-');
  const items = single ? itemsIn(readReplacement('refs', refs[0], file, call)) : refs;
  return (space) => space.set(items);
});

export const clear = verb(() => (space) => space.clear());

/** Files that are worth keeping at hand. */
const MOST_FILES = 10;

/** Adds the files that the last session changed, the newest last. */
export async function adopt(invocation: Invocation): Promise<void> {
  const { pad } = await openSession(invocation);
  const { handoverHere } = await import('./handover.ts');
  const files = ((await handoverHere(withoutSession(invocation)))?.state.edited ?? []).slice(0, MOST_FILES);
  if (files.length === 0)
    throw refused('the last session changed no files of this workspace', {
      next: { to: 'list its facts', command: 'scratchpad handover' },
    });
  const held = (await refsSpace(pad).list()).filter((ref) => !files.includes(ref));
  report(
    invocation,
    await refsSpace(pad).set([...held, ...files.toReversed()].slice(-pad.config.limits.refs)),
  );
}

function itemsIn(text: string): readonly unknown[] {
  // A ref may begin with a bracket, too.
  const list = parsed(text);
  return Array.isArray(list) ? list : text.split('\n');
}
