import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** `docs/designs.md` names tests for each statement of the designs, by the beginning of their titles. */

const ROOT = join(import.meta.dirname, '..');
const [designs = ''] = readFileSync(join(ROOT, 'docs/designs.md'), 'utf8').split('## Use of host features');
const [head = '', ...sections] = designs.split(/^## /m);

interface Row {
  statement: string;
  verdict: string;
  tests: { file: string; title: string }[];
}

/** The rows of a section; a row that names no file means that of the section. */
function rowsOf(section: string): Row[] {
  const [, own = ''] = /^Tests: `(test\/[^`]+)`/m.exec(section) ?? [];
  const lines = section.split('\n').filter((line) => /^\|(?! ?statement|---)/.test(line));
  return lines.map((line) => {
    const [statement = '', verdict = '', ...rest] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    return { statement, verdict, tests: testsIn(rest.join('|'), own) };
  });
}

/** The tests that a cell names: `` `file` "title", "title" ``. */
function testsIn(cell: string, own: string): Row['tests'] {
  const found: Row['tests'] = [];
  let file = own;
  for (const [, path, title] of cell.matchAll(/`(test\/[^`]+)`|"((?:\\.|[^"\\])+)"/g)) {
    if (path !== undefined) file = path;
    else found.push({ file, title: (title ?? '').replaceAll('\\"', '"') });
  }
  return found;
}

/** Titles of the tests that a file runs. One that is skipped without a condition is none. */
function titlesOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  // A title is the first argument, before a function or options; in `test.each` it stands after the table.
  const literals = text.matchAll(
    /(?<!\b(?:describe|skip|todo))\(\s*(['"`])((?:\\.|(?!\1).)+)\1,\s*(?:async\b|\(|function\b|\{)/g,
  );
  return [...literals].map(([, , title = '']) => title.replace(/\\(.)/g, '$1'));
}

const all = sections.map(rowsOf);

test('the table at the top counts what works and what differs, and there is nothing else', () => {
  const counted = all.map((rows) =>
    ['works', 'differs', '(ours)'].map(
      (verdict) =>
        rows.filter((row) => row.verdict.startsWith(verdict) || row.statement.startsWith(verdict)).length,
    ),
  );
  const told = [...head.matchAll(/^\|.+\|(\d+)\|(\d+)\|$/gm)].map(([, ...counts]) => counts.map(Number));
  expect(counted.map(([works, differs]) => [works, differs])).toEqual(told);
  expect(counted.map((counts) => counts.reduce((sum, count) => sum + count, 0))).toEqual(
    all.map((rows) => rows.length),
  );
  expect(all.flat().length).toBeGreaterThan(90);
});

describe('the tests that are named', () => {
  test.each(all.flat().map(({ statement, tests }) => [statement, tests] as const))('%s', (_, tests) => {
    expect(tests.length).toBeGreaterThan(0);
    const wrong = tests.filter(
      ({ file, title }) =>
        !existsSync(join(ROOT, file)) || !titlesOf(file).some((each) => each.startsWith(title)),
    );
    expect(wrong).toEqual([]);
  });
});
