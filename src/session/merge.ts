import { diffArrays } from 'diff';

interface MergeResult {
  content: string;
  conflict: boolean;
}

/** How to merge lines that both sides changed; theirs are taken by default. */
export type UnsettledChunk = (
  ours: readonly string[],
  base: readonly string[],
  theirs: readonly string[],
) => readonly string[];

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
  unsettled: UnsettledChunk = (_ours, _base, right) => right,
): MergeResult {
  if (ours === theirs || base === theirs) return { content: ours, conflict: false };
  if (base === ours) return { content: theirs, conflict: false };

  const [o, a, b] = [splitLines(base), splitLines(ours), splitLines(theirs)];
  const inOurs = alignLines(o, a);
  const inTheirs = alignLines(o, b);
  if (!inOurs || !inTheirs) {
    return { content: (uniteAdditions(a, [], b) ?? b).join('\n'), conflict: true };
  }

  const out: string[] = [];
  let conflict = false;
  let at = [0, 0, 0] as [number, number, number];
  const settleTo = (...to: typeof at): void => {
    const [start, left, right] = at;
    at = to;
    const chunk: Chunk = [o.slice(start, to[0]), a.slice(left, to[1]), b.slice(right, to[2])];
    const settled = settle(chunk, unsettled);

    conflict ||= settled.conflict;
    for (const line of settled.lines) out.push(line);
  };

  o.forEach((line, k) => {
    const [left, right] = [inOurs[k], inTheirs[k]];
    if (left === undefined || right === undefined) return;
    settleTo(k, left, right);
    out.push(line);
    at = [k + 1, left + 1, right + 1];
  });
  settleTo(o.length, a.length, b.length);

  return { content: out.join('\n'), conflict };
}

/**
 * For each line of `base` its position in `side`, `undefined` if it was deleted; nothing if the texts are too
 * different.
 */
function alignLines(base: readonly string[], side: readonly string[]): (number | undefined)[] | undefined {
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
 * Settles a chunk, if need be line by line from both ends, as far as the lines of all three correspond: lines that one
 * side each has changed are no conflict, and a conflict is as small as it can be.
 */
function settle(chunk: Chunk, unsettled: UnsettledChunk): { lines: readonly string[]; conflict: boolean } {
  const whole = settleChunk(chunk);
  if (whole) return { lines: whole, conflict: false };

  const [o, a, b] = chunk;
  const [first, last] = [settleLine(chunk, 0), settleLine(chunk, -1)];
  const copyWithout = (from: number, to?: number) =>
    chunk.map((lines) => lines.slice(from, to)) as unknown as Chunk;

  if (first === undefined && last !== undefined) {
    const { lines, conflict } = settle(copyWithout(0, -1), unsettled);
    return { lines: [...lines, last], conflict };
  }

  const [line] = o;
  const isChanged = line !== undefined && ![...a, ...b].includes(line) && a.length > 0 && b.length > 0;
  if (first === undefined && !isChanged) return { lines: unsettled(a, o, b), conflict: true };

  const rest = settle(copyWithout(1), unsettled);
  const head = first === undefined ? unsettled(a.slice(0, 1), o.slice(0, 1), b.slice(0, 1)) : [first];
  return { lines: [...head, ...rest.lines], conflict: first === undefined || rest.conflict };
}

/** The first or last line; `undefined` if both sides changed it, or one has another line of the base there. */
function settleLine(chunk: Chunk, at: 0 | -1): string | undefined {
  const [line, left, right] = chunk.map((lines) => lines.at(at));
  if (line === undefined || left === undefined || right === undefined) return undefined;
  if ([left, right].some((each) => each !== line && chunk[0].includes(each))) return undefined;
  if (left === right || line === right) return left;
  return line === left ? right : undefined;
}

function settleChunk([origin, left, right]: Chunk): readonly string[] | undefined {
  if (isSame(left, right) || isSame(origin, right)) return left;
  if (isSame(origin, left)) return right;
  return uniteAdditions(left, origin, right) ?? uniteAdditions(right, origin, left);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, k) => line === b[k]);
}

/** `left` only added before or after what was there: its additions go around the version of `right`. */
function uniteAdditions(
  left: readonly string[],
  origin: readonly string[],
  right: readonly string[],
): string[] | undefined {
  const rightLines = new Set(right);
  const listFreshLines = (lines: readonly string[]): string[] =>
    lines.filter((line) => line.trim() === '' || !rightLines.has(line));
  if (origin.length === 0) {
    const leftLines = new Set(left);
    return [...left, ...right.filter((line) => !leftLines.has(line))];
  }

  if (origin.every((line, k) => left[k] === line))
    return [...right, ...listFreshLines(left.slice(origin.length))];

  const tail = left.length - origin.length;
  if (tail >= 0 && origin.every((line, k) => left[tail + k] === line))
    return [...listFreshLines(left.slice(0, tail)), ...right];

  return undefined;
}

const splitLines = (text: string): string[] => (text === '' ? [] : text.split('\n'));
