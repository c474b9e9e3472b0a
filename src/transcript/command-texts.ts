import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { attempt } from '../base/errors.ts';
import { isInside, isOwn, readBytes, resolveRealPath, tryList, tryStat } from '../base/fs/index.ts';
import { getString, parseJson, toMembers } from '../base/text/json.ts';
import { toOneLine } from '../base/text/prose.ts';
import { splitWordList, withLf } from '../base/text/strings.ts';
import { stripInjections } from '../pad/injection.ts';
import { extractCommandWords, joinOwnWords, keepSentence } from './content.ts';
import { openClawWords } from './formats/openclaw-words.ts';

/** Where a repository keeps commands whose text a host stores, unmarked, as the message of the person who called one. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'opencode-sqlite': splitWordList(`
    .opencode/command .opencode/commands .opencode/skill .opencode/skills .claude/skills .agents/skills
    .config/opencode/command .config/opencode/commands .config/opencode/skill .config/opencode/skills
  `),
  pi: ['.pi/prompts', '.pi/agent/prompts', '.pi/git'],
  'qwen-code': ['.qwen/commands'],
  droid: ['.factory/commands', '.claude/commands'],
};
/** Settings that hold commands, or name folders of them. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  'opencode-sqlite': ['', '.opencode/', '.config/opencode/'].flatMap((folder) => [
    `${folder}opencode.json`,
    `${folder}opencode.jsonc`,
  ]),
  pi: ['.pi/settings.json', '.pi/agent/settings.json'],
};
const MOST_NAMES = 5000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Characters in the pieces of a command with holes without which it cannot be told from words that were typed. */
const LEAST = 20;
const LEAST_PIECE = 8;
const FRONT_MATTER = /^---[^\n]*\n(?:[\s\S]*?\n)??---[^\n]*(?:\n|$)/;
const TYPED = String.raw`\$(?:ARGUMENTS|@|\d+|\{@[^}\n]*\})|\{\{args\}\}`;
/** What the host fills in: what was typed, files, and outputs of a shell, to the end of the text where braces are deep. */
const HOLES: Readonly<Record<string, RegExp>> = {
  'opencode-sqlite': new RegExp(`(${TYPED}|\\{env:[^}\\n]*\\}|!\`[^\`]*\`)`),
  'qwen-code': new RegExp(String.raw`(${TYPED}|[!@]\{(?:(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|[\s\S]*))`),
};
const TYPED_HOLE = new RegExp(`(${TYPED})`);

/** A command in pieces; what the host puts before those of a lower index than `foreign` was typed. */
export interface CommandText {
  pieces: string[];
  longest: string;
  foreign: number;
  /** Of a command that begins with a hole: whether the host may have filled it with this, which ends with its blanks. */
  mayBegin?: (text: string) => boolean;
}

export interface CommandTexts {
  texts: CommandText[];
  /** Each of them as it is where nothing was typed, squashed. */
  wholes: ReadonlySet<string>;
  /** False if there are more than are read, any of which a message may be the text of. */
  isWhole: boolean;
}

/** The commands in some folders, as sessions of a format have them. */
export function listCommandTexts(format: string, roots: readonly string[]): CommandTexts {
  const templates: string[] = [];
  const paths: { path: string; base: string | undefined }[] = [];

  for (const [index, root] of roots.entries()) {
    const settings = (SETTINGS[format] ?? []).map((name) => join(root, name));
    const folders = (FOLDERS[format] ?? []).map((folder) => join(root, folder));
    // Above the workspace, as in /tmp, others may put folders for everybody.
    if (index > 0 && ![root, ...folders, ...settings].every((path) => isOwn(path))) continue;

    const read = settings.map(readSettings);
    templates.push(...read.flatMap((one) => one.templates));
    for (const path of [...folders, ...read.flatMap((one) => one.folders)])
      paths.push({ path, base: resolveRealPath(isInside(root, path) ? root : path) });
  }

  const visited = new Set<string | undefined>();
  const files: { path: string; size: number }[] = [];

  for (let at = 0; at < paths.length && at < MOST_NAMES; at += 1) {
    const { path = '', base = '' } = paths[at] ?? {};
    const [stats, real = ''] = [tryStat(path), resolveRealPath(path)];
    // A link to a folder may lead to all that there is.
    if (visited.has(real) || !(stats?.isFile() || isInside(base, real))) continue;
    visited.add(real);
    if (stats?.isFile()) files.push({ path, size: stats.size });
    else if (basename(path) !== 'node_modules')
      paths.push(...tryList(path).map((name) => ({ path: join(path, name), base })));
  }

  let room = MOST_BYTES;
  // Large files hide no small ones.
  for (const { path, size } of files.sort((a, b) => a.size - b.size)) {
    room -= size;
    if (room < 0) break;
    templates.push(...readTemplates(path));
  }

  const cleaned = templates.map((template) => cleanAsMessage(template, format));
  const all = cleaned.map((template) => splitAtHoles(template, format, roots));
  const canTell = ({ pieces, longest }: CommandText): boolean =>
    pieces.length === 1 ? longest !== '' : longest.length >= LEAST_PIECE && pieces.join('').length >= LEAST;
  const texts = all.filter(canTell);
  const isWhole = room >= 0 && paths.length <= MOST_NAMES;
  const holes = new RegExp(HOLES[format] ?? TYPED_HOLE, 'g');
  // A hole that is filled with nothing may leave another one.
  const wholes = new Set(cleaned.map((text) => squash(text.replace(holes, '').replace(holes, ''))));
  return { texts, wholes, isWhole };
}

