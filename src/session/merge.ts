import { diffArrays } from 'diff';

type Lines = readonly string[];

/** Renders lines that both sides changed. */
export type ConflictRenderer = (ours: Lines, base: Lines, theirs: Lines) => Lines;

type Chunk = readonly [base: Lines, ours: Lines, theirs: Lines];

/** The time to compare grows with lines times differences: texts with more differing lines count as unrelated. */
const MOST_DIFFERENCES = 1000;

/**
 * Three-way merge by lines (diff3). Where both sides only added, both additions stay, ours first. Where both changed the
 * same lines, `conflict` is true and `renderConflict` decides; by default theirs win, and the caller keeps ours.
 */
export function mergeText(
  base: string,
  ours: string,
  theirs: string,
  renderConflict: ConflictRenderer = (_ours, _base, theirLines) => theirLines,
): { content: string; conflict: boolean } {
  if (ours === theirs || base === theirs) return { content: ours, conflict: false };
  if (base === ours) return { content: theirs, conflict: false };

  const [baseLines, ourLines, theirLines] = [splitLines(base), splitLines(ours), splitLines(theirs)];
  const inOurs = alignLines(baseLines, ourLines);
  const inTheirs = alignLines(baseLines, theirLines);
  if (!inOurs || !inTheirs)
    return { content: appendNewLines(ourLines, theirLines).join('\n'), conflict: true };

  const merged: string[] = [];
  let conflict = false;
  let [baseStart, ourStart, theirStart] = [0, 0, 0];
  const mergeUpTo = (baseEnd: number, ourEnd: number, theirEnd: number): void => {
    const chunk: Chunk = [
      baseLines.slice(baseStart, baseEnd),
      ourLines.slice(ourStart, ourEnd),
      theirLines.slice(theirStart, theirEnd),
    ];
    const settled = settle(chunk, renderConflict);

    conflict ||= settled.conflict;
    for (const line of settled.lines) merged.push(line);
    // The line at the end is common to all three, and is not compared again.
    [baseStart, ourStart, theirStart] = [baseEnd + 1, ourEnd + 1, theirEnd + 1];
  };

  for (const [index, line] of baseLines.entries()) {
    const [ourIndex, theirIndex] = [inOurs[index], inTheirs[index]];
    if (ourIndex === undefined || theirIndex === undefined) continue;
    mergeUpTo(index, ourIndex, theirIndex);
    merged.push(line);
  }

  mergeUpTo(baseLines.length, ourLines.length, theirLines.length);

  return { content: merged.join('\n'), conflict };
}

/** For each line of `base` its index in `side`, `undefined` if it was deleted; nothing if the texts are unrelated. */
function alignLines(base: Lines, side: Lines): (number | undefined)[] | undefined {
  const parts = diffArrays([...base], [...side], { maxEditLength: MOST_DIFFERENCES });
  if (!parts) return undefined;

  const indices: (number | undefined)[] = [];
  let sideIndex = 0;

  for (const { added, removed, count } of parts) {
    for (let k = 0; k < count; k += 1) {
      if (!added) indices.push(removed ? undefined : sideIndex);
      if (!removed) sideIndex += 1;
    }
  }

  return indices;
}

/**
 * Settles a chunk, if need be line by line from both ends as far as the lines of all three correspond: lines that only one
 * side changed are no conflict, and a conflict is as small as it can be.
 */
function settle(chunk: Chunk, renderConflict: ConflictRenderer): { lines: Lines; conflict: boolean } {
  const whole = settleChunk(chunk);
  if (whole) return { lines: whole, conflict: false };

  const [base, ours, theirs] = chunk;
  const [first, last] = [settleLine(chunk, 0), settleLine(chunk, -1)];
  const sliceChunk = (from: number, to?: number): Chunk => [
    base.slice(from, to),
    ours.slice(from, to),
    theirs.slice(from, to),
  ];

  if (first === undefined && last !== undefined) {
    const { lines, conflict } = settle(sliceChunk(0, -1), renderConflict);
    return { lines: [...lines, last], conflict };
  }

  if (first !== undefined) {
    const { lines, conflict } = settle(sliceChunk(1), renderConflict);
    return { lines: [first, ...lines], conflict };
  }

  const [line] = base;
  const isReplacedByBoth =
    line !== undefined && ours.length > 0 && theirs.length > 0 && ![...ours, ...theirs].includes(line);
  if (!isReplacedByBoth) return { lines: renderConflict(ours, base, theirs), conflict: true };

  const firstLines = renderConflict(ours.slice(0, 1), base.slice(0, 1), theirs.slice(0, 1));
  return { lines: [...firstLines, ...settle(sliceChunk(1), renderConflict).lines], conflict: true };
}

/** The merged first or last line; `undefined` if both sides changed it, or one has another line of the base there. */
function settleLine(chunk: Chunk, index: 0 | -1): string | undefined {
  const [line, our, their] = chunk.map((lines) => lines.at(index));
  if (line === undefined || our === undefined || their === undefined) return undefined;
  if ([our, their].some((each) => each !== line && chunk[0].includes(each))) return undefined;
  if (our === their || line === their) return our;
  return line === our ? their : undefined;
}

function settleChunk([base, ours, theirs]: Chunk): Lines | undefined {
  if (isSame(ours, theirs) || isSame(base, theirs)) return ours;
  if (isSame(base, ours)) return theirs;
  if (base.length === 0) return appendNewLines(ours, theirs);
  return uniteAdditions(ours, base, theirs) ?? uniteAdditions(theirs, base, ours);
}

const isSame = (a: Lines, b: Lines): boolean => a.length === b.length && a.every((line, k) => line === b[k]);

function appendNewLines(ours: Lines, theirs: Lines): string[] {
  const known = new Set(ours);
  return [...ours, ...theirs.filter((line) => !known.has(line))];
}

/** Puts the additions of one side, if it only added before or after the base, around the other side. */
function uniteAdditions(adding: Lines, base: Lines, other: Lines): string[] | undefined {
  const otherLines = new Set(other);
  const filterNew = (lines: Lines): string[] =>
    lines.filter((line) => line.trim() === '' || !otherLines.has(line));
  if (base.every((line, k) => adding[k] === line)) return [...other, ...filterNew(adding.slice(base.length))];

  const addedBefore = adding.length - base.length;
  if (addedBefore >= 0 && base.every((line, k) => adding[addedBefore + k] === line))
    return [...filterNew(adding.slice(0, addedBefore)), ...other];

  return undefined;
}

const splitLines = (text: string): string[] => (text === '' ? [] : text.split('\n'));
