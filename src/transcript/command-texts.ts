import { homedir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { attempt } from '../base/errors.ts';
import { isInside, isOwn, LARGEST, readBytes, resolveRealPath, tryList, tryStat } from '../base/fs/index.ts';
import { getString, parseJson, toMembers } from '../base/text/json.ts';
import { toOneLine } from '../base/text/prose.ts';
import { splitWordList, withLf } from '../base/text/strings.ts';
import { stripInjections } from '../pad/injection.ts';
import { extractCommandWords, joinOwnWords, keepSentence } from './content.ts';
import { openClawWords } from './formats/openclaw-words.ts';

/** Folders of commands, by format. These hosts store the text of a command, unmarked, as the message of who called it. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  'opencode-sqlite': splitWordList(`
    .opencode/command .opencode/commands .opencode/skill .opencode/skills .claude/skills .agents/skills
    .config/opencode/command .config/opencode/commands .config/opencode/skill .config/opencode/skills
    .cache/opencode/skills
  `),
  pi: ['.pi/prompts', '.pi/agent/prompts', '.pi/git'],
  'qwen-code': ['.qwen/commands'],
  droid: ['.factory/commands', '.claude/commands'],
};
/** Settings files that hold commands, or name folders of commands. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  'opencode-sqlite': ['', '.opencode/', '.config/opencode/'].flatMap((folder) => [
    `${folder}opencode.json`,
    `${folder}opencode.jsonc`,
  ]),
  pi: ['.pi/settings.json', '.pi/agent/settings.json'],
};
const MOST_PATHS = 5000;
/** Least lengths of the pieces of a command with holes, and of the longest: shorter ones may be words that were typed. */
const LEAST_LENGTH = 20;
const LEAST_LONGEST = 8;
const FRONT_MATTER = /^---[^\n]*\n(?:[\s\S]*?\n)??---[^\n]*(?:\n|$)/;
/** A hole for the words that were typed behind the command's name. */
const TYPED = String.raw`\$(?:ARGUMENTS|@|\d+|\{@[^$}\n]*\})|\{\{args\}\}`;
/** A hole with words for a call that has none; older versions of pi leave it as it is. Its end may lack, to read it once. */
const WITH_DEFAULT = /\$\{(\d+|ARGUMENTS|@):-([^}]*)(?:\}|$)/g;
/** The holes that each host fills: typed words, files, and outputs of a shell; one with deeper braces ends with the text. */
const HOLES: Readonly<Record<string, RegExp>> = {
  pi: new RegExp(`(\\$\\{(?:\\d+|ARGUMENTS|@):-[^}]*(?:\\}|$)|${TYPED})`),
  'opencode-sqlite': new RegExp(`(${TYPED}|\\{env:[^{}\\n]*\\}|!\`[^\`]*\`)`),
  'qwen-code': new RegExp(String.raw`(${TYPED}|[!@]\{(?:(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|[\s\S]*))`),
};
const TYPED_HOLE = new RegExp(`(${TYPED})`);

type Template = readonly [name: string, text: string];

/** The text of a command, cut into pieces by its holes. */
export interface CommandText {
  name: string;
  pieces: string[];
  longest: string;
  /** The number of pieces before the first hole that is not for typed words. */
  typedPieces: number;
  /** Tells whether a text, with its trailing blanks, may have filled the hole at the beginning, if there is one. */
  mayBegin?: (text: string) => boolean;
}

/** A path to read, which must not lead out of a folder. */
interface CommandPath {
  path: string;
  within: string | undefined;
}

export interface CommandTexts {
  texts: CommandText[];
  /** Those that say too little to be told from what a person types. */
  doubtful: CommandText[];
  /** The letters of each with nothing typed. */
  wholes: ReadonlySet<string>;
  /** False if some commands were not read, so that any message may be the text of one. */
  knowsAllCommands: boolean;
}

