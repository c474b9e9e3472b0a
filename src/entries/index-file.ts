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
import { membersOf, parsed } from '../text/json.ts';
import { TABLE_SUFFIX } from './offsets.ts';
import type { EntryInfo } from './types.ts';

export const INDEX_FILE = 'index.json';
const VERSION = 1;
/** We name the content files ourselves, so a foreign index cannot name anything outside. */
const FILE = /^[a-z0-9][a-z0-9-]{0,80}$/;
/** A content that no index names may belong to a write that is about to finish. */
const ORPHAN_AGE_MS = 3_600_000;

export interface IndexedEntry extends Omit<EntryInfo, 'characters'> {
  /** Name of the content's file. */
  file: string;
  /** `null` until first needed (`countContent`). */
  characters: number | null;
}

/** The index of a session's entries: the only file that says which entries exist. */
export interface EntryIndex {
  entries: IndexedEntry[];
  /** The last number used for each automatic name. */
  counters: Record<string, number>;
  /** Overwritten or deleted contents that are still kept, oldest first. */
  past: PastEntry[];
}

/** A past version of an entry. */
export interface PastEntry extends IndexedEntry {
  /** When it was overwritten or deleted: ISO 8601, UTC. */
  until: string;
}

/** Reads the index. A damaged one is set aside and rebuilt from the content files as far as possible. */
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

/** Removes what killed processes left behind. Call it under the lock. */
export function sweepEntries(dir: string, { entries, past }: EntryIndex, now: number): void {
  sweepTemporary(dir);
  const named = new Set([...entries, ...past].flatMap(({ file }) => [file, file + TABLE_SUFFIX]));
  for (const file of contentsIn(dir)) {
    if (named.has(file)) continue;
    const age = now - (tryStat(join(dir, file))?.mtimeMs ?? now);
    if (age > ORPHAN_AGE_MS) tryRemove(join(dir, file));
  }
}

/** The content files and their offset tables. */
function contentsIn(dir: string): string[] {
  return tryList(dir).filter((file) => file !== 'lock' && FILE.test(file.replace(TABLE_SUFFIX, '')));
}

function parseIndex(text: string): EntryIndex | undefined {
  const { version, entries, counters, past } = membersOf(parsed(text));
  if (version !== VERSION || !Array.isArray(entries)) return undefined;
  return {
    entries: entries.flatMap((entry) => entryFrom(entry) ?? []),
    counters: Object.fromEntries(
      Object.entries(membersOf(counters)).filter((pair): pair is [string, number] => isCount(pair[1])),
    ),
    past: Array.isArray(past) ? past.flatMap((entry) => pastFrom(entry) ?? []) : [],
  };
}

/** What an entry of the index holds; what only describes it may be missing. */
function entryFrom(value: unknown): IndexedEntry | undefined {
  const { name, file, bytes, characters, created, updated, origin, readOnly, owner } = membersOf(value);
  if (typeof name !== 'string' || typeof file !== 'string' || !FILE.test(file) || !isCount(bytes))
    return undefined;
  const text = (member: unknown, other: string): string => (typeof member === 'string' ? member : other);
  const longAgo = new Date(0).toISOString();
  return {
    // What a newer version added stays.
    ...membersOf(value),
    ...{ name, file, bytes, characters: isCount(characters) ? characters : null },
    created: text(created, longAgo),
    updated: text(updated, longAgo),
    origin: text(origin, 'unknown'),
    readOnly: readOnly === true,
    owner: typeof owner === 'string' ? owner : undefined,
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function pastFrom(value: unknown): PastEntry | undefined {
  const entry = entryFrom(value);
  const { until } = membersOf(value);
  return entry && typeof until === 'string' ? { ...entry, until } : undefined;
}

/** Rebuilds entries from their contents: the names are lost, the contents are not. */
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
