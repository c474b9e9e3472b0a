import { join } from 'node:path';
import { refused } from '../base/errors.ts';
import {
  ensureFolder,
  exists,
  linkOrCopy,
  move,
  readText,
  sweepTemporary,
  tryList,
  tryReadJson,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../base/fs/index.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { membersOf, parsed } from '../base/text/json.ts';
import { checkEntryName, noEntry } from './refusals.ts';
import type { EntryInfo } from './types.ts';

export const INDEX_FILE = 'index.json';
/** The folder of past versions. */
const PAST = 'past';
const TABLE = '.offsets';
const VERSION = 1;
/** We name the content files ourselves, so a foreign index cannot name anything outside. */
const FILE = /^[a-z0-9][a-z0-9-]{0,80}$/;
/** A content that no index names may belong to a write that is about to finish. */
const ORPHAN_AGE_MS = 3_600_000;

export interface IndexedEntry extends Omit<EntryInfo, 'characters'> {
  /** Name of the content's file. */
  file: string;
  /** `null` in the index of an earlier version. */
  characters: number | null;
}

/** How a content enters the index. */
export interface EntryCommit {
  /** The origin for the list of entries; `undefined` keeps the origin of the replaced entry. */
  origin: string | undefined;
  /** Called under the lock; throws to refuse the change. */
  check?: (index: EntryIndex) => void;
  /** The host session that it is stored for. */
  owner?: string;
  /** Whether it holds all of what it replaces, which is then no past version. */
  contained?: boolean;
}

/** The index of a session's entries: the only file that says which entries exist. */
export interface EntryIndex {
  entries: IndexedEntry[];
  /** The last number used for each automatic name. */
  counters: Record<string, number>;
  /** Overwritten or deleted contents that are still kept, oldest first. */
  past: PastEntry[];
}

export interface PastEntry extends IndexedEntry {
  /** When it was overwritten or deleted: ISO 8601, UTC. */
  until: string;
}

export function find(index: EntryIndex, name: string): IndexedEntry | undefined {
  return index.entries.find((entry) => entry.name === name);
}

/** @throws ScratchpadError `refused` if there is none, `usage` for what is no name */
export function found(index: EntryIndex, name: string): IndexedEntry {
  const entry = find(index, checkEntryName(name));
  if (entry) return entry;
  throw noEntry(name, index.entries);
}

/** What is told of an entry; its origin may come from a version that did not redact it. */
export function publicInfo<T extends IndexedEntry>({ file: _, ...info }: T): Omit<T, 'file'> {
  return { ...info, origin: redactSecrets(info.origin) };
}

/** Reads the index. A damaged one is set aside and rebuilt from the content files as far as possible. */
export function readIndex(dir: string, recovered: string): EntryIndex {
  const path = join(dir, INDEX_FILE);
  const text = readText(path, 'entries');
  const past = readPast(dir) ?? [];
  if (text === undefined) return { entries: [], counters: {}, past };
  const index = parseIndex(text);
  if (index) return { ...index, past: [...index.past, ...past] };
  ensureFolder(recovered);
  move(path, join(recovered, `${new Date().toISOString().replace(/:/g, '-')}-entries-${INDEX_FILE}`));
  const rebuilt = { ...rebuild(dir), past };
  writeIndex(dir, rebuilt);
  return rebuilt;
}

/**
 * Writes the index. Past versions are in a folder of their own, which versions of this program that know nothing of
 * them leave alone: a content is there before the index that no longer names it, and back before one that does.
 */
export function writeIndex(dir: string, { entries, counters, past }: EntryIndex): void {
  const away = join(dir, PAST);
  const before = readPast(dir);
  const wasPast = new Set(before?.map(({ file }) => file));
  for (const { file } of entries) if (wasPast.has(file)) give(join(away, file), join(dir, file));
  if (past.length > 0 || before !== undefined) {
    ensureFolder(away);
    for (const { file } of past) give(join(dir, file), join(away, file));
    writeAtomically(join(away, INDEX_FILE), `${JSON.stringify({ version: VERSION, past })}\n`);
  }
  writeAtomically(join(dir, INDEX_FILE), `${JSON.stringify({ version: VERSION, counters, entries })}\n`);
  if (before === undefined && past.length === 0) return;
  const kept = new Set(past.map(({ file }) => file));
  for (const file of contentsIn(away)) if (!kept.has(file)) tryRemove(join(away, file));
}

/** A content never changes, so that it may have a second name. */
function give(from: string, to: string): void {
  if (!exists(to) && exists(from)) linkOrCopy(from, to);
}

/** The past versions on record; `undefined` if there never were any, or the record is damaged. */
function readPast(dir: string): PastEntry[] | undefined {
  const { version, past } = membersOf(tryReadJson(join(dir, PAST, INDEX_FILE), 'entries'));
  return version === VERSION && Array.isArray(past)
    ? past.flatMap((entry) => pastFrom(entry) ?? [])
    : undefined;
}

/** Removes what killed processes left behind. Call it under the lock. */
export function sweepEntries(dir: string, { entries, past }: EntryIndex, now: number): void {
  sweepTemporary(dir);
  // An earlier version of this program left past versions here.
  const left = past.filter(({ file }) => !exists(join(dir, PAST, file)));
  const named = new Set([...entries, ...left].map(({ file }) => file));
  for (const file of contentsIn(dir)) {
    if (named.has(file)) continue;
    const age = now - (tryStat(join(dir, file))?.mtimeMs ?? now);
    if (age > ORPHAN_AGE_MS) tryRemove(join(dir, file));
  }
}

/** The content files, and the tables of offsets that earlier versions wrote beside them. */
function contentsIn(dir: string): string[] {
  return tryList(dir).filter((file) => ![PAST, 'lock'].includes(file) && FILE.test(file.replace(TABLE, '')));
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
  const contents = contentsIn(dir).filter((file) => !file.endsWith(TABLE));
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

const MOST_VERSIONS = 5;
/** Bytes that all past versions of a session may take together; the oldest are removed first, but for the newest. */
const MOST_PAST_BYTES = 64 * 1024 * 1024;

/**
 * The past versions after a change of the index: those from before, and what the change overwrote or deleted.
 */
export function pastOf(index: EntryIndex, before: readonly IndexedEntry[], now: string): PastEntry[] {
  const named = new Set(index.entries.map(({ file }) => file));
  const gone = before
    .filter(({ file, readOnly }) => !named.has(file) && !readOnly)
    .map((entry): PastEntry => ({ ...entry, until: now }));
  const versions = new Map<string, number>();
  let bytes = 0;
  const kept = [...index.past, ...gone].reverse().filter((past) => {
    if (named.has(past.file)) return false;
    const count = (versions.get(past.name) ?? 0) + 1;
    if (count > MOST_VERSIONS || (bytes > 0 && bytes + past.bytes > MOST_PAST_BYTES)) return false;
    versions.set(past.name, count);
    bytes += past.bytes;
    return true;
  });
  return kept.reverse();
}

/**
 * Restores a past version of a name; the current content becomes the newest past version.
 * @param back how many versions back
 * @throws ScratchpadError `refused` if there is no such version
 */
export function bringBack(index: EntryIndex, name: string, back = 1): IndexedEntry {
  const versions = index.past.filter((past) => past.name === name);
  const found = versions.at(-back);
  if (!found && versions.length > 0) {
    throw refused('so many versions are not kept: nothing was changed', {
      expected: `a number from 1 to ${versions.length}`,
      found: String(back),
    });
  }
  if (!found) {
    const names = [...new Set(index.past.map((past) => past.name))];
    throw refused('no earlier version of that entry is kept: nothing was changed', {
      expected:
        names.length === 0 ? 'an entry that was overwritten or deleted' : `one of ${names.join(', ')}`,
      found: name,
    });
  }
  const { until: _, ...entry } = found;
  index.past = index.past.filter((past) => past !== found);
  index.entries = [...index.entries.filter((other) => other.name !== name), entry];
  return entry;
}
