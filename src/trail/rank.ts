import { isAbsolute } from 'node:path';
import type { KnownCommand } from './kinds/commands.ts';
import type { FileInHand } from './kinds/files.ts';
import type { Trail } from './trail.ts';

/** A file or command of a session, with its display name. */
export interface Item {
  kind: 'file' | 'command';
  /** The path, or the command. */
  value: string;
  /** The shortest unique ending of a path. */
  short: string;
  score: number;
  /** Edited and not committed. */
  open: boolean;
}

/**
 * The files and commands of a session, most likely to be used again first. The weights were fitted to what agents
 * used again after 568 compactions and restarts: age (calls since the last use) counts most, then the number of
 * uses; long commands, plain git commands, prose and paths outside the workspace are rarely needed.
 */
export function rankedItems({ fold, facts }: Pick<Trail, 'fold' | 'facts'>): Item[] {
  const { states, course } = fold;
  const words = course.words.join('\n').toLowerCase();
  const open = new Set(facts.filter((fact) => fact.kind === 'edited' && fact.open).map(({ text }) => text));
  const shortOf = shortNames(states.file.map(({ path }) => path));
  const files = states.file.map((file): Item => {
    const short = shortOf.get(file.path) ?? file.path;
    return {
      kind: 'file',
      value: file.path,
      short,
      score: fileScore(file, course.calls, words),
      open: open.has(file.path),
    };
  });
  const commands = states.command.map((command): Item => {
    const { text } = command;
    return {
      kind: 'command',
      value: text,
      short: text,
      score: commandScore(command, course.calls),
      open: false,
    };
  });
  return [...files, ...commands].sort((a, b) => b.score - a.score);
}

function fileScore({ path, uses, last }: FileInHand, calls: number, words: string): number {
  const base = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return (
    recency(calls - last, uses) +
    (base !== '' && words.includes(base) ? 1 : 0) -
    (isAbsolute(path) || path.startsWith('~') ? 1.5 : 0) -
    (/\.(?:md|txt)$/.test(path) ? 0.5 : 0)
  );
}

function commandScore({ text, uses, last, check }: KnownCommand, calls: number): number {
  return (
    recency(calls - last, uses) +
    (check ? 0.5 : uses === 1 ? -ONE_OFF : 0) -
    (3 * text.length) / 50 -
    (/^(?:git|gh)\b/.test(text) ? 1 : 0)
  );
}

/** Penalty for a command that ran once and is not a check. */
const ONE_OFF = 1;

/** @param age calls since the last use */
function recency(age: number, uses: number): number {
  return -0.5 * Math.log(1 + Math.max(0, age)) + 0.5 * Math.log(1 + uses);
}

/** For each path its shortest unique ending in whole parts. */
function shortNames(paths: readonly string[]): Map<string, string> {
  const holders = new Map<string, number>();
  const endings = (path: string): string[] => {
    const parts = path.split('/');
    return parts
      .map((_, index) => parts.slice(parts.length - 1 - index).join('/'))
      .filter((ending) => ending !== '');
  };
  for (const path of paths)
    for (const ending of endings(path)) holders.set(ending, (holders.get(ending) ?? 0) + 1);
  return new Map(
    paths.map((path) => [path, endings(path).find((ending) => holders.get(ending) === 1) ?? path]),
  );
}

/**
 * The items that fit, best first, as lines: files grouped by folder, then one command per line.
 *
 * @param fits whether lines with this many characters, including newlines, are allowed
 */
export function packed(
  items: readonly Item[],
  fits: (characters: number) => boolean,
): { files: string; commands: string[] } {
  const chosen: Item[] = [];
  let misses = 0;
  for (const item of items) {
    const lines = linesOf([...chosen, item]);
    if (fits(lengthOf(lines))) chosen.push(item);
    else if (++misses > MOST_MISSES) break;
  }
  return linesOf(chosen);
}

/** How many overlong items are skipped before the list counts as full. */
const MOST_MISSES = 12;

function lengthOf({ files, commands }: { files: string; commands: string[] }): number {
  return (files === '' ? 0 : files.length + 3) + commands.reduce((sum, line) => sum + line.length + 3, 0);
}

function linesOf(items: readonly Item[]): { files: string; commands: string[] } {
  const files = items.filter(({ kind }) => kind === 'file');
  const base = baseOf(files.map(({ value, short }) => value.slice(0, value.length - short.length)));
  const folders = new Map<string, string[]>();
  for (const { value, short, open } of files) {
    const cut = value.length - short.length;
    // A name that is only unique with a part of the base reads best below the base.
    const folder = value.slice(0, value.startsWith(base) ? Math.max(cut, base.length) : cut);
    folders.set(folder, [...(folders.get(folder) ?? []), `${value.slice(folder.length)}${open ? '*' : ''}`]);
  }
  const inside = [...folders].filter(([folder]) => folder.startsWith(base));
  const outside = [...folders].filter(([folder]) => !folder.startsWith(base));
  // Files in the base folder itself come first, so that they read as part of it.
  inside.sort(([a], [b]) => Number(b === base) - Number(a === base));
  const marked = items.some(({ open }) => open) ? ' (* not committed)' : '';
  const title = `Files${base === '' ? '' : ` in ${base}`}${marked}: `;
  const groups = inside.map(([folder, names]) => groupText(folder.slice(base.length), names));
  const others = outside.map(([folder, names]) => groupText(folder, names));
  const commands = items.filter(({ kind }) => kind === 'command').map(({ value }) => `\`${value}\``);
  return {
    files:
      files.length === 0
        ? ''
        : `${title}${groups.join(', ')}${others.length === 0 ? '' : `; elsewhere: ${others.join(', ')}`}`,
    commands: commands.length === 0 ? [] : [`Commands: ${commands.join(', ')}`],
  };
}

function groupText(folder: string, names: readonly string[]): string {
  if (folder === '') return names.join(', ');
  return names.length === 1 ? `${folder}${names[0]}` : `${folder}{${names.join(', ')}}`;
}

/** The folder that saves most characters if named once for its files; none if none saves any. */
function baseOf(all: readonly string[]): string {
  const folders = [...new Set(all)];
  let best = { base: '', saved: ELSEWHERE };
  const tried = new Set(
    folders.flatMap((folder) => [...folder.matchAll(/\//g)].map(({ index }) => folder.slice(0, index + 1))),
  );
  for (const base of tried) {
    const saved = base.length * (folders.filter((folder) => folder.startsWith(base)).length - 1);
    if (saved > best.saved || (saved === best.saved && base.length > best.base.length))
      best = { base, saved };
  }
  return best.base;
}

/** The cost of naming the other files separately. */
const ELSEWHERE = '; elsewhere: in '.length;
