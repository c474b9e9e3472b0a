import { diff3Merge } from 'node-diff3';

export interface Merged {
  content: string;
  /** True when both sides changed the same lines, and theirs was taken there. */
  conflict: boolean;
}

/**
 * Three-way merge by lines. Where both sides only added, both additions stay, ours first;
 * where both changed the same lines, theirs wins and `conflict` says so: the caller keeps
 * the other version.
 */
export function mergeText(base: string, ours: string, theirs: string): Merged {
  if (ours === theirs || base === theirs) return { content: ours, conflict: false };
  if (base === ours) return { content: theirs, conflict: false };
  const chunks = diff3Merge(linesOf(ours), linesOf(base), linesOf(theirs), { excludeFalseConflicts: true });
  let conflict = false;
  const lines = chunks.flatMap((chunk) => {
    if (chunk.ok) return chunk.ok;
    const { a, o, b } = chunk.conflict ?? { a: [], o: [], b: [] };
    const union = unite(a, o, b) ?? unite(b, o, a);
    if (union) return union;
    conflict = true;
    return b;
  });
  return { content: lines.join('\n'), conflict };
}

/** `left` only added before or after what was there: its additions go around what `right` made of it. */
function unite(
  left: readonly string[],
  origin: readonly string[],
  right: readonly string[],
): string[] | undefined {
  const known = new Set(right);
  const fresh = (lines: readonly string[]): string[] =>
    lines.filter((line) => line.trim() === '' || !known.has(line));
  if (origin.length === 0) return [...left, ...right.filter((line) => !left.includes(line))];
  if (origin.every((line, k) => left[k] === line)) return [...right, ...fresh(left.slice(origin.length))];
  const tail = left.length - origin.length;
  if (tail >= 0 && origin.every((line, k) => left[tail + k] === line))
    return [...fresh(left.slice(0, tail)), ...right];
  return undefined;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
