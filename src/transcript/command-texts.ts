import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { attempt } from '../base/errors.ts';
import { isOwn, readBytes, resolveRealPath, tryList, tryStat } from '../base/fs/index.ts';
import { toMembers } from '../base/text/json.ts';
import { splitWordList, withLf } from '../base/text/strings.ts';
import { stripInjections } from '../pad/injection.ts';
import { extractCommandWords, joinOwnWords, keepSentence } from './content.ts';
import { openClawWords } from './formats/openclaw-words.ts';

/** Where a repository keeps commands whose text a host stores, unmarked, as the message of the person who called one. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'opencode-sqlite': splitWordList('.opencode/command .opencode/commands .config/opencode/command'),
  pi: ['.pi/prompts', '.pi/agent/prompts'],
  'qwen-code': ['.qwen/commands'],
  droid: ['.factory/commands'],
};
const MOST_NAMES = 2000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Characters in one piece of a command without which it cannot be told from words that were typed. */
const LEAST = 20;
const FRONT_MATTER = /^---[^\n]*\n(?:[\s\S]*?\n)??---[^\n]*(?:\n|$)/;
/** What the host fills in: what was typed, files, and outputs of a shell, to the end of the text where braces are deep. */
const HOLE =
  /(\$(?:ARGUMENTS|@|\d+|\{@[^}]{0,20}\})|\{\{args\}\}|[!@]\{(?:(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|[\s\S]*)|!`[^`]*`)/;

/** A command in pieces; what the host puts before those of a lower index than `foreign` was typed. */
export interface CommandText {
  pieces: string[];
  longest: string;
  foreign: number;
}

/** The commands in some folders, as sessions of a format have them. */
export function listCommandTexts(format: string, roots: readonly string[]): CommandText[] {
  const places = FOLDERS[format] ?? [];
  // Above the workspace, as in /tmp, others may put folders for everybody.
  const find = (root: string): string[] => places.map((folder) => join(root, folder));
  const counts = (root: string, index: number): boolean =>
    index === 0 || [root, ...find(root)].every((path) => isOwn(path));
  const paths = roots.filter(counts).flatMap(find);
  const visited = new Set<string | undefined>();
  const files: { path: string; size: number }[] = [];
  const texts: CommandText[] = [];

  for (let at = 0; at < paths.length && at < MOST_NAMES; at += 1) {
    const path = paths[at] ?? '';
    const [stats, real] = [tryStat(path), resolveRealPath(path)];
    if (stats?.isFile()) files.push({ path, size: stats.size });
    else if (!visited.has(real)) paths.push(...tryList(path).map((name) => join(path, name)));
    visited.add(real);
  }

  let room = MOST_BYTES;
  // Large files hide no small ones.
  for (const { path, size } of files.sort((a, b) => a.size - b.size)) {
    room -= size;
    if (room < 0) break;
    texts.push(...readTemplates(path).map((template) => splitAtHoles(cleanAsMessage(template, format))));
  }

  return texts.filter(({ longest }) => longest.length >= LEAST);
}

/** The text of a command, as hosts read it; they differ in what they take for front matter. */
function readTemplates(path: string): string[] {
  const text = withLf(attempt(() => readBytes(path, 'pad'))?.toString() ?? '').replace('\uFEFF', '');
  const { prompt } = toMembers(path.endsWith('.toml') && attempt(() => parseToml(text)));
  return typeof prompt === 'string' ? [prompt] : [text.replace(FRONT_MATTER, ''), text];
}

/** What is left of a text where a message is read: tags in a command would make it another one. */
function cleanAsMessage(template: string, format: string): string {
  const own = format === 'pi' ? (openClawWords(template.trim())?.words ?? '') : joinOwnWords([template]);
  const words = stripInjections(own);
  return format === 'opencode-sqlite' ? words.replace(/^"([\s\S]*)"$/, '$1') : words;
}

function splitAtHoles(text: string): CommandText {
  const parts = text.trim().split(HOLE);
  // Of holes side by side nobody knows where one ends.
  const isPiece = (part: string, index: number): boolean =>
    index % 2 === 0 && (part.trim() !== '' || index === 0 || index === parts.length - 1);
  const pieces = parts.filter(isPiece).map((piece) => piece.trim());
  const first = parts.findIndex((part, index) => index % 2 === 1 && /^[!@]/.test(part));
  const foreign = first < 0 ? pieces.length : parts.slice(0, first).filter(isPiece).length;
  const [longest = ''] = pieces.toSorted((a, b) => b.length - a.length);
  return { pieces, longest, foreign };
}

/**
 * What a person typed to call a command, if a message is its text: what was filled in, and what follows it after a blank
 * line. Behind what a shell or file has said nobody knows who said it.
 * @returns `undefined` if it is another text
 */
export function readTypedWords(message: string, command: CommandText): string | undefined {
  const { pieces, longest, foreign } = command;
  const text = message.trim();
  const words: string[] = [];
  let end = 0;
  // Most commands end here: a repository may have thousands, of as many pieces.
  if (!text.includes(longest)) return undefined;

  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    let at = index === 0 ? 0 : text.indexOf(piece, end);
    if (isLast && index > 0)
      at = text.endsWith(piece) ? text.length - piece.length : text.lastIndexOf(`${piece}\n\n`);
    if (at < end || !text.startsWith(piece, at)) return undefined;
    if (index < foreign) words.push(text.slice(end, at).trim());
    end = at + piece.length;
  }

  const rest = text.slice(end);
  if (rest !== '' && !rest.startsWith('\n\n')) return undefined;

  // Qwen Code puts the whole call there, OpenCode its arguments, which may begin with a path.
  const below = rest.trim();
  const isCall = /^\/[\w:.-]+(?:\s|$)/.test(below);

  return [...words.map(keepSentence), isCall ? extractCommandWords(below) : keepSentence(below)]
    .filter(Boolean)
    .join('\n');
}
