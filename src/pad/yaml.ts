import matter from 'gray-matter';
import { misuse, ScratchpadError } from '../base/errors.ts';
import { nestsTooDeep } from '../base/text/nesting.ts';
import { parse } from '../base/text/yaml.ts';
import { locateFrontMatter } from './front-matter.ts';

/**
 * The only module that uses gray-matter. Its defaults are dangerous here: it caches and shares parsed objects when
 * called without options, runs `---js` blocks, and reads YAML 1.1 with js-yaml 3 (`12:30` becomes 750, `007` becomes
 * 7). So we always pass options, replace every engine that can run code, and use the `yaml` package for YAML 1.2.
 */
const refuse = (): never => {
  throw misuse('front matter in a programming language is not read', {
    expected: 'YAML between two lines of ---',
    next: 'rewrite the block as YAML',
  });
};
const closed = { parse: refuse, stringify: refuse };

const OPTIONS = {
  language: 'yaml',
  engines: {
    yaml: {
      // maxAliasCount bounds "billion laughs" documents; logLevel "silent" would suppress errors.
      parse: (source: string): object => asObject(parse(source, { maxAliasCount: 20, logLevel: 'error' })),
      stringify: refuse,
    },
    js: closed,
    javascript: closed,
    coffee: closed,
    coffeescript: closed,
    cson: closed,
    toml: closed,
    json: closed,
  },
};

/** In characters: hundreds of times what we write. A parser takes a second for a megabyte. */
const LONGEST = 64 * 1024;

/**
 * The fields of a file's front matter, `{}` when it has none.
 * @throws ScratchpadError `usage` when the block is not YAML or not a map.
 */
export function parseFrontMatter(text: string): Record<string, unknown> {
  const shape = locateFrontMatter(text);
  if (shape.kind !== 'fenced') return {};
  const inner = text.slice(shape.range.innerStart, shape.range.innerEnd);
  if (inner.length > LONGEST || nestsTooDeep(inner)) {
    throw misuse('the front matter is too large to be read', {
      expected: `at most ${LONGEST} characters of plain fields`,
      found: `${inner.length} characters`,
    });
  }
  try {
    // Only the block itself, because gray-matter accepts more kinds of fences than we do.
    return { ...matter(`---\n${inner}\n---\n`, OPTIONS).data };
  } catch (error) {
    if (error instanceof ScratchpadError) throw error;
    throw misuse('the front matter is not valid YAML', {
      expected: '`key: value` lines between two lines of ---',
      found: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
      cause: error,
    });
  }
}

function asObject(value: unknown): object {
  if (value === null || value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  throw misuse('the front matter is not a map', {
    expected: '`key: value` lines',
    found: JSON.stringify(value),
  });
}
