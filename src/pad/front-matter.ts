import { markerOf } from './markers.ts';
import { isBlank, lineRanges } from './text.ts';

/**
 * The front matter block of a file, by offsets. `[innerStart, innerEnd)` are the lines
 * between the fences, `bodyStart` the first character after the closing fence's line.
 */
export interface FrontMatterRange {
  innerStart: number;
  innerEnd: number;
  bodyStart: number;
}

export type FrontMatterShape =
  | { kind: 'none'; bodyStart: number }
  /** `---` and fields, but no closing fence: `fieldsEnd` is where it belongs. */
  | { kind: 'unclosed'; bodyStart: number; fieldsEnd: number }
  | { kind: 'fenced'; range: FrontMatterRange };

/** Where the text after a BOM begins. */
export function bodyStartOf(shape: FrontMatterShape): number {
  return shape.kind === 'fenced' ? shape.range.bodyStart : shape.bodyStart;
}

const KEY_LINE = /^([A-Za-z_][\w-]*):(?:[ \t]+([\s\S]*))?$/;

/**
 * Finds the fences. Nothing is parsed: a fence with a language (`---js`) is not front matter here, so no engine can
 * ever run it.
 */
export function locateFrontMatter(text: string): FrontMatterShape {
  const from = text.startsWith('\ufeff') ? 1 : 0;
  if (!text.startsWith('---', from)) return { kind: 'none', bodyStart: from };
  const lines = lineRanges(text, from);
  const first = lines[0];
  if (!first || !isFence(text.slice(first.start, first.end))) return { kind: 'none', bodyStart: from };
  for (const line of lines.slice(1)) {
    const content = text.slice(line.start, line.end);
    // Front matter ends before the sections begin: the content of a section can never close it.
    if (markerOf(content)) break;
    if (isFence(content)) {
      return {
        kind: 'fenced',
        range: { innerStart: first.next, innerEnd: line.start, bodyStart: line.next },
      };
    }
  }
  let fieldsEnd = first.next;
  for (const line of lines.slice(1)) {
    const content = text.slice(line.start, line.end);
    if (markerOf(content)) break;
    if (!KEY_LINE.test(content) && !/^(?:[ \t]+\S|- |#(?!#* ))/.test(content)) break;
    fieldsEnd = line.next;
  }
  // A lone --- is a thematic break, not damaged front matter.
  return fieldsEnd === first.next
    ? { kind: 'none', bodyStart: from }
    : { kind: 'unclosed', bodyStart: from, fieldsEnd };
}

function isFence(line: string): boolean {
  return line.startsWith('---') && isBlank(line.slice(3));
}

/** Where the comment at the end of a line begins, including spaces before it; the line's length if there is none. */
function remarkAt(line: string): number {
  for (let at = line.indexOf('#'); at !== -1; at = line.indexOf('#', at + 1)) {
    let from = at;
    while (from > 0 && (line[from - 1] === ' ' || line[from - 1] === '\t')) from -= 1;
    if (from < at) return from;
  }
  return line.length;
}

/**
 * Sets top-level one-line fields, each on its own line: an existing line is replaced in place, a new one goes before
 * the closing fence. All other bytes stay. `null` removes a field.
 */
export function setFields(
  text: string,
  range: FrontMatterRange,
  fields: ReadonlyMap<string, string | null>,
  eol: string,
): string {
  let inner = text.slice(range.innerStart, range.innerEnd);
  for (const [key, value] of fields) inner = setField(inner, key, value, eol);
  return text.slice(0, range.innerStart) + inner + text.slice(range.innerEnd);
}

function setField(inner: string, key: string, value: string | null, eol: string): string {
  const lines = lineRanges(inner);
  const at = lines.findIndex((line) => KEY_LINE.exec(inner.slice(line.start, line.end))?.[1] === key);
  const line = lines[at];
  if (!line) {
    if (value === null) return inner;
    const glue = inner === '' || inner.endsWith('\n') ? '' : eol;
    return `${inner}${glue}${key}: ${value}${eol}`;
  }
  // Indented lines and block sequences after a key are its value and are removed with it.
  let last = line;
  for (const next of lines.slice(at + 1)) {
    if (!/^(?:[ \t]+\S|- )/.test(inner.slice(next.start, next.end))) break;
    last = next;
  }
  if (value === null) return inner.slice(0, line.start) + inner.slice(last.next);
  const end = last === line ? line.end : last.end;
  const old = inner.slice(line.start, line.end);
  const remark = old.slice(remarkAt(old));
  return `${inner.slice(0, line.start)}${key}: ${value}${last === line ? remark : ''}${inner.slice(end)}`;
}
