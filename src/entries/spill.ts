import { join } from 'node:path';
import { readBytes } from '../base/fs/index.ts';
import { countCharacters, formatCount, sliceCharacters } from '../base/text/strings.ts';
import { type FileEntries, READ_LIMIT } from './file-entries.ts';
import { toPublicInfo } from './index-file.ts';
import { formatEntryCall } from './refusals.ts';
import type { EntryIndex, EntryInfo } from './types.ts';

/** A longer output of `run`, the library or a tool is stored and shown as a preview; hooks have a lower limit. */
export const SPILL_LIMIT = READ_LIMIT;
export const PREVIEW = 2000;
/** Prefix of automatic names: `execute_command_1`, `execute_command_2`, … */
const AUTO_NAME = 'execute_command';

export interface SpillOptions {
  /** Name of the entry; every output is stored if it is given. */
  name?: string | undefined;
  /** Most characters to show in full; default 30,000. */
  limit?: number | undefined;
  /** Characters of the preview; default 2,000. */
  preview?: number;
  origin?: string | undefined;
  /** Prefix of an automatic name. */
  autoName?: string;
  /** The host session that it is stored for, which the commands in the preview must name. */
  session?: string;
  /** The tool that the preview names for reading, instead of a command. */
  readTool?: string;
  /** A line that says why the text is not the whole output. */
  loss?: string | undefined;
  /** Entries that are looked up by the same names. */
  beside?: FileEntries | undefined;
}

export interface SpillResult {
  text: string;
  /** The entry with the whole output; `null` if it was short enough to be shown. */
  entry: EntryInfo | null;
}

