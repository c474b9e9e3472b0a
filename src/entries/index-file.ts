import { join } from 'node:path';
import {
  ensureFolder,
  move,
  readText,
  sweepTemporary,
  tryList,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../fs/index.ts';
import { TABLE_SUFFIX } from './offsets.ts';
import type { EntryInfo } from './types.ts';

export const INDEX_FILE = 'index.json';
const VERSION = 1;
/** Contents are named by us; whatever an index from elsewhere says, it cannot name anything outside. */
const FILE = /^[a-z0-9][a-z0-9-]{0,80}$/;
/** A content that no index names may belong to a write that is just being finished. */
const ORPHAN_AGE_MS = 3_600_000;

export interface IndexedEntry extends Omit<EntryInfo, 'characters'> {
  /** Name of the content's file. */
  file: string;
  /** `null` until somebody wants to know (`count.ts`). */
  characters: number | null;
}

/** The names of a session's entries: the one file that says what there is. */
export interface EntryIndex {
  entries: IndexedEntry[];
  /** The last number given to each kind of automatic name. */
  counters: Record<string, number>;
  /** What was overwritten or deleted and is still kept, oldest first. */
  past: PastEntry[];
}

/** A content that had a name before. */
export interface PastEntry extends IndexedEntry {
  /** When it was overwritten or deleted: ISO 8601, UTC. */
  until: string;
}

/** Reads the index; one that is damaged is set aside, and what can be told from the contents takes its place. */
export function readIndex(dir: string, recovered: string): EntryIndex {
  const path = join(dir, INDEX_FILE);
  const text = readText(path, 'entries');
  if (text === undefined) return { entries: [], counters: {}, past: [] };
  const index = parseIndex(text);
  if (index) return index;
  ensureFolder(recovered);
  move(path, join(recovered, `${new Date().toISOString().replace(/:/g, '-')}-entries-${INDEX_FILE}`));
  const rebuilt = rebuild(dir);
  writeIndex(dir, rebuilt);
  return rebuilt;
}

export function writeIndex(dir: string, { entries, counters, past }: EntryIndex): void {
  const kept = past.length === 0 ? {} : { past };
  writeAtomically(
    join(dir, INDEX_FILE),
    `${JSON.stringify({ version: VERSION, counters, entries, ...kept })}\n`,
  );
}

/** Removes what processes that were killed left behind. Called under the lock. */
export function sweepEntries(dir: string, { entries, past }: EntryIndex, now: number): void {
  sweepTemporary(dir);
  const named = new Set([...entries, ...past].flatMap(({ file }) => [file, file + TABLE_SUFFIX]));
  for (const file of contentsIn(dir)) {
    if (named.has(file)) continue;
    const age = now - (tryStat(join(dir, file))?.mtimeMs ?? now);
    if (age > ORPHAN_AGE_MS) tryRemove(join(dir, file));
  }
}

/** The files of contents and of their tables. */
function contentsIn(dir: string): string[] {
  return tryList(dir).filter((file) => file !== 'lock' && FILE.test(file.replace(TABLE_SUFFIX, '')));
}

function parseIndex(text: string): EntryIndex | undefined {
  try {
    const { version, entries, counters, past } = JSON.parse(text) as Partial<
      EntryIndex & { version: number }
    >;
    if (version !== VERSION || !Array.isArray(entries)) return undefined;
    return {
      entries: entries.filter(isEntry),
      counters: typeof counters === 'object' ? { ...counters } : {},
      past: Array.isArray(past) ? past.filter(isPast) : [],
    };
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is IndexedEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { name, file, bytes, characters } = value as Partial<IndexedEntry>;
  return (
    typeof name === 'string' &&
    typeof file === 'string' &&
    FILE.test(file) &&
    Number.isSafeInteger(bytes) &&
    (characters === null || Number.isSafeInteger(characters))
  );
}

function isPast(value: unknown): value is PastEntry {
  return isEntry(value) && typeof (value as Partial<PastEntry>).until === 'string';
}

/** Entries from the contents alone: their names are lost, their words are not. */
function rebuild(dir: string): EntryIndex {
  const contents = contentsIn(dir).filter((file) => !file.endsWith(TABLE_SUFFIX));
  const entries = contents.map((file): IndexedEntry => {
    const { mtime = new Date(0), size: bytes = 0 } = tryStat(join(dir, file)) ?? {};
    const when = mtime.toISOString();
    return {
      name: file,
      file,
      bytes,
      characters: null,
      created: when,
      updated: when,
      origin: 'recovered',
      readOnly: false,
    };
  });
  return { entries, counters: {}, past: [] };
}