/** The commands in some folders, as sessions of a format have them. @param roots the workspace, then the folders above it */
export function listCommandTexts(format: string, roots: readonly string[]): CommandTexts {
  const templates: Template[] = [];
  const paths: CommandPath[] = [];
  let bytesLeft = LARGEST.commands;
  // Links lead through the whole repository, also from a submodule.
  const top = roots.findLast((root) => isOwn(root) && tryStat(join(root, '.git')) !== undefined);

  for (const [index, root] of roots.entries()) {
    const settings = (SETTINGS[format] ?? []).map((name) => join(root, name));
    const folders = (FOLDERS[format] ?? []).map((folder) => join(root, folder));
    // Above the workspace, as in /tmp, other users may put folders for everybody.
    if (index > 0 && ![root, ...folders, ...settings].every((path) => isOwn(path))) continue;

    if (settings.some((path) => (tryStat(path)?.size ?? 0) > LARGEST.commands)) bytesLeft = -1;
    const contents = settings.map((path) => readSettings(path, root));
    templates.push(...contents.flatMap((each) => each.templates));
    const bounds = [top ?? root, root];
    for (const path of [...folders, ...contents.flatMap((each) => each.folders)])
      paths.push({ path, within: resolveRealPath(bounds.find((each) => isInside(each, path)) ?? path) });
  }

  const { files, isWhole } = listFilesBelow(paths);
  // Small files come first, so that a large one does not hide them.
  for (const { path, size } of files.sort((a, b) => a.size - b.size)) {
    bytesLeft -= size;
    if (bytesLeft < 0) break;
    templates.push(...readTemplates(path));
  }

  const filled = templates.flatMap(([name, text]) =>
    listFillings(cleanAsMessage(text, format)).map((filling): Template => [name, filling]),
  );
  const all = filled.map((template) => splitAtHoles(template, format, roots));
  const holes = new RegExp(HOLES[format] ?? TYPED_HOLE, 'g');
  // Twice, because a hole that is filled with nothing may leave another one.
  const removeHoles = (text: string): string => text.replace(holes, '').replace(holes, '');
  const listWholes = (text: string): string[] => [
    removeHoles(text),
    format === 'pi' ? text : removeHoles(text),
  ];
  const wholes = new Set(filled.flatMap(([, text]) => listWholes(text).map(toLetters)));
  const [texts, others] = [all.filter(isDistinctive), all.filter((command) => !isDistinctive(command))];
  return { texts, doubtful: others.filter(isDoubtful), wholes, knowsAllCommands: isWhole && bytesLeft >= 0 };
}

/** A name as part of our own sentence, in which a repository must not write. */
const renderName = (name: string): string => `/${name.slice(0, 40).replace(/[^\p{L}\p{N}_.:-]+/gu, '-')}`;

/** The letters and digits of a text, since hosts differ in what they leave out and put between them. */
export const toLetters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

const isDistinctive = ({ pieces, longest }: CommandText): boolean =>
  pieces.length === 1
    ? longest !== ''
    : longest.length >= LEAST_LONGEST && pieces.join('').length >= LEAST_LENGTH;

/** Whether a command adds to what is typed: words of its own, a file, or the output of a shell. */
const isDoubtful = ({ pieces, typedPieces }: CommandText): boolean =>
  typedPieces < pieces.length || /[\p{L}\p{N}\p{So}]/u.test(pieces.join(''));

function listFilesBelow(start: readonly CommandPath[]): {
  files: { path: string; size: number }[];
  isWhole: boolean;
} {
  const queue = [...start];
  const visited = new Set<string>();
  const files: { path: string; size: number }[] = [];

  // The queue grows with the contents of each folder.
  for (const [index, { path, within = '' }] of queue.entries()) {
    if (index >= MOST_PATHS) return { files, isWhole: false };

    const real = resolveRealPath(path) ?? '';
    const stats = tryStat(path);
    // A link to a folder may lead to the whole disk.
    if (visited.has(real) || !(stats?.isFile() || isInside(within, real))) continue;
    visited.add(real);

    if (stats?.isFile()) files.push({ path, size: stats.size });
    else if (basename(path) !== 'node_modules')
      queue.push(...tryList(path).map((name) => ({ path: join(path, name), within })));
  }

  return { files, isWhole: true };
}

