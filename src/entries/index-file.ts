import { join } from 'node:path';
import { refusal } from '../base/errors.ts';
import {
  encodeBytes,
  readBytes,
  readText,
  setAside,
  sweepTemporary,
  tryList,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../base/fs/index.ts';
import { count, list, makeMap, matchText, record, text, truth } from '../base/fs/json-shape.ts';
import { isLeftByGit } from '../base/git/index-file.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { HOUR_MS } from '../base/text/durations.ts';
import { getString, parseJson, toMembers } from '../base/text/json.ts';
import { computeSeal } from '../base/trust/index.ts';
import { countCharactersOfBytes } from './contents.ts';
import { checkEntryName, entryNotFound } from './refusals.ts';
import type { EntryIndex, IndexedEntry, PastEntry } from './types.ts';

export const INDEX_FILE = 'index.json';
const VERSION = 1;
/** We name the content files ourselves, so a foreign index cannot name anything outside. */
const FILE = /^[a-z0-9][a-z0-9-]{0,80}$/;
/** A content that no index names may belong to a write that is about to finish. */
const ORPHAN_AGE_MS = HOUR_MS;

export function findEntry(index: EntryIndex, name: string): IndexedEntry | undefined {
  const composed = name.normalize('NFC');
  return index.entries.find((entry) => entry.name === composed);
}

/** The past versions of a name, oldest first. */
export function listVersions(index: EntryIndex, name: string): PastEntry[] {
  const composed = name.normalize('NFC');
  return index.past.filter((past) => past.name === composed);
}

/** @throws ScratchpadError `refused` if there is none, `usage` for an invalid name */
export function requireEntry(index: EntryIndex, name: string): IndexedEntry {
  const entry = findEntry(index, checkEntryName(name));
  if (entry) return entry;
  throw entryNotFound(name, index.entries);
}

/** The public facts of an entry. Its origin is redacted again, because an earlier version may have stored it. */
export function toPublicInfo<T extends IndexedEntry>({
  file: _,
  kept: __,
  ...info
}: T): Omit<T, 'file' | 'kept'> {
  return { ...info, origin: redactSecrets(info.origin) };
}

/** Reads the index. A damaged one is set aside and rebuilt from the content files as far as possible. */
export function readIndex(dir: string, recovered: string): EntryIndex {
  const path = join(dir, INDEX_FILE);
  const content = readText(path, 'entries');
  if (content === undefined) return { entries: [], counters: {}, past: [] };

  const index = parseIndex(content);
  const isOurs = index !== undefined && (isSealed(content) || !isLeftByGit(path, encodeBytes(content)));
  if (isOurs) return index;

  setAside(path, recovered, `entries-${INDEX_FILE}`);
  const rebuilt = { entries: rebuildEntries(dir), counters: {}, past: [] };
  writeIndex(dir, rebuilt);

  return rebuilt;
}

export function writeIndex(dir: string, { entries, counters, past }: EntryIndex): void {
  const body = JSON.stringify({ version: VERSION, counters, entries, past }).slice(0, -1);
  writeAtomically(join(dir, INDEX_FILE), `${body},"seal":"${sealIndex(body)}"}\n`);
}

const sealIndex = (body: string): string => computeSeal(INDEX_FILE, body, process.env) ?? '';

function isSealed(content: string): boolean {
  const [end, seal] = /,"seal":"([0-9a-f]{16})"\}\n$/.exec(content) ?? [];
  return end !== undefined && seal === sealIndex(content.slice(0, -end.length));
}

/** Removes what killed processes left behind. Call it under the lock. */
export function sweepEntries(dir: string, index: EntryIndex, now: number): void {
  sweepTemporary(dir);
  const named = new Set([...index.entries, ...index.past].map(({ file }) => file));
  for (const file of listContentFiles(dir)) {
    const age = now - (tryStat(join(dir, file))?.mtimeMs ?? now);
    if (!named.has(file) && age > ORPHAN_AGE_MS) tryRemove(join(dir, file));
  }
}

const listContentFiles = (dir: string): string[] =>
  tryList(dir).filter((file) => file !== 'lock' && FILE.test(file));

