import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../errors.ts';
import { draftFile, ioError } from '../session/files.ts';
import { processIsGone } from '../session/lock.ts';
import { removeQuietly } from './blob.ts';
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
}

/** Reads the index; one that is damaged is set aside, and what can be told from the contents takes its place. */
export function readIndex(dir: string, recovered: string): EntryIndex {
  const path = join(dir, INDEX_FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { entries: [], counters: {} };
    throw ioError(error, 'cannot read', path);
  }
  const index = parseIndex(text);
  if (index) return index;
  mkdirSync(recovered, { recursive: true, mode: 0o700 });
  renameSync(path, join(recovered, `${new Date().toISOString().replace(/:/g, '-')}-entries-${INDEX_FILE}`));
  const rebuilt = rebuild(dir);
  writeIndex(dir, rebuilt);
  return rebuilt;
}

export function writeIndex(dir: string, { entries, counters }: EntryIndex): void {
  draftFile(join(dir, INDEX_FILE), `${JSON.stringify({ version: VERSION, counters, entries })}\n`).commit();
}

/** Removes what processes that were killed left behind. Called under the lock. */
export function sweepEntries(dir: string, { entries }: EntryIndex, now: number): void {
  const named = new Set(entries.flatMap(({ file }) => [file, file + TABLE_SUFFIX]));
  for (const file of readdirSync(dir)) {
    const path = join(dir, file);
    const pid = Number(/^\.(?:draft|index\.json\.)-?(\d+)-/.exec(file)?.[1] ?? Number.NaN);
    if (Number.isInteger(pid)) {
      if (processIsGone(pid)) removeQuietly(path);
      continue;
    }
    const ours = FILE.test(file.replace(TABLE_SUFFIX, '')) && file !== 'lock' && !named.has(file);
    const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now);
    if (ours && age > ORPHAN_AGE_MS) removeQuietly(path);
  }
}

function parseIndex(text: string): EntryIndex | undefined {
  try {
    const { version, entries, counters } = JSON.parse(text) as Partial<EntryIndex & { version: number }>;
    if (version !== VERSION || !Array.isArray(entries)) return undefined;
    return {
      entries: entries.filter(isEntry),
      counters: typeof counters === 'object' ? { ...counters } : {},
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

/** Entries from the contents alone: their names are lost, their words are not. */
function rebuild(dir: string): EntryIndex {
  const files = existsSync(dir) ? readdirSync(dir).filter((file) => FILE.test(file) && file !== 'lock') : [];
  const entries = files.map((file): IndexedEntry => {
    const { mtime, size: bytes } = statSync(join(dir, file));
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
  return { entries, counters: {} };
}