const COMMENT = /("(?:\\.|[^"\\\n])*"?)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|,(?=\s*[}\]])/g;

const readCommandFile = (path: string): string =>
  attempt(() => readBytes(path, 'commands'))?.toString() ?? '';

/** The commands in the settings of a host, and the folders of others that they name. */
function readSettings(path: string, root: string): { templates: Template[]; folders: string[] } {
  const folder = dirname(path);
  // Twice, because a comment may stand between a comma and its bracket.
  const json = readCommandFile(path).replace(COMMENT, '$1').replace(COMMENT, '$1');
  const { command, prompts, packages, skills } = toMembers(parseJson(json));
  const readFile = (_: string, name: string): string => readCommandFile(resolveName(folder, name));
  const templates = Object.entries(toMembers(command)).map(([name, each]) => {
    const template = getString(toMembers(each), 'template') ?? '';
    return [renderName(name), withLf(template.replace(/\{file:([^{}]+)\}/g, readFile))] as const;
  });
  const sources = (Array.isArray(packages) ? packages : []).map(
    (each) => getString(toMembers(each), 'source') ?? each,
  );
  const folders = [
    ...resolveNames(folder, prompts),
    ...resolveNames(root, toMembers(skills).paths),
    ...listStrings(sources).flatMap((source) => listPackageFolders(folder, source)),
  ];
  return { templates, folders };
}

const listStrings = (values: unknown): string[] =>
  (Array.isArray(values) ? values : []).filter((value) => typeof value === 'string');

const resolveName = (folder: string, name: string): string =>
  resolve(folder, name.replace(/^~(?=\/|$)/, homedir()));

