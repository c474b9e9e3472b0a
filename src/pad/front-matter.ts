import matter from 'gray-matter';
import { usageError } from '../base/errors.ts';
import { splitLineRanges } from '../base/text/strings.ts';
import { parseMarker } from './markers.ts';

/**
 * The front matter block of a file, by offsets. `[innerStart, innerEnd)` are the lines
 * between the fences, `bodyStart` the first character after the closing fence's line.
 */
interface FrontMatterRange {
  innerStart: number;
  innerEnd: number;
  bodyStart: number;
}

export type FrontMatterShape =
  | { kind: 'none'; bodyStart: number }
  /** `---` and fields, but no closing fence: `fieldsEnd` is where it belongs. */
  | { kind: 'unclosed'; bodyStart: number; fieldsEnd: number }
  | { kind: 'fenced'; range: FrontMatterRange };

export const findBodyStart = (shape: FrontMatterShape): number =>
  shape.kind === 'fenced' ? shape.range.bodyStart : shape.bodyStart;

const KEY_LINE = /^([A-Za-z_][\w-]*):(?:[ \t]+([\s\S]*))?$/;

/**
 * Finds the fences. Nothing is parsed: a fence with a language (`---js`) is not front matter here, so no engine can
 * ever run it.
 */
export function locateFrontMatter(text: string): FrontMatterShape {
  const from = text.startsWith('\ufeff') ? 1 : 0;
  if (!text.startsWith('---', from)) return { kind: 'none', bodyStart: from };

  const lines = splitLineRanges(text, from);
  const first = lines[0];

  if (!first || !isFence(first.text)) return { kind: 'none', bodyStart: from };

  for (const line of lines.slice(1)) {
    // Front matter ends before the sections begin: the content of a section can never close it.
    if (parseMarker(line.text)) break;
    if (isFence(line.text)) {
      return {
        kind: 'fenced',
        range: { innerStart: first.next, innerEnd: line.start, bodyStart: line.next },
      };
    }
  }

  let fieldsEnd = first.next;
  for (const line of lines.slice(1)) {
    if (parseMarker(line.text)) break;
    if (!KEY_LINE.test(line.text) && !/^(?:[ \t]+\S|- |#(?!#* ))/.test(line.text)) break;
    fieldsEnd = line.next;
  }

  // A lone --- is a thematic break, not damaged front matter.
  return fieldsEnd === first.next
    ? { kind: 'none', bodyStart: from }
    : { kind: 'unclosed', bodyStart: from, fieldsEnd };
}

/** The format version that every pad begins with: a `scratchpad:` with another value is somebody else's. */
export function hasOwnFields(text: string, shape: FrontMatterShape): boolean {
  if (shape.kind === 'none') return false;
  const end = shape.kind === 'fenced' ? shape.range.innerEnd : shape.fieldsEnd;
  return /^scratchpad:[ \t]+1[ \t]*(?:#.*)?\r?$/m.test(text.slice(0, end));
}

/** The prefix of our fields in front matter that somebody else began: its `updated` is not ours. */
export const getFieldPrefix = (text: string, shape: FrontMatterShape): '' | 'scratchpad-' =>
  shape.kind === 'none' || hasOwnFields(text, shape) ? '' : 'scratchpad-';

const isFence = (line: string): boolean => /^---[ \t]*$/.test(line);

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
  const line = splitLineRanges(inner).find(({ text }) => KEY_LINE.exec(text)?.[1] === key);

  if (!line) {
    if (value === null) return inner;
    const lineEnd = inner === '' || inner.endsWith('\n') ? '' : eol;
    return `${inner}${lineEnd}${key}: ${value}${eol}`;
  }

  if (value === null) return inner.slice(0, line.start) + inner.slice(line.next);

  const comment = /[ \t]#.*$/.exec(line.text)?.[0] ?? '';

  return `${inner.slice(0, line.start)}${key}: ${value}${comment}${inner.slice(line.end)}`;
}

/**
 * The only module that uses gray-matter, always with options: without them it shares parsed objects, runs `---js` blocks
 * and reads YAML 1.1, where `12:30` is 750. The `yaml` package reads 1.2, and is loaded for what we do not write ourselves.
 */
const refuse = (): never => {
  throw usageError('front matter in a programming language is not read', {
    expected: 'YAML between two lines of ---',
    next: 'rewrite the block as YAML',
  });
};
const LANGUAGES = ['js', 'javascript', 'coffee', 'coffeescript', 'cson', 'toml', 'json'];
const REFUSED = Object.fromEntries(LANGUAGES.map((name) => [name, { parse: refuse, stringify: refuse }]));

/** In characters: hundreds of times what we write. A parser takes a second for a megabyte. */
const LONGEST = 64 * 1024;

/** The fields of a file's front matter, `{}` when it has none; `undefined` when the block is not YAML or not a map. */
export async function readFields(text: string): Promise<Record<string, unknown> | undefined> {
  const shape = locateFrontMatter(text);
  if (shape.kind !== 'fenced') return {};

  const inner = text.slice(shape.range.innerStart, shape.range.innerEnd);
  if (inner.length > LONGEST) return undefined;

  const plainFields = parsePlainFields(inner);
  try {
    if (plainFields !== undefined) return readWithMatter(inner, () => plainFields);
    const { isNestedTooDeep, parse } = await import('../base/text/yaml.ts');
    if (isNestedTooDeep(inner)) return undefined;
    // maxAliasCount bounds "billion laughs" documents; logLevel "silent" would suppress errors.
    return readWithMatter(inner, (source) => parse(source, { maxAliasCount: 20, logLevel: 'error' }) ?? {});
  } catch {
    return undefined;
  }
}

/** Passes on the block alone, because gray-matter accepts more kinds of fences than we do. */
function readWithMatter(
  inner: string,
  parse: (source: string) => object,
): Record<string, unknown> | undefined {
  const yaml = { parse, stringify: refuse };
  const { data } = matter(`---\n${inner}\n---\n`, { language: 'yaml', engines: { ...REFUSED, yaml } });
  return typeof data === 'object' && !Array.isArray(data) ? { ...data } : undefined;
}

/** A line of our own: a number, a time, a duration, a plain word or a quoted text. */
const OWN_LINE =
  /^([a-z]+): (?:(0|[1-9]\d{0,11})|(\d{4}-\d\d-\d\dT[\d:.+-]*\dZ?|\d+[smhd])|([a-z][\w-]*)|("[^"\\]*"))$/;
const NOT_TEXT = new Set(['true', 'false', 'null']);

/** The fields of a block that has only lines as we write them, each key once; `undefined` for any other. */
function parsePlainFields(inner: string): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = {};
  for (const line of inner.split(/\r?\n/)) {
    if (line === '') continue;
    const [, key = '', number, stamp, word, quoted] = OWN_LINE.exec(line) ?? [];
    if (key === '' || Object.hasOwn(fields, key) || (word && NOT_TEXT.has(word))) return undefined;
    fields[key] = number === undefined ? (stamp ?? word ?? quoted?.slice(1, -1)) : Number(number);
  }

  return fields;
}
