import { refsSpace } from '../core/spaces.ts';
import { ScratchpadError } from '../errors.ts';
import { refsOf, usageOf } from '../pad/budget.ts';
import { parsed } from '../text/json.ts';
import { type Invocation, readReplacement, readTextArgument, withoutSession } from './invocation.ts';
import type { TextOptions } from './notes.ts';
import { numberOf } from './numbers.ts';
import { needSession, openSession } from './open.ts';
import { change, numbered, report, type ShowOptions } from './space.ts';

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
export async function add(invocation: Invocation, refs: string[], options: TextOptions): Promise<void> {
  const items = refs.length > 1 ? refs : [readTextArgument(refs[0], options.file, invocation)];
  await change(invocation, (pad) => refsSpace(pad).add(...items));
}

/** Refs as arguments, or one as `-`/`--file`. */
export async function remove(invocation: Invocation, refs: string[], options: TextOptions): Promise<void> {
  const items = refs.length > 1 ? refs : [readTextArgument(refs[0], options.file, invocation)];
  await change(invocation, (pad) => refsSpace(pad).remove(...items));
}

/** Replaces a ref, or opens the refs in an editor. */
export async function edit(
  invocation: Invocation,
  ref: string | undefined,
  replacement: string | undefined,
  options: TextOptions,
): Promise<void> {
  if (ref === undefined) return (await import('./edit.ts')).editSpaceText(invocation, 'refs');
  const by = readTextArgument(replacement, options.file, invocation);
  await change(invocation, (pad) => refsSpace(pad).edit(ref, by));
}

export async function move(invocation: Invocation, ref: string, to: string): Promise<void> {
  const place = numberOf(to, 'the number of a place');
  await change(invocation, (pad) => refsSpace(pad).move(ref, place));
}

/** Items as arguments, or `-`/`--file` with a JSON array or one ref per line. */
export async function set(invocation: Invocation, refs: string[], options: TextOptions): Promise<void> {
  const single = refs.length === 0 || (refs.length === 1 && refs[0] === '-');
  const items = single ? itemsIn(readReplacement('refs', refs[0], options.file, invocation)) : refs;
  await change(invocation, (pad) => refsSpace(pad).set(items));
}

export function clear(invocation: Invocation): Promise<void> {
  return change(invocation, (pad) => refsSpace(pad).clear());
}

/** Files that are worth keeping at hand. */
const MOST_FILES = 10;

/** Adds the files that the last session changed, the newest last. */
export async function adopt(invocation: Invocation): Promise<void> {
  const { pad } = await openSession(invocation);
  const { handoverHere } = await import('./handover.ts');
  const files = ((await handoverHere(withoutSession(invocation)))?.state.edited ?? []).slice(0, MOST_FILES);
  if (files.length === 0)
    throw new ScratchpadError('refused', 'the last session changed no files of this workspace', {
      next: 'list its facts with: scratchpad handover',
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