/** The paths that a list names; a pattern stands for the folder above it. */
const resolveNames = (folder: string, names: unknown): string[] =>
  listStrings(names).map((name) => resolveName(folder, name.replace(/^[!+-]|(?<![^/])[^/]*[*?{[].*$/g, '')));

/** The folders with the commands of a package of pi, which installs those of npm beside its settings. */
function listPackageFolders(folder: string, source: string): string[] {
  const npm = /^npm:(@?[^@]+)/.exec(source)?.[1];
  const root = resolveName(folder, npm === undefined ? source : `npm/node_modules/${npm}`);
  const { pi } = toMembers(parseJson(readCommandFile(join(root, 'package.json'))));
  return [join(root, 'prompts'), ...resolveNames(root, toMembers(pi).prompts)];
}

/** The text of a command, with and without front matter, which hosts recognize differently. */
function readTemplates(path: string): Template[] {
  const text = withLf(readCommandFile(path)).replace('\uFEFF', '');
  const { prompt } = toMembers(path.endsWith('.toml') && attempt(() => parseToml(text)));
  const name = renderName(basename(path.replace(/[/\\]SKILL\.md$/, ''), extname(path)));
  const texts = [text.replace(FRONT_MATTER, ''), text, text.replace(/^[\s\S]*?\n---/, '')];
  return (typeof prompt === 'string' ? [prompt] : texts).map((each) => [name, each]);
}

/** The text of a command as the format's reader returns it from a message, without the host's tags. */
function cleanAsMessage(template: string, format: string): string {
  const ownWords = format === 'pi' ? (openClawWords(template.trim())?.words ?? '') : joinOwnWords([template]);
  const words = stripInjections(ownWords);
  return format === 'opencode-sqlite' ? words.replace(/^"([\s\S]*)"$/, '$1') : words;
}

/** A text, and the same for calls with fewer words than holes: the later holes are empty, and their neighbours may join. */
function listFillings(text: string): string[] {
  const numbers = [...text.matchAll(/\$(?:\{@:|\{)?(\d+)/g)].map((match) => Number(match[1]));
  const firstEmpty = [...new Set([1, ...numbers])].sort((a, b) => a - b).slice(0, 20);
  const variants = [...firstEmpty, Infinity].flatMap((first) => {
    const dropEmpty = (hole: string, number: string, length?: string): string =>
      Number(number) >= first || Number(length ?? 1) === 0 ? '' : hole;
    const dropNumber = (hole: string, number: string): string =>
      Number(number) === 0 ? '' : dropEmpty(hole, number);
    const fillDefault = (hole: string, target: string, words: string): string =>
      dropNumber(hole, target.replace(/\D+/, '1')) || words;
    const filled = text.replace(WITH_DEFAULT, fillDefault);
    const withoutNumbers = filled.replace(/\$(\d+)/g, dropNumber);
    return [filled, withoutNumbers.replace(/\$\{@:(\d+)(?::(\d+))?\}/g, dropEmpty)];
  });
  return [...new Set([text, ...variants])];
}

function splitAtHoles([name, text]: Template, format: string, roots: readonly string[]): CommandText {
  // Pieces have even indices, holes odd ones.
  const parts = text.trim().split(HOLES[format] ?? TYPED_HOLE);
  // Blanks between two holes are no piece: where the first hole ends cannot be known.
  const isPiece = (part: string, index: number): boolean =>
    index % 2 === 0 && (part.trim() !== '' || index === 0 || index === parts.length - 1);
  const pieces = parts.filter(isPiece).map((piece) => piece.trim());
  const foreignHole = parts.findIndex((part, index) => index % 2 === 1 && /^(?:[!@]|\{env)/.test(part));
  const typedPieces = foreignHole < 0 ? pieces.length : parts.slice(0, foreignHole).filter(isPiece).length;
  const [longest = ''] = pieces.toSorted((a, b) => b.length - a.length);
  const [start, firstHole = '', next = ''] = parts;
  const mayBegin = (filling: string): boolean =>
    (/^\s/.test(next) || !/[^\S\n]$/.test(filling)) && mayFill(firstHole, filling, roots);
  return { name, pieces, longest, typedPieces, ...(start === '' && parts.length > 1 && { mayBegin }) };
}

/** Whether a text may fill a hole: the hole of a file holds text of that file. */
function mayFill(hole: string, text: string, roots: readonly string[]): boolean {
  const name = /^@\{(.*)\}$/s.exec(hole)?.[1]?.trim();
  if (name === undefined) return true;

  const paths = roots.map((root) => resolve(root, name)).filter((path) => tryStat(path) !== undefined);
  return paths.some((path) => {
    // What the host took of a folder or a very large file is unknown.
    const content = attempt(() => readBytes(path, 'pad'))?.toString();
    return content === undefined || toOneLine(content).includes(toOneLine(text));
  });
}

/**
 * The words that a person typed to call a command, if a message is its text: those in its holes, and those that follow it
 * after a blank line. Words after the text of a file or a shell cannot be told from it, and are left out.
 * @returns `undefined` if the message is another text
 */
export function readTypedWords(message: string, command: CommandText): string | undefined {
  const { pieces, longest, typedPieces, mayBegin } = command;
  const text = message.trim();
  const words: string[] = [];
  let end = 0;
  // Fast, because a repository may have thousands of commands.
  if (!text.includes(longest)) return undefined;

  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    let start = index === 0 ? 0 : text.indexOf(piece, end);
    if (isLast && index > 0)
      start = text.endsWith(piece) ? text.length - piece.length : text.lastIndexOf(`${piece}\n\n`);
    if (start < end || !text.startsWith(piece, start)) return undefined;
    if (index === 1 && mayBegin?.(text.slice(0, start)) === false) return undefined;
    if (index < typedPieces) words.push(text.slice(end, start).replace(WITH_DEFAULT, '').trim());
    end = start + piece.length;
  }

  const rest = text.slice(end);
  if (rest !== '' && !rest.startsWith('\n\n')) return undefined;

  // Below the text Qwen Code puts the whole call, OpenCode its arguments, which may begin with a path.
  const below = rest.trim();
  const isCall = /^\/[\w:.-]+(?:\s|$)/.test(below);

  return [...words.map(keepSentence), isCall ? extractCommandWords(below) : keepSentence(below)]
    .filter(Boolean)
    .join('\n');
}