/** Letters and digits alone: what a host leaves out or puts between them does not matter. */
export const squash = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

const COMMENT = /("(?:\\.|[^"\\\n])*"?)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|,(?=\s*[}\]])/g;

/** The commands in the settings of a host, and the folders of others that they name. */
function readSettings(path: string): { templates: string[]; folders: string[] } {
  const text = attempt(() => readBytes(path, 'pad'))?.toString() ?? '{}';
  const { command, prompts, packages } = toMembers(
    parseJson(text.replace(COMMENT, '$1').replace(COMMENT, '$1')),
  );
  const base = dirname(path);
  const readNamed = (_: string, name: string): string =>
    attempt(() => readBytes(resolveNamed(base, name), 'pad'))?.toString() ?? '';
  const templates = Object.values(toMembers(command)).flatMap(
    (one) => getString(toMembers(one), 'template') ?? [],
  );
  const folders = [
    ...listNames(prompts).map((name) => resolveNamed(base, name)),
    ...(Array.isArray(packages) ? packages : [])
      .flatMap((one) => listNames([getString(toMembers(one), 'source') ?? one]))
      .flatMap((source) => listPackageFolders(base, source)),
  ];
  return { templates: templates.map((one) => withLf(one.replace(/\{file:([^}]+)\}/g, readNamed))), folders };
}

const listNames = (names: unknown): string[] =>
  (Array.isArray(names) ? names : []).filter((name) => typeof name === 'string');

/** A name may be a pattern: then the folder above it. */
const resolveNamed = (base: string, name: string): string =>
  resolve(base, name.replace(/^[!+-]|(?<![^/])[^/]*[*?{[].*$/g, '').replace(/^~(?=\/|$)/, homedir()));

/** Where a package of pi has commands: npm's are installed beside the settings. */
function listPackageFolders(base: string, source: string): string[] {
  const npm = /^npm:(@?[^@]+)/.exec(source)?.[1];
  const folder = npm === undefined ? resolveNamed(base, source) : join(base, 'npm/node_modules', npm);
  const manifest = attempt(() => readBytes(join(folder, 'package.json'), 'pad'))?.toString() ?? '{}';
  const { prompts } = toMembers(toMembers(parseJson(manifest)).pi);
  return ['prompts', ...listNames(prompts)].map((name) => resolveNamed(folder, name));
}

/** The text of a command, as hosts read it; they differ in what they take for front matter. */
function readTemplates(path: string): string[] {
  const text = withLf(attempt(() => readBytes(path, 'pad'))?.toString() ?? '').replace('\uFEFF', '');
  const { prompt } = toMembers(path.endsWith('.toml') && attempt(() => parseToml(text)));
  if (typeof prompt === 'string') return [prompt];
  return [text.replace(FRONT_MATTER, ''), text, text.replace(/^[\s\S]*?\n---/, '')];
}

/** What is left of a text where a message is read: tags in a command would make it another one. */
function cleanAsMessage(template: string, format: string): string {
  const own = format === 'pi' ? (openClawWords(template.trim())?.words ?? '') : joinOwnWords([template]);
  const words = stripInjections(own);
  return format === 'opencode-sqlite' ? words.replace(/^"([\s\S]*)"$/, '$1') : words;
}

function splitAtHoles(text: string, format: string, roots: readonly string[]): CommandText {
  const parts = text.trim().split(HOLES[format] ?? TYPED_HOLE);
  // Of holes side by side nobody knows where one ends.
  const isPiece = (part: string, index: number): boolean =>
    index % 2 === 0 && (part.trim() !== '' || index === 0 || index === parts.length - 1);
  const pieces = parts.filter(isPiece).map((piece) => piece.trim());
  const first = parts.findIndex((part, index) => index % 2 === 1 && /^(?:[!@]|\{env)/.test(part));
  const foreign = first < 0 ? pieces.length : parts.slice(0, first).filter(isPiece).length;
  const [longest = ''] = pieces.toSorted((a, b) => b.length - a.length);
  const [start, hole = '', next = ''] = parts;
  const mayBegin = (begin: string): boolean =>
    (/^\s/.test(next) || !/[^\S\n]$/.test(begin)) && mayFill(hole, begin, roots);
  return { pieces, longest, foreign, ...(start === '' && parts.length > 1 && { mayBegin }) };
}

/** Whether a text may have come from a hole: one of a file holds what the file has. */
function mayFill(hole: string, text: string, roots: readonly string[]): boolean {
  const name = /^@\{(.*)\}$/s.exec(hole)?.[1]?.trim();
  if (name === undefined) return true;

  const paths = roots.map((root) => resolve(root, name)).filter((path) => tryStat(path) !== undefined);
  return paths.some((path) => {
    // Of a folder or a very large file nobody knows what the host took.
    const content = attempt(() => readBytes(path, 'pad'))?.toString();
    return content === undefined || toOneLine(content).includes(toOneLine(text));
  });
}

/**
 * What a person typed to call a command, if a message is its text: what was filled in, and what follows it after a blank
 * line. Behind what a shell or file has said nobody knows who said it.
 * @returns `undefined` if it is another text
 */
export function readTypedWords(message: string, command: CommandText): string | undefined {
  const { pieces, longest, foreign, mayBegin } = command;
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
    if (index === 1 && mayBegin?.(text.slice(0, at)) === false) return undefined;
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
