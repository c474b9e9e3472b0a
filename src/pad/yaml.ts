import matter from 'gray-matter';
import { misuse } from '../base/errors.ts';
import { nestsTooDeep } from '../base/text/nesting.ts';
import { locateFrontMatter } from './front-matter.ts';

/**
 * The only module that uses gray-matter. Its defaults are dangerous here: it caches and shares parsed objects when
 * called without options, runs `---js` blocks, and reads YAML 1.1 with js-yaml 3 (`12:30` becomes 750, `007` becomes
 * 7). So we always pass options, replace every engine that can run code, and use the `yaml` package for YAML 1.2,
 * which is loaded only for what we do not write ourselves.
 */
const refuse = (): never => {
  throw misuse('front matter in a programming language is not read', {
    expected: 'YAML between two lines of ---',
    next: 'rewrite the block as YAML',
  });
};
const closed = { parse: refuse, stringify: refuse };
const LANGUAGES = ['js', 'javascript', 'coffee', 'coffeescript', 'cson', 'toml', 'json'];
const CLOSED = Object.fromEntries(LANGUAGES.map((name) => [name, closed]));

/** In characters: hundreds of times what we write. A parser takes a second for a megabyte. */
const LONGEST = 64 * 1024;

/** The fields of a file's front matter, `{}` when it has none; `undefined` when the block is not YAML or not a map. */
export async function fieldsOf(text: string): Promise<Record<string, unknown> | undefined> {
  const shape = locateFrontMatter(text);
  if (shape.kind !== 'fenced') return {};
  const inner = text.slice(shape.range.innerStart, shape.range.innerEnd);
  if (inner.length > LONGEST || nestsTooDeep(inner)) return undefined;
  const known = plainFields(inner);
  try {
    if (known !== undefined) return read(inner, () => known);
    const { parse } = await import('../base/text/yaml.ts');
    // maxAliasCount bounds "billion laughs" documents; logLevel "silent" would suppress errors.
    return read(inner, (source) => parse(source, { maxAliasCount: 20, logLevel: 'error' }) ?? {});
  } catch {
    return undefined;
  }
}

/** Only the block itself, because gray-matter accepts more kinds of fences than we do. */
function read(inner: string, parse: (source: string) => object): Record<string, unknown> | undefined {
  const yaml = { parse, stringify: refuse };
  const { data } = matter(`---\n${inner}\n---\n`, { language: 'yaml', engines: { ...CLOSED, yaml } });
  return typeof data === 'object' && !Array.isArray(data) ? { ...data } : undefined;
}

/** A line of our own: a number, a time, a duration, a plain word or a quoted text. */
const OWN_LINE =
  /^([a-z]+): (?:(0|[1-9]\d{0,11})|(\d{4}-\d\d-\d\dT[\d:.+-]*\dZ?|\d+[smhd])|([a-z][\w-]*)|("[^"\\]*"))$/;
const NOT_TEXT = new Set(['true', 'false', 'null']);

/** The fields of a block that has only lines as we write them, each key once; `undefined` for any other. */
function plainFields(inner: string): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = {};
  for (const line of inner.split(/\r?\n/)) {
    if (line === '') continue;
    const [, key = '', number, stamp, word, quoted] = OWN_LINE.exec(line) ?? [];
    if (key === '' || Object.hasOwn(fields, key) || (word && NOT_TEXT.has(word))) return undefined;
    fields[key] = number === undefined ? (stamp ?? word ?? quoted?.slice(1, -1)) : Number(number);
  }
  return fields;
}
