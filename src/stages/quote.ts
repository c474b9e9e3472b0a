import { realPathOf } from '../fs/index.ts';
import { readStored } from '../memory/read.ts';
import { plainLine, redactPassage, safeLine } from '../safety/index.ts';

/** A secret may be told by what stands so many lines above or below it. */
const SURROUNDING_LINES = 12;
const SURROUNDING_CHARACTERS = 8000;

/** Foreign text as part of a line: one line, no secrets, nothing that could pass for structure. */
export function quoted(text: string, maxCharacters: number): string {
  return atWord(safeLine(text, maxCharacters), text);
}

/** What was cut inside a word is cut before it, where that costs little. */
function atWord(line: string, text: string): string {
  if (!line.endsWith('…') || text.trimEnd().endsWith('…')) return line;
  return line.replace(/(?<=\S.{20,})\s+\S{1,24}…$/u, '…').replace(/[,;:–—-]+…$/u, '…');
}

/** The same for a piece of a file, judged by the lines around it: see `redactedFrom`. */
export function quotedFrom(
  lines: readonly string[],
  startLine: number,
  endLine: number,
  piece: string,
  maxCharacters: number,
): string {
  const safe = redactedFrom(lines, startLine, endLine, piece);
  return atWord(plainLine(safe, maxCharacters), safe);
}

/**
 * A piece of a file without secrets, judged by the lines around it: the value whose telling word
 * is a line above, the middle of a key.
 *
 * @param startLine first line of the block that the piece is from, from 1
 */
export function redactedFrom(
  lines: readonly string[],
  startLine: number,
  endLine: number,
  piece: string,
): string {
  const around = lines.slice(Math.max(0, startLine - 1 - SURROUNDING_LINES), endLine + SURROUNDING_LINES);
  const surroundings = around.map((line) => line.slice(0, SURROUNDING_CHARACTERS)).join('\n');
  return redactPassage(piece, surroundings.slice(0, SURROUNDING_CHARACTERS * 2));
}

/**
 * The lines of a file of the workspace, or of one that the config adds; none when it cannot be
 * read, is no text, or is a link that leads elsewhere.
 */
export function linesOfFile(workspace: string, path: string, roots: readonly string[] = []): string[] {
  const allowed = [workspace, ...roots].map((root) => realPathOf(root) ?? root);
  const read = readStored(workspace, path, allowed);
  return 'text' in read ? read.text.split('\n') : [];
}
