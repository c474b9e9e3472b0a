import { join } from 'node:path';
import { list, statOf } from '../fs/index.ts';
import { trusted } from '../memory/read.ts';
import type { WindowCache } from '../transcript/window-cache.ts';
import { tellingOf, wordsOf } from './common-words.ts';
import { quotedFrom } from './quote.ts';

/** The conversation is about an entry if they share this much: three significant words. */
const ABOUT = 3;
/** Only the end of a note counts as news, because it describes the current work. */
const NEWS_CHARACTERS = 2048;
const ENTRY_CHARACTERS = 140;
/** Beyond this number the folder is listed each time, because reading the cache would take as long. */
const MOST_KEPT = 1000;
const NOT_NEWS = /^\s*(?:#|---|<!--|```|[-*+]\s+\[[ xX]\])/;

export interface DailyNote {
  /** Relative to the workspace. */
  path: string;
  /** `2026-02-06`, from the file's name. */
  date: string;
}

export interface NoteEntry {
  path: string;
  date: string;
  /** From 1. */
  line: number;
  text: string;
  /** The text, safe to show. */
  quote: string;
  /** Whether it was chosen because the conversation is about it, not as the last one. */
  about: boolean;
}

/** The notes `memory/YYYY-MM-DD.md` up to and including a date, newest first. */
export function dailyNotes(workspace: string, until: string, kept?: WindowCache): DailyNote[] {
  let dates: readonly string[];
  try {
    dates = datesIn(join(workspace, 'memory'), kept);
  } catch {
    return [];
  }
  return dates.filter((date) => date <= until).map((date) => ({ path: `memory/${date}.md`, date }));
}

/** Listing a folder of a thousand files takes half a millisecond, so the list is cached until the folder changes. */
function datesIn(folder: string, kept: WindowCache | undefined): readonly string[] {
  const { ino, mtimeMs } = statOf(folder) ?? { ino: 0, mtimeMs: 0 };
  const part = kept?.part('daily notes', '1', (value) => (areDates(value) ? value : undefined));
  const state = `${ino} ${mtimeMs}`;
  const known = part?.get(state);
  if (known !== undefined) return known;
  const dates = list(folder)
    // Most files of a large memory are not daily notes.
    .filter((name) => name.length === 'YYYY-MM-DD.md'.length && name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .filter(isDate)
    .sort()
    .reverse();
  if (trusted(mtimeMs, Date.now()) === mtimeMs && dates.length <= MOST_KEPT) part?.set(state, dates);
  return dates;
}

function isDate(text: unknown): text is string {
  return typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text);
}

function areDates(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isDate);
}

/**
 * The entry that the conversation is about, among those in the last 2 KB of a note, else the last entry. Tasks
 * belong to the alerts.
 *
 * @param spoken words of the conversation, see `wordsOf`
 */
export function newsOf(
  note: DailyNote,
  lines: readonly string[],
  spoken: ReadonlySet<string>,
): NoteEntry | undefined {
  let best: { index: number; text: string; shared: number } | undefined;
  let seen = 0;
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index] ?? '';
    seen += line.length + 1;
    if (seen > NEWS_CHARACTERS && best) break;
    if (line.trim() === '' || NOT_NEWS.test(line)) continue;
    const text = line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '').trim();
    const shared = sharedWith(text, spoken);
    if (!best || (shared > best.shared && shared >= ABOUT)) best = { index, text, shared };
    if (seen > NEWS_CHARACTERS) break;
  }
  if (!best) return undefined;
  const { index, text, shared } = best;
  const quote = quotedFrom(lines, index + 1, index + 1, text, ENTRY_CHARACTERS);
  return { path: note.path, date: note.date, line: index + 1, text, quote, about: shared >= ABOUT };
}

function sharedWith(text: string, spoken: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of new Set(wordsOf(text))) if (spoken.has(word)) shared += tellingOf(word);
  return shared;
}
