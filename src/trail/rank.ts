import { isAbsolute } from 'node:path';
import type { KnownCommand } from './kinds/commands.ts';
import type { FileInHand } from './kinds/files.ts';
import type { Trail } from './trail.ts';

/** What may be named of the files and commands of a session, with the name it is shown by. */
export interface Item {
  kind: 'file' | 'command';
  /** The path, or the command. */
  value: string;
  /** The shortest ending of a path that no other known path has. */
  short: string;
  score: number;
  /** Edited and not committed. */
  open: boolean;
}

/**
 * The files and commands of a session, the likeliest to be used again first. The weights were fitted on what agents
 * used again after 568 compactions and restarts: age counts most, in calls since the last use, then the number of
 * uses; long commands, git by itself, prose and what lies outside the workspace are seldom needed.
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

/** What a command loses that ran once and checks nothing. */
const ONE_OFF = 1;

/** @param age calls since the last use */
function recency(age: number, uses: number): number {
  return -0.5 * Math.log(1 + Math.max(0, age)) + 0.5 * Math.log(1 + uses);
}

/** For each path the shortest ending of whole parts that no other of them has. */
export function shortNames(paths: readonly string[]): Map<string, string> {
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
 * The items that fit, best first, as lines: files grouped by folder, then a command a line.
 *
 * @param fits whether lines of so many characters, line ends counted, are allowed
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

/** Items that are too long are passed over this often before the list counts as full. */
const MOST_MISSES = 12;

function lengthOf({ files, commands }: { files: string; commands: string[] }): number {
  return (files === '' ? 0 : files.length + 3) + commands.reduce((sum, line) => sum + line.length + 3, 0);
}

function linesOf(items: readonly Item[]): { files: string; commands: string[] } {
  const files = items.filter(({ kind }) => kind === 'file');
  const folders = new Map<string, string[]>();
  for (const { value, short, open } of files) {
    const folder = value.slice(0, value.length - short.length);
    folders.set(folder, [...(folders.get(folder) ?? []), `${short}${open ? '*' : ''}`]);
  }
  const base = baseOf([...folders.keys()]);
  const inside = [...folders].filter(([folder]) => folder.startsWith(base));
  const outside = [...folders].filter(([folder]) => !folder.startsWith(base));
  // What lies in the base folder itself comes first: it is read as part of it.
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

/** The folder that saves most characters when it is named once for all that lies in it; none where none saves any. */
function baseOf(folders: readonly string[]): string {
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

/** What naming the other files apart costs. */
const ELSEWHERE = '; elsewhere: in '.length;