function parseIndex(content: string): EntryIndex | undefined {
  const { version, entries, counters, past } = toMembers(parseJson(content));
  if (version !== VERSION || !Array.isArray(entries)) return undefined;

  return {
    entries: list(parseEntry)(entries) ?? [],
    counters: makeMap(count)(counters) ?? {},
    past: list(parsePastEntry)(past) ?? [],
  };
}

const ENTRY = record(
  { name: text, file: matchText(FILE), bytes: count },
  {
    characters: count,
    created: text,
    updated: text,
    origin: text,
    readOnly: truth,
    owner: text,
    kept: truth,
  },
);

/** An entry of the index, with defaults for missing descriptions. */
function parseEntry(value: unknown): IndexedEntry | undefined {
  const entry = ENTRY(value);
  if (entry === undefined) return undefined;

  const longAgo = new Date(0).toISOString();
  const defaults = { characters: entry.bytes, created: longAgo, updated: longAgo, origin: 'unknown' };
  // Members of a newer version stay.
  return { ...toMembers(value), ...defaults, readOnly: false, owner: undefined, kept: undefined, ...entry };
}

function parsePastEntry(value: unknown): PastEntry | undefined {
  const entry = parseEntry(value);
  const until = getString(toMembers(value), 'until');
  return entry && until ? { ...entry, until } : undefined;
}

/** Makes an entry of each content file, named after the file: the names are lost, the contents are not. */
const rebuildEntries = (dir: string): IndexedEntry[] =>
  listContentFiles(dir).flatMap((file) => {
    const content = readBytes(join(dir, file), 'entry');
    if (content === undefined || isLeftByGit(join(dir, file), content)) return [];
    const updated = tryStat(join(dir, file))?.mtime?.toISOString();
    const size = { bytes: content.length, characters: countCharactersOfBytes(content) };
    return parseEntry({ name: file, file, ...size, created: updated, updated, origin: 'recovered' }) ?? [];
  });

const MOST_VERSIONS = 5;
/** Most bytes of all past versions of a session: the oldest are removed first, the newest is always kept. */
const MOST_PAST_BYTES = 64 * 1024 * 1024;

/** The past versions after a change of the index: those from before, and what the change overwrote or deleted. */
export function collectPast(index: EntryIndex, before: readonly IndexedEntry[], now: string): PastEntry[] {
  const currentFiles = new Set(index.entries.map(({ file }) => file));
  const gone = before
    .filter(({ file, readOnly }) => !currentFiles.has(file) && !readOnly)
    .map((entry): PastEntry => ({ ...entry, until: now }));
  const versions = new Map<string, number>();
  let bytes = 0;
  const newestFirst = [...index.past, ...gone].reverse().filter((past) => {
    if (currentFiles.has(past.file)) return false;

    const count = (versions.get(past.name) ?? 0) + 1;
    if (count > MOST_VERSIONS || (bytes > 0 && bytes + past.bytes > MOST_PAST_BYTES)) return false;

    versions.set(past.name, count);
    bytes += past.bytes;

    return true;
  });

  return newestFirst.reverse();
}

/**
 * Restores a past version of a name; the current content becomes the newest past version.
 * @param back how many versions back
 * @throws ScratchpadError `refused` if there is no such version
 */
export function restoreVersion(index: EntryIndex, name: string, back: number): IndexedEntry {
  const versions = listVersions(index, name);
  const found = Number.isInteger(back) && back >= 1 ? versions.at(-back) : undefined;

  if (!found) {
    const names = [...new Set(index.past.map((past) => past.name))].join(', ');
    const anyName = names === '' ? 'an entry that was overwritten or deleted' : `one of ${names}`;
    throw refusal('no such version of the entry is kept: nothing was changed', {
      expected: versions.length > 0 ? `a number from 1 to ${versions.length}` : anyName,
      found: versions.length > 0 ? String(back) : name,
    });
  }

  const { until: _, ...entry } = found;
  index.past = index.past.filter((past) => past !== found);
  index.entries = [...index.entries.filter((other) => other.name !== entry.name), entry];

  return entry;
}