/** Keeps a text that a space has no room for. @returns the name of the entry: `notes_1`, `notes_2`, … */
export async function keepWhole(
  entries: FileEntries,
  space: string,
  text: string,
  beside?: FileEntries,
): Promise<string> {
  const { entry } = await spillText(entries, text, {
    beside,
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
): Promise<SpillResult> {
  const { name, limit = SPILL_LIMIT, origin = 'output', session } = options;
  const characters = countCharacters(text);
  if (characters <= limit && name === undefined) return { text, entry: null };

  const { autoName, beside, preview = limit > 0 ? Math.min(PREVIEW, limit) : PREVIEW } = options;
  const content = Buffer.from(text);
  const makeName = (index: EntryIndex): string =>
    findStored(entries, index, content, origin) ?? makeAutomaticName(autoName, beside)(index);
  const storedEntry = await entries.store(name ?? makeName, content, { origin, owner: session });
  const entry = toPublicInfo(storedEntry);

  if (characters <= limit) return { text, entry };

  const path = join(entries.dir, storedEntry.file);
  return { text: renderPreview(text, preview, { ...options, characters, entry, path }), entry };
}

/** Commands that answer the same event begin within this time. */
const REPEATED_MS = 5000;

/** The name under which another command stored the output of the same event. */
function findStored(
  entries: FileEntries,
  index: EntryIndex,
  content: Buffer,
  origin: string,
): string | undefined {
  const newest = index.entries.at(-1);
  const isSame = newest?.bytes === content.length && newest.origin === origin && newest.kept !== true;
  if (!isSame || Math.abs(entries.getTime() - Date.parse(newest.updated)) > REPEATED_MS) return undefined;
  return readBytes(join(entries.dir, newest.file), 'entry')?.equals(content) ? newest.name : undefined;
}

/**
 * The next free name with this prefix; numbers are never reused in a session.
 * @param beside entries that are looked up by the same names
 */
export function makeAutomaticName(prefix = AUTO_NAME, beside?: FileEntries): (index: EntryIndex) => string {
  return ({ counters, entries }) => {
    const others = beside?.index().entries ?? [];
    const taken = new Set([...entries, ...others].map(({ name }) => name));
    let number = (Object.hasOwn(counters, prefix) ? (counters[prefix] ?? 0) : 0) + 1;

    while (taken.has(`${prefix}_${number}`)) number += 1;
    counters[prefix] = number;

    return `${prefix}_${number}`;
  };
}

interface SpilledOutput extends Pick<SpillOptions, 'session' | 'readTool' | 'loss'> {
  /** Length of the whole text. */
  characters: number;
  /** `null` if the whole output could not be stored. */
  entry: EntryInfo | null;
  /** The file with the whole output, for a host's own tools. */
  path?: string;
  /** The beginning that has been shown already, in place of that of the preview. */
  shownHead?: string;
}

/**
 * Renders the beginning and the end of an output, the length of what is left out, and how to read it.
 * @param length characters of the preview, half of them from the start and half from the end
 */
export function renderPreview(text: string, length: number, output: SpilledOutput): string {
  const { entry, path, characters, loss, shownHead } = output;
  const half = Math.ceil(length / 2);
  const head = shownHead || trimHead(sliceCharacters(text, 0, half));
  const headLength = countCharacters(head);
  const rest = text.slice(head.length);
  const tail = trimTail(sliceCharacters(rest, Math.max(0, characters - headLength - half)));
  const middle = rest.slice(0, rest.length - tail.length);
  const endsLine = head === '' || head.endsWith('\n');
  const parts = [shownHead ? '' : head];

  if (middle !== '') {
    const leftOut = formatCharacters(characters - headLength - countCharacters(tail));
    parts.push(`${endsLine ? '' : '\n'}[… ${leftOut} left out …]\n`);
  }

  parts.push(tail);
  const isComplete = tail === '' ? endsLine || middle !== '' : tail.endsWith('\n');
  if (!isComplete) parts.push('\n');
  if (entry === null) return [...parts, '[the output could not be stored]\n'].join('');

  const { name, bytes } = entry;
  const place = loss === undefined ? 'whole in' : 'in';
  const where = path === undefined ? '' : `, ${place} ${path}`;

  return [
    ...parts,
    `[${formatCharacters(characters)} (${formatBytes(bytes)}) kept as ${name}${where}${describeFormer(entry)}]\n`,
    `[${describeReading(name, headLength, output)}]\n`,
    loss === undefined ? '' : `${loss}\n`,
  ].join('');
}

function describeReading(name: string, offset: number, { session, readTool }: SpilledOutput): string {
  if (readTool !== undefined) {
    const call = (more: object): string => `${readTool} ${JSON.stringify({ name, session, ...more })}`;
    return `read on: ${call({ offset })} · search: ${call({ regex: 'PATTERN' })}`;
  }

  const next = formatEntryCall('read', name, ['--offset', String(offset)], session);
  return `read on: ${next} · search: ${formatEntryCall('read', name, ['--regex', 'PATTERN'], session)}`;
}

const formatCharacters = (count: number): string => formatCount(count, 'character');

/** The content that a write has replaced, and how to restore it; empty if there was none. */
export function describeFormer({ name, former }: EntryInfo, session?: string): string {
  if (former === undefined) return '';
  const restore = formatEntryCall('undelete', name, [], session);
  return `, in place of ${formatCharacters(former.characters)}; restore with: ${restore}`;
}

/** `1234567` -> `1.2 MB` */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return formatCount(bytes, 'byte');

  const units = ['kB', 'MB', 'GB'];
  let value = bytes / 1000;
  let unit = 0;

  for (; value >= 999.95 && unit < units.length - 1; unit += 1) value /= 1000;

  return `${value.toFixed(1)} ${units[unit]}`;
}

/** Cuts a text after its last newline, if that keeps more than half of it. */
function trimHead(text: string): string {
  const end = text.lastIndexOf('\n') + 1;
  return end * 2 > text.length ? text.slice(0, end) : text;
}

function trimTail(text: string): string {
  const start = text.indexOf('\n') + 1;
  return start > 0 && start * 2 < text.length ? text.slice(start) : text;
}
