import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** `docs/designs.md` names tests for each statement of the designs. They exist, under these titles. */

const ROOT = join(import.meta.dirname, '..');
const [designs = ''] = readFileSync(join(ROOT, 'docs/designs.md'), 'utf8').split('## Use of host features');

const rows = [...designs.matchAll(/^\| (.+?) \| (.+) \| ((?:`test\/|none).*) \|$/gm)].map(
  ([, statement = '', , references = '']) => ({ statement, references }),
);

/** The tests that a cell names: `` `file` "title", "title" ``. */
function referencesOf(cell: string): { file: string; title: string }[] {
  const found: { file: string; title: string }[] = [];
  let file = '';
  for (const [, path, title] of cell.matchAll(/`(test\/[^`]+)`|"((?:\\.|[^"\\])+)"/g)) {
    if (path !== undefined) file = path;
    else found.push({ file, title: (title ?? '').replaceAll('\\"', '"') });
  }
  return found;
}

/** Titles of the tests that a file runs. One that is skipped without a condition is none. */
function titlesOf(file: string): Set<string> {
  const text = readFileSync(join(ROOT, file), 'utf8');
  // A title is the first argument, before a function or options; in `test.each` it stands after the table.
  const literals = text.matchAll(
    /(?<!\b(?:describe|skip|todo))\(\s*(['"`])((?:\\.|(?!\1).)+)\1,\s*(?:async\b|\(|function\b|\{)/g,
  );
  return new Set([...literals].map(([, , title = '']) => title.replace(/\\(.)/g, '$1')));
}

test('every row of the five tables names a test', () => {
  const lines = designs.split('\n').filter((line) => /^\| (?!statement \|)/.test(line));
  expect(rows.length).toBeGreaterThan(50);
  expect(lines.filter((line) => referencesOf(line.slice(line.lastIndexOf(' | '))).length === 0)).toEqual([]);
});

describe('the tests that are named', () => {
  test.each(rows.map(({ statement, references }) => [statement, references] as const))(
    '%s',
    (_, references) => {
      const wrong = referencesOf(references).filter(
        ({ file, title }) => !existsSync(join(ROOT, file)) || !titlesOf(file).has(title),
      );
      expect(wrong).toEqual([]);
      // A file alone says nothing about the statement.
      const files = [...references.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path);
      expect(new Set(referencesOf(references).map(({ file }) => file))).toEqual(new Set(files));
    },
  );
});
