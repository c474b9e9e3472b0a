import WORDS from '../../models/words/step-numbers.json' with { type: 'json' };
import { readStatus } from './step-parts.ts';

const DELIMITER = /^[\s>|]*:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$/;
const WIDE_CELL = 24;
/** What people write above the column of the steps. */
const HEADS = new Set(WORDS.heads.split(', '));

export interface Row {
  /** Cells with their padding; a leading or trailing `|` makes an empty one. */
  cells: string[];
  heads: string[];
  column: number;
  /** By the other cells; `undefined` if none is a status. */
  done: boolean | undefined;
}

const splitCells = (line: string): string[] => line.split(/(?<!\\)\|/);

/** The rows of tables in GitHub's Markdown, by their line. */
export function findRows(lines: readonly string[]): ReadonlyMap<number, Row> {
  const rows = new Map<number, Row>();

  for (const [at, line] of lines.entries()) {
    if (!line.includes('|') || !DELIMITER.test(line) || !lines[at - 1]?.includes('|')) continue;

    for (const head of [at - 1, at]) rows.set(head, { cells: [], heads: [], column: 0, done: undefined });

    const end = lines.findIndex((each, k) => k > at && !each.includes('|'));
    const body = lines.slice(at + 1, end === -1 ? undefined : end).map(splitCells);
    const heads = splitCells(lines[at - 1] ?? '');
    const named = heads.findIndex(isHeadOfSteps);
    const column = named === -1 ? findWidest(body) : named;

    for (const [k, cells] of body.entries()) {
      const done = cells.map((cell, c) => (c === column ? undefined : readStatus(cell, heads[c])));
      rows.set(at + 1 + k, { cells, heads, column, done: done.find((each) => each !== undefined) });
    }
  }

  return rows;
}

export const isHeadOfSteps = (cell: string): boolean =>
  HEADS.has(
    cell
      .replace(/[^\p{L}\s-]/gu, '')
      .trim()
      .toLowerCase(),
  );

/** Numbers, states and owners are short; remarks stand behind the step. */
function findWidest(rows: readonly (readonly string[])[]): number {
  const columns = Math.max(...rows.map(({ length }) => length), 0);
  const widths = Array.from({ length: columns }, (_, k) =>
    rows.reduce((sum, cells) => sum + Math.min(cells[k]?.trim().length ?? 0, WIDE_CELL), 0),
  );

  return Math.max(0, widths.indexOf(Math.max(...widths)));
}

export function renderRow({ cells, heads, column }: Row, text: string, done?: boolean): string {
  const written = cells.map((cell, k) => {
    if (k === column) return fillCell(cell, text.replace(/(?<!\\)\|/g, '\\|'));
    if (done === undefined || readStatus(cell, heads[k]) === undefined) return cell;
    const words = readStatus(cell) === undefined ? ['yes', 'no'] : ['done', 'todo'];
    const [yes = '', no = ''] = cell.includes('[') ? ['[x]', '[ ]'] : words;
    return fillCell(cell, done ? yes : no);
  });

  return written.join('|');
}

export function renderNextRow(row: Row, text: string): string {
  const cells = row.cells.map((cell, k) => {
    if (/^\s*\d+\s*$/.test(cell)) return fillCell(cell, String(Number(cell) + 1));
    return readStatus(cell, row.heads[k]) === undefined ? cell.replace(/[^\s>]/g, ' ') : cell;
  });

  return renderRow({ ...row, cells }, text, false);
}

const fillCell = (cell: string, text: string): string =>
  cell.trim() === '' ? ` ${text} ` : cell.replace(cell.trim(), () => text);
