import { join } from 'node:path';
import { counted } from '../base/text/counts.ts';
import { countCharacters } from '../base/text/shorten.ts';
import { publicInfo } from './entry-files.ts';
import { errorLines } from './error-lines.ts';
import type { FileEntries } from './file-entries.ts';
import type { EntryIndex } from './index-file.ts';
import { READ_LIMIT } from './slice.ts';
import type { EntryInfo } from './types.ts';

/** An output of more characters is stored as an entry and shown as a preview. */
export const SPILL_LIMIT = READ_LIMIT;
/** Characters of a preview, half of them from the start and half from the end. */
export const PREVIEW = 2000;
/** Prefix of automatic names: `execute_command_1`, `execute_command_2`, … */
const AUTO_NAME = 'execute_command';

export interface SpillOptions {
  /** Store it under this name, however short it is. */
  name?: string;
  limit?: number;
  preview?: number;
  /** Where the output came from, for the list of entries. */
  origin?: string;
  autoName?: string;
  /** The host session that it is stored for, which the commands of the preview must name. */
  session?: string;
  /** The tool that reads it, if it is not the command. */
  readTool?: string;
}

export interface Spilled {
  /** What to show: the text itself, or its preview. */
  text: string;
  /** Where the whole output is stored; `null` if it was short enough to be shown. */
  entry: KeptEntry | null;
}

/** A stored entry; `characters` is `null` for an output that was too long to count while it was written. */
export type KeptEntry = Omit<EntryInfo, 'characters'> & { characters: number | null };

/** Keeps a text that a space has no room for. @returns the name of the entry: `notes_1`, `notes_2`, … */
export async function keepWhole(entries: FileEntries, space: string, text: string): Promise<string> {
  const { entry } = await spillText(entries, text, {
    limit: 0,
    autoName: space,
    origin: `the whole ${space}`,
  });
  return entry?.name ?? '';
}

/**
 * Stores an output that is too long to show, and returns what to show instead. For outputs that are in memory
 * already, as in hooks; `runCommand` does the same for a command.
 */
export async function spillText(
  entries: FileEntries,
  text: string,
  options: SpillOptions = {},
): Promise<Spilled> {
  const { name, limit = SPILL_LIMIT, preview = PREVIEW, origin = 'output', autoName } = options;
  const { session, readTool } = options;
  const characters = countCharacters(text);
  if (characters <= limit && name === undefined) return { text, entry: null };
  const draft = entries.files.draft();
  try {
    draft.write(Buffer.from(text));
  } catch (error) {
    draft.discard();
    throw error;
  }
  const kept = await entries.files.commit(name ?? automaticName(autoName), draft, {
    origin,
    owner: session,
  });
  const entry = kept ? publicInfo(kept) : null;
  if (characters <= limit || !entry) return { text, entry };
  const half = Math.ceil(preview / 2);
  // A character has at most two code units, so these contain everything that is shown.
  const head = wholeLinesOfHead([...text.slice(0, half * 2)].slice(0, half).join(''));
  const shown = countCharacters(head);
  const most = Math.min(half, characters - shown);
  const tail = most === 0 ? '' : wholeLinesOfTail([...text.slice(-half * 2)].slice(-most).join(''));
  const left = characters - shown - countCharacters(tail);
  const middle = text.slice(head.length, text.length - tail.length);
  const errors = left === 0 ? undefined : errorLines(middle, head.split('\n').length);
  const path = join(entries.files.dir, kept.file);
  const end = previewEnd({
    entry,
    path,
    shown,
    endsLine: head.endsWith('\n'),
    tail,
    leftOut: left === 0 ? null : charactersOf(left),
    ...(errors === undefined ? {} : { errors }),
    ...(session === undefined ? {} : { session }),
    ...(readTool === undefined ? {} : { readTool }),
  });
  return { text: head + end, entry };
}

/** The next free name with this prefix; numbers are never reused in a session. */
export function automaticName(prefix = AUTO_NAME): (index: EntryIndex) => string {
  return ({ counters, entries }) => {
    const taken = new Set(entries.map(({ name }) => name));
    let number = (Object.hasOwn(counters, prefix) ? (counters[prefix] ?? 0) : 0) + 1;
    while (taken.has(`${prefix}_${number}`)) number += 1;
    counters[prefix] = number;
    return `${prefix}_${number}`;
  };
}

/** The part of a preview after its head. */
export interface PreviewEnd extends Pick<SpillOptions, 'session' | 'readTool'> {
  /** `null` if the whole output could not be stored. */
  entry: KeptEntry | null;
  /** The file with the whole output, for a host's own tools. */
  path?: string;
  /** Characters of the head. */
  shown: number;
  /** Whether the head is empty or ends with a newline. */
  endsLine: boolean;
  /** How much is left out between head and tail; `null` for nothing. */
  leftOut: string | null;
  /** The lines in what is left out that report an error. */
  errors?: string;
  tail: string;
}

/** Everything in a preview after its head: what was left out, the tail, and how to read the rest. */
export function previewEnd(end: PreviewEnd): string {
  const { entry, path, endsLine, leftOut, errors, tail } = end;
  const among = errors === undefined ? '' : `, among them ${errors}`;
  const parts =
    leftOut === null ? [tail] : [endsLine ? '' : '\n', `[… ${leftOut} left out${among} …]\n`, tail];
  const complete = tail === '' ? endsLine || leftOut !== null : tail.endsWith('\n');
  if (!complete) parts.push('\n');
  if (entry === null) return [...parts, '[the output could not be stored]\n'].join('');
  const { name, characters, bytes } = entry;
  const size = spellBytes(bytes);
  return [
    ...parts,
    `[${characters === null ? size : `${charactersOf(characters)} (${size})`} kept as ${name}${path === undefined ? '' : `, whole in ${path}`}]\n`,
    `[${waysToRead(name, end)}]\n`,
  ].join('');
}

function waysToRead(name: string, { session, readTool, shown }: PreviewEnd): string {
  if (readTool !== undefined) {
    const call = (more: object): string => `${readTool} ${JSON.stringify({ name, session, ...more })}`;
    return `read on: ${call({ offset: shown })} · search: ${call({ regex: 'PATTERN' })}`;
  }
  const of = session === undefined ? '' : ` --session ${session}`;
  return `read on: ${readCommand(name, `--offset ${shown}${of}`)} · search: ${readCommand(name, `--regex PATTERN${of}`)}`;
}

/** A shell command that reads an entry, whatever its name. */
function readCommand(name: string, options: string): string {
  const word = /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
  return `scratchpad entry read ${name.startsWith('-') ? `${options} -- ${word}` : `${word} ${options}`}`;
}

export const charactersOf = (count: number): string => counted(count, 'character');

/** `1234567` -> `1.2 MB` */
export function spellBytes(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte');
  const units = ['kB', 'MB', 'GB'];
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 999.95 && unit < units.length - 1; unit += 1) value /= 1000;
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** Cut at the last newline, if that keeps more than half. */
function wholeLinesOfHead(text: string): string {
  const end = text.lastIndexOf('\n') + 1;
  return end * 2 > text.length ? text.slice(0, end) : text;
}

export function wholeLinesOfTail(text: string): string {
  const start = text.indexOf('\n') + 1;
  return start > 0 && start * 2 < text.length ? text.slice(start) : text;
}
