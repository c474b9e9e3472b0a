import { thousands } from '../pad/text.ts';
import type { FileEntries } from './file-entries.ts';
import type { EntryIndex } from './index-file.ts';
import { READ_LIMIT } from './slice.ts';
import type { EntryInfo } from './types.ts';

/** An output over this many characters is kept as an entry and shown as a preview. */
export const SPILL_LIMIT = READ_LIMIT;
/** Characters of a preview, half of them from the start and half from the end. */
export const PREVIEW = 2000;
/** What automatic names begin with: `execute_command_1`, `execute_command_2`, … */
export const AUTO_NAME = 'execute_command';

export interface SpillOptions {
  /** Keep it under this name, however short it is. */
  name?: string;
  limit?: number;
  preview?: number;
  /** How the output came about, for the list of entries. */
  origin?: string;
  autoName?: string;
}

export interface Spilled {
  /** What to show: the text itself, or its preview. */
  text: string;
  /** Where the whole is kept; `null` when it was short enough to be shown. */
  entry: EntryInfo | null;
}

/**
 * Keeps an output that is too long to be shown, and gives what to show instead. For outputs
 * that are at hand already, as hooks have them; `runCommand` does the same for a command.
 */
export async function spillText(
  entries: FileEntries,
  text: string,
  options: SpillOptions = {},
): Promise<Spilled> {
  const { name, limit = SPILL_LIMIT, preview = PREVIEW, origin = 'output', autoName } = options;
  const points = [...text];
  if (points.length <= limit && name === undefined) return { text, entry: null };
  const draft = entries.files.draft();
  try {
    draft.write(Buffer.from(text));
  } catch (error) {
    draft.discard();
    throw error;
  }
  const entry = (await entries.files.commit(name ?? automaticName(autoName), draft, { origin })) ?? null;
  if (points.length <= limit || !entry) return { text, entry };
  const half = Math.ceil(preview / 2);
  const head = wholeLinesOfHead(points.slice(0, half).join(''));
  const tail = wholeLinesOfTail(points.slice(-half).join(''));
  const headEnd = [...head].length;
  const lead = head === '' || head.endsWith('\n') ? '' : '\n';
  return { text: head + lead + previewEnd(entry, headEnd, points.length - [...tail].length, tail), entry };
}

/** The next free name of its kind; numbers are never given twice in a session. */
export function automaticName(prefix = AUTO_NAME): (index: EntryIndex) => string {
  return ({ counters, entries }) => {
    const taken = new Set(entries.map(({ name }) => name));
    let number = (Object.hasOwn(counters, prefix) ? (counters[prefix] ?? 0) : 0) + 1;
    while (taken.has(`${prefix}_${number}`)) number += 1;
    counters[prefix] = number;
    return `${prefix}_${number}`;
  };
}

/** All of a preview after its head, which ends a line: what was left out, the tail, and how to read the rest. */
export function previewEnd(entry: EntryInfo, headEnd: number, tailStart: number, tail: string): string {
  const { name, characters, bytes } = entry;
  const shown = /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
  return [
    `[… ${thousands(Math.max(0, tailStart - headEnd))} characters left out …]\n`,
    tail,
    tail === '' || tail.endsWith('\n') ? '' : '\n',
    `[${thousands(characters)} characters (${sizeOf(bytes)}) kept as ${name}]\n`,
    `[read on: scratchpad entry read ${shown} --offset ${headEnd} · search: scratchpad entry read ${shown} --regex PATTERN]\n`,
  ].join('');
}

/** `1234567` -> `1.2 MB` */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB'];
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 999.95 && unit < units.length - 1; unit += 1) value /= 1000;
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** Up to the last line end, if that costs less than half. */
export function wholeLinesOfHead(text: string): string {
  const end = text.lastIndexOf('\n') + 1;
  return end * 2 > text.length ? text.slice(0, end) : text;
}

export function wholeLinesOfTail(text: string): string {
  const start = text.indexOf('\n') + 1;
  return start > 0 && start * 2 < text.length ? text.slice(start) : text;
}
