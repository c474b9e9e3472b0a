import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { linesOfFile, quotedFrom } from './quote.ts';

/** Of a note only its end counts as news: what was written last is what is going on. */
const NEWS_CHARACTERS = 2048;
const ENTRY_CHARACTERS = 120;
const NOT_NEWS = /^\s*(?:#|---|<!--|```|[-*+]\s+\[[ xX]\])/;

export interface DailyNote {
  /** Relative to the workspace. */
  path: string;
  /** `2026-02-06`, from the file's name. */
  date: string;
}

export interface NoteEntry {
  path: string;
  /** From 1. */
  line: number;
  text: string;
  /** The text as it may be shown. */
  quote: string;
}

/** The notes `memory/YYYY-MM-DD.md` up to and including a date, newest first. */
export function dailyNotes(workspace: string, until: string): DailyNote[] {
  let names: string[];
  try {
    names = readdirSync(join(workspace, 'memory'));
  } catch {
    return [];
  }
  return names
    .flatMap((name) => /^(\d{4}-\d{2}-\d{2})\.md$/.exec(name)?.[1] ?? [])
    .filter((date) => date <= until)
    .sort()
    .reverse()
    .map((date) => ({ path: `memory/${date}.md`, date }));
}

/** The lines of a note; none when it cannot be read. */
export function noteLines(workspace: string, note: DailyNote): string[] {
  return linesOfFile(workspace, note.path);
}

/** The last list item or paragraph near the end of a note. Tasks have their place among the alerts. */
export function lastEntry(workspace: string, note: DailyNote): NoteEntry | undefined {
  const lines = noteLines(workspace, note);
  let seen = 0;
  for (let index = lines.length - 1; index >= 0 && seen < NEWS_CHARACTERS; index -= 1) {
    const line = lines[index] ?? '';
    seen += line.length + 1;
    if (line.trim() === '' || NOT_NEWS.test(line)) continue;
    const text = line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '').trim();
    const quote = quotedFrom(lines, index + 1, index + 1, text, ENTRY_CHARACTERS);
    return { path: note.path, line: index + 1, text, quote };
  }
  return undefined;
}
