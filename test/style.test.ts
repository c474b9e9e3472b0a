import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** The verbs with which a function may begin, and the exceptions to the rules below with their reasons. */
const STYLE = JSON.parse(readFileSync(join(ROOT, 'test/fixtures/style.json'), 'utf8')) as {
  verbs: string;
  participles: string;
  exceptions: Record<string, string>;
};
const VERBS = new Set(STYLE.verbs.split(' '));
const PARTICIPLES = new Set(STYLE.participles.split(' '));
const ENDING = /(?:Of|In|At|For|By|Here|Now)$/;

interface Declared {
  name: string;
  file: string;
}

const files = ['src', 'scripts'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);
const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));

const FUNCTION =
  /^\s*(?:export )?(?:(?:async )?function\*? (\w+)|const (\w+)(?:: [^=\n]+)? = (?:async )?(?:<[^>\n]*>)?\([^\n]*\)(?:: [^=\n]+)? =>)/gm;
const TYPE = /^(?:export )?(?:interface|type|class) (\w+)/gm;

function findAll(pattern: RegExp): Declared[] {
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(pattern)].map((match) => ({ file, name: match[1] ?? match[2] ?? '' })),
  );
}

const isExcepted = ({ name }: Declared): boolean => Object.hasOwn(STYLE.exceptions, name);
const firstWord = (name: string): string => (/^[a-z]+|^[A-Z][a-z]*/.exec(name)?.[0] ?? '').toLowerCase();
const share = (part: number, whole: number): number => Math.round((1_000 * part) / whole) / 10;
const show = ({ name, file }: Declared): string => `${name} (${file})`;

const functions = findAll(FUNCTION).filter((declared) => !isExcepted(declared));

describe('names', () => {
  test('a function begins with a verb', () => {
    const others = functions.filter(({ name }) => !VERBS.has(firstWord(name)));

    expect(functions.length).toBeGreaterThan(1_500);
    expect(share(others.length, functions.length), others.map(show).join('\n')).toBeLessThanOrEqual(8);
  });

  test('no name of a function ends in a preposition', () => {
    const ending = functions.filter(({ name }) => ENDING.test(name));

    expect(share(ending.length, functions.length), ending.map(show).join('\n')).toBeLessThanOrEqual(1);
  });

  test('a type is named by a noun, not by what happened to it', () => {
    const participles = findAll(TYPE).filter((type) => PARTICIPLES.has(type.name.toLowerCase()));

    expect(participles.filter((type) => !isExcepted(type)).map(show)).toEqual([]);
  });

  test('an exported function has its name for itself', () => {
    const exported = findAll(/^export (?:async )?(?:function\*? (\w+)|const (\w+) = (?:async )?\()/gm);
    const others = exported.filter(
      (one) => !isExcepted(one) && exported.some((two) => two.name === one.name && two.file !== one.file),
    );

    expect(share(others.length, exported.length), others.map(show).join('\n')).toBeLessThanOrEqual(5);
  });
});

test('functions have paragraphs', () => {
  let inside = 0;
  let blank = 0;

  for (const text of texts.values()) {
    // A blank line before an indented one stands inside a function or a class.
    for (const [, before = '', line = ''] of text.matchAll(/(?<=\n)(\n?)([ \t]+\S[^\n]*)(?=\n)/g)) {
      if (line.trimStart().startsWith('*')) continue;
      inside += 1;
      blank += before.length;
    }
  }

  expect(share(blank, inside)).toBeGreaterThanOrEqual(4.5);
});
