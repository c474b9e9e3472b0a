import { join } from 'node:path';
import { tryStat } from '../base/fs/index.ts';
import { DAY } from '../memory/dates.ts';
import { termsOf, worthOf } from '../memory/terms.ts';
import { quotedFrom } from './quote.ts';

/** The conversation is about an entry if they share this much: about four words that are not common in talk. */
const ABOUT = 2;
/** Only the end of a note counts as news, because it describes the current work. */
const NEWS_CHARACTERS = 2048;
const ENTRY_CHARACTERS = 140;
const NOT_NEWS = /^\s*(?:#|---|<!--|```|[-*+]\s+\[[ xX]\])/;

/** Days in which a note counts as one of the daily notes. */
const DAYS = 100;

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

/** The notes `memory/YYYY-MM-DD.md` of the days up to and including a date, newest first. */
export function dailyNotes(workspace: string, until: string): DailyNote[] {
  const folder = join(workspace, 'memory');
  if (tryStat(folder) === undefined) return [];
  const last = Date.parse(until);
  // Looked up by name: a folder may hold a hundred thousand files.
  return Array.from({ length: DAYS }, (_, ago) => new Date(last - ago * DAY).toISOString().slice(0, 10))
    .filter((date) => tryStat(join(folder, `${date}.md`)) !== undefined)
    .map((date) => ({ path: `memory/${date}.md`, date }));
}

/**
 * The entry that the conversation is about, among those in the last 2 KB of a note, else the last entry. Tasks
 * belong to the alerts.
 *
 * @param spoken words of the conversation, see `termsOf`
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
  for (const term of new Set(termsOf(text))) if (spoken.has(term)) shared += worthOf(term);
  return shared;
}
