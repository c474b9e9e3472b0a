import { diffArrays } from 'diff';

export interface Merged {
  content: string;
  /** True if both sides changed the same lines; theirs were taken. */
  conflict: boolean;
}

/** How to merge lines that both sides changed; theirs are taken by default. */
export type Unsettled = (
  ours: readonly string[],
  base: readonly string[],
  theirs: readonly string[],
) => readonly string[];

/** The same stretch of the base, ours and theirs. */
type Chunk = readonly [base: readonly string[], ours: readonly string[], theirs: readonly string[]];

/**
 * The time to compare grows with lines times differences; beyond this many differing lines texts count as unrelated.
 */
const EDITS_LIMIT = 1000;

/**
 * Three-way merge by lines (diff3). Where both sides only added, both additions stay, ours
 * first; where both changed the same lines, theirs wins and `conflict` says so: the caller
 * keeps the other version.
 */
export function mergeText(
  base: string,
  ours: string,
  theirs: string,
  unsettled: Unsettled = (_ours, _base, right) => right,
): Merged {
  if (ours === theirs || base === theirs) return { content: ours, conflict: false };
  if (base === ours) return { content: theirs, conflict: false };
  const [o, a, b] = [linesOf(base), linesOf(ours), linesOf(theirs)];
  const inOurs = placesIn(o, a);
  const inTheirs = placesIn(o, b);
  if (!inOurs || !inTheirs) {
    return { content: (unite(a, [], b) ?? b).join('\n'), conflict: true };
  }
  const [ourBounds, theirBounds] = [boundsIn(inOurs, a.length), boundsIn(inTheirs, b.length)];
  const out: string[] = [];
  let conflict = false;
  let at = [0, 0, 0] as [number, number, number];
  const chunkTo = (...to: typeof at): Chunk => {
    const [base, left, right] = at;
    at = to;
    return [o.slice(base, to[0]), a.slice(left, to[1]), b.slice(right, to[2])];
  };
  /** The lines up to a place, divided where neither side's change goes across. */
  const dividedTo = (...to: typeof at): Chunk[] => {
    const chunks: Chunk[] = [];
    for (let k = at[0] + 1; k < to[0]; k += 1) {
      const [left, right] = [ourBounds[k], theirBounds[k]];
      if (left !== undefined && right !== undefined) chunks.push(chunkTo(k, left, right));
    }
    return [...chunks, chunkTo(...to)];
  };
  const settle = (...to: typeof at): void => {
    const from = at;
    const whole = settleChunk(chunkTo(...to));
    if (whole) {
      for (const line of whole) out.push(line);
      return;
    }
    at = from;
    for (const chunk of dividedTo(...to)) {
      const settled = settleChunk(chunk);
      if (!settled) conflict = true;
      const [base, ours, theirs] = chunk;
      for (const line of settled ?? unsettled(ours, base, theirs)) out.push(line);
    }
  };
  o.forEach((line, k) => {
    const [left, right] = [inOurs[k], inTheirs[k]];
    if (left === undefined || right === undefined) return;
    settle(k, left, right);
    out.push(line);
    at = [k + 1, left + 1, right + 1];
  });
  settle(o.length, a.length, b.length);
  return { content: out.join('\n'), conflict };
}

/**
 * For each line of `base` its position in `side`, `undefined` if it was deleted; nothing if the texts are too
 * different.
 */
function placesIn(base: readonly string[], side: readonly string[]): (number | undefined)[] | undefined {
  const parts = diffArrays([...base], [...side], { maxEditLength: EDITS_LIMIT });
  if (!parts) return undefined;
  const places: (number | undefined)[] = [];
  let at = 0;
  for (const { added, removed, count } of parts) {
    for (let k = 0; k < count; k += 1) {
      if (!added) places.push(removed ? undefined : at);
      if (!removed) at += 1;
    }
  }
  return places;
}

/**
 * For each line of the base, where in a side the text before it ends: `undefined` within lines that were replaced by
 * more or fewer, and where lines were inserted.
 */
function boundsIn(places: readonly (number | undefined)[], length: number): (number | undefined)[] {
  const bounds: (number | undefined)[] = [];
  let [base, side] = [0, 0];
  for (let k = 0; k <= places.length; k += 1) {
    const place = k === places.length ? length : places[k];
    if (place === undefined) continue;
    const [removed, added] = [k - base, place - side];
    if (removed > 0 || added === 0) [bounds[base], bounds[k]] = [side, place];
    // Lines that were replaced by as many correspond one to one.
    if (removed === added) for (let at = base + 1; at < k; at += 1) bounds[at] = side + at - base;
    [base, side] = [k + 1, place + 1];
  }
  return bounds;
}

function settleChunk([origin, left, right]: Chunk): readonly string[] | undefined {
  if (same(left, right) || same(origin, right)) return left;
  if (same(origin, left)) return right;
  return unite(left, origin, right) ?? unite(right, origin, left);
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, k) => line === b[k]);
}

/** `left` only added before or after what was there: its additions go around the version of `right`. */
function unite(
  left: readonly string[],
  origin: readonly string[],
  right: readonly string[],
): string[] | undefined {
  const known = new Set(right);
  const fresh = (lines: readonly string[]): string[] =>
    lines.filter((line) => line.trim() === '' || !known.has(line));
  if (origin.length === 0) {
    const there = new Set(left);
    return [...left, ...right.filter((line) => !there.has(line))];
  }
  if (origin.every((line, k) => left[k] === line)) return [...right, ...fresh(left.slice(origin.length))];
  const tail = left.length - origin.length;
  if (tail >= 0 && origin.every((line, k) => left[tail + k] === line))
    return [...fresh(left.slice(0, tail)), ...right];
  return undefined;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
