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

  for (const [delimiter, line] of lines.entries()) {
    const head = lines[delimiter - 1] ?? '';
    if (!line.includes('|') || !DELIMITER.test(line) || !head.includes('|')) continue;

    for (const index of [delimiter - 1, delimiter])
      rows.set(index, { cells: [], heads: [], column: 0, done: undefined });

    const end = lines.findIndex((each, k) => k > delimiter && !each.includes('|'));
    const body = lines.slice(delimiter + 1, end === -1 ? undefined : end).map(splitCells);
    const heads = splitCells(head);
    const headOfSteps = heads.findIndex(isHeadOfSteps);
    const column = headOfSteps === -1 ? findWidest(body) : headOfSteps;

    for (const [index, cells] of body.entries()) {
      const states = cells.map((cell, k) => (k === column ? undefined : readStatus(cell, heads[k])));
      const done = states.find((state) => state !== undefined);
      rows.set(delimiter + 1 + index, { cells, heads, column, done });
    }
  }

  return rows;
}

export function isHeadOfSteps(cell: string): boolean {
  const words = cell.replace(/[^\p{L}\s-]/gu, '').trim();
  return HEADS.has(words.toLowerCase());
}

/** The widest column, or the first of several wide ones: numbers, states and owners are short, remarks come last. */
function findWidest(rows: readonly (readonly string[])[]): number {
  const columns = Math.max(...rows.map(({ length }) => length), 0);
  const widths = Array.from({ length: columns }, (_, k) =>
    rows.reduce((sum, cells) => sum + Math.min(cells[k]?.trim().length ?? 0, WIDE_CELL), 0),
  );

  return Math.max(0, widths.indexOf(Math.max(...widths)));
}

export function renderRow({ cells, heads, column }: Row, text: string, done?: boolean): string {
  const newCells = cells.map((cell, k) => {
    if (k === column) return fillCell(cell, text.replace(/(?<!\\)\|/g, '\\|'));
    if (done === undefined || readStatus(cell, heads[k]) === undefined) return cell;
    if (cell.includes('[')) return fillCell(cell, done ? '[x]' : '[ ]');
    // Only below a head such as "Done" the cell says yes or no.
    if (readStatus(cell) === undefined) return fillCell(cell, done ? 'yes' : 'no');
    return fillCell(cell, done ? 'done' : 'todo');
  });

  return newCells.join('|');
}

/** A row after another one: with the next number, and open. */
export function renderNextRow(row: Row, text: string): string {
  const cells = row.cells.map((cell, k) => {
    if (/^\s*\d+\s*$/.test(cell)) return fillCell(cell, String(Number(cell) + 1));
    return readStatus(cell, row.heads[k]) === undefined ? cell.replace(/[^\s>]/g, ' ') : cell;
  });

  return renderRow({ ...row, cells }, text, false);
}

const fillCell = (cell: string, text: string): string =>
  cell.trim() === '' ? ` ${text} ` : cell.replace(cell.trim(), () => text);
