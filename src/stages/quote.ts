import { resolve } from 'node:path';
import { resolveRealPath } from '../base/fs/index.ts';
import { defuse, redactPassage, sanitizeLine, toPlainLine } from '../base/safety/index.ts';
import { embedInCurly } from '../base/text/strings.ts';
import { readStored } from '../memory/read.ts';
import type { MemoryAnswer, MemoryOptions, MemoryQuery } from '../memory/types.ts';

/** A secret may be recognised by text this many lines above or below it. */
const SURROUNDING_LINES = 12;
const SURROUNDING_CHARACTERS = 8000;

/** Foreign text as a line: without secrets or anything that looks like structure. */
export const shortenForeignText = (text: string, maxCharacters: number): string =>
  cutAtWord(sanitizeLine(text, maxCharacters), text);

/** The same as part of a line of ours: a number at its beginning makes no list. */
export const quoteForeignText = (text: string, maxCharacters: number): string =>
  shortenForeignText(embedInCurly(text), maxCharacters).replace(/^(\d+)\\(?=[.)])/, '$1');

/** A cut inside a word moves before it, if that loses little. */
function cutAtWord(line: string, text: string): string {
  if (!line.endsWith('…') || text.trimEnd().endsWith('…')) return line;
  return line.replace(/(?<=\S.{20,40})(?<!\s)\s+\S{1,24}…$/u, '…').replace(/(?<![,;:–—-])[,;:–—-]+…$/u, '…');
}

/** The same for part of a file, with the lines around it as context: see `redactedFrom`. */
export function quotePassage(
  lines: readonly string[],
  startLine: number,
  endLine: number,
  piece: string,
  maxCharacters: number,
): string {
  const safe = redactPassageLines(lines, startLine, endLine, piece);
  return cutAtWord(toPlainLine(safe, maxCharacters), safe);
}

/** A value may be labelled on the line above, and a key may span lines. */
function redactPassageLines(
  lines: readonly string[],
  startLine: number,
  endLine: number,
  piece: string,
): string {
  const around = lines.slice(Math.max(0, startLine - 1 - SURROUNDING_LINES), endLine + SURROUNDING_LINES);
  const surroundings = around.map((line) => line.slice(0, SURROUNDING_CHARACTERS)).join('\n');
  return redactPassage(piece, surroundings.slice(0, SURROUNDING_CHARACTERS * 2));
}

/** None if the file is unreadable, not text, or a link that leads elsewhere. */
export function readFileLines(workspace: string, path: string, roots: readonly string[] = []): string[] {
  const allowed = [workspace, ...roots].map((root) => resolveRealPath(root) ?? root);
  const read = readStored(workspace, path, allowed);
  return 'text' in read ? read.text.split('\n') : [];
}

/** What a search finds, without secrets and personal data, with regard to the surroundings in the file. */
export async function searchSafely(query: MemoryQuery, options: MemoryOptions): Promise<MemoryAnswer> {
  const { searchMemory } = await import('../memory/search.ts');
  const answer = await searchMemory(query, options);
  const { workspace, include = [] } = options;
  const roots = include.map((extra) => resolve(workspace, extra));

  for (const hit of answer.hits) {
    const lines = readFileLines(workspace, hit.path, roots);
    hit.text = defuse(redactPassageLines(lines, hit.startLine, hit.endLine, hit.text));
    hit.headings = hit.headings.map((heading) => shortenForeignText(heading, heading.length));
  }

  return answer;
}
