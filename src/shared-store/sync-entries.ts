import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { ScratchpadError } from '../base/errors.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { shorten } from '../base/text/shorten.ts';
import { MOST_BYTES } from '../entries/contents.ts';
import type { FileEntries } from '../entries/file-entries.ts';
import type { IndexedEntry } from '../entries/index-file.ts';
import { NAME_LIMIT } from '../entries/refusals.ts';
import type { Exchanged } from './exchange.ts';
import type { LocalSession } from './local-session.ts';
import { DamagedRow, type Remote, type RemoteEntry } from './remote.ts';

/** An entry's state when this machine and the store were last in sync. */
export interface EntryState {
  version: number;
  /** The local content's file, which never changes; `null` if there was none. */
  file: string | null;
}

export interface EntrySyncOptions {
  /** Whether to redact secrets; a content that is not text, and so cannot be redacted, is not sent then. */
  redact: boolean;
  largest: number;
}

const UNKNOWN: EntryState = { version: 0, file: null };
const ROUNDS = 3;

/**
 * Synchronizes the entries of a session by name. An entry that changed on one side is copied to the other;
 * one that changed on both is kept twice, the local one under another name.
 * @param report counts what was done
 */
export async function syncEntries(
  local: LocalSession,
  remote: Remote,
  session: string,
  options: EntrySyncOptions,
  report: Exchanged,
): Promise<void> {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const there = new Map((await remote.entries(session)).map((entry) => [entry.name, entry]));
    const here = ownEntries(local.entries, options.redact);
    let again = false;
    for (const name of new Set([...there.keys(), ...here.keys()])) {
      const exchange = { local, remote, session, options, report, name, ours: here.get(name)?.name ?? name };
      again = !(await syncOne(exchange, here.get(name), there.get(name))) || again;
    }
    if (!again) return;
  }
}

/** How many entries have changes that are not in the store, or cannot be sent. */
export function unsentEntries(local: LocalSession, redact: boolean): number {
  const states = local.entryStates();
  const here = ownEntries(local.entries, redact);
  return [...new Set([...Object.keys(states), ...here.keys()])].filter(
    (name) => (here.get(name)?.file ?? null) !== (states[name] ?? UNKNOWN).file,
  ).length;
}

interface Exchange {
  local: LocalSession;
  remote: Remote;
  session: string;
  options: EntrySyncOptions;
  report: Exchanged;
  /** Its name in the store. */
  name: string;
  /** Its name here, which may hold a secret. */
  ours: string;
}

/** @returns whether both sides are the same now; false if it has to be examined again */
async function syncOne(
  exchange: Exchange,
  here: IndexedEntry | undefined,
  there: RemoteEntry | undefined,
): Promise<boolean> {
  const { local, name } = exchange;
  const base = local.entryStates()[name] ?? UNKNOWN;
  const localChanged = (here?.file ?? null) !== base.file;
  const remoteChanged = (there?.version ?? 0) !== base.version;
  if (!localChanged && !remoteChanged) return true;
  if (there === undefined || !remoteChanged) return send(exchange, here, there);
  if (!localChanged) return receive(exchange, here, there);
  if (there.hash === null)
    return here === undefined ? settled(exchange, there, null) : send(exchange, here, there);
  if (here === undefined) return receive(exchange, here, there);
  const content = await sendable(exchange, here);
  if (content?.hash === there.hash) return settled(exchange, there, here.file);
  return keepBoth(exchange, here, content?.hash ?? there.hash);
}

function settled({ local, name }: Exchange, { version }: RemoteEntry, file: string | null): boolean {
  local.keepEntry(name, { version, file });
  return true;
}

async function send(
  exchange: Exchange,
  here: IndexedEntry | undefined,
  there: RemoteEntry | undefined,
): Promise<boolean> {
  const { local, remote, session, options, report, name } = exchange;
  const expected = there?.version ?? 0;
  const content = here === undefined ? undefined : await sendable(exchange, here);
  if (content !== undefined && !(await remote.hasContent(content.hash)))
    await remote.putContent(content.hash, content.bytes);
  const done = await remote.putEntry(
    session,
    {
      name,
      hash: here === undefined ? null : (content?.hash ?? ''),
      bytes: content?.bytes.length ?? here?.bytes ?? 0,
      origin: options.redact ? redactSecrets(here?.origin ?? '') : (here?.origin ?? ''),
      updated: here?.updated ?? new Date().toISOString(),
      stored: content !== undefined,
    },
    expected,
  );
  if (!done) return false;
  local.keepEntry(name, { version: expected + 1, file: here?.file ?? null });
  report.sent += 1;
  return true;
}

async function receive(
  exchange: Exchange,
  here: IndexedEntry | undefined,
  there: RemoteEntry,
): Promise<boolean> {
  const { local, report, ours } = exchange;
  if (there.hash !== null && !there.stored) {
    report.notices.push(`the entry ${ours} is only on its original machine: too large, or not text`);
    return settled(exchange, there, here?.file ?? null);
  }
  const unchanged = ({ entries }: { entries: IndexedEntry[] }): void => {
    const now = entries.find((entry) => entry.name === ours)?.file ?? null;
    if (now !== (here?.file ?? null)) throw new ChangedMeanwhile();
  };
  const { entries } = local;
  try {
    if (there.hash === null) {
      await entries.change((index) => {
        unchanged(index);
        index.entries = index.entries.filter((entry) => entry.name !== ours);
      });
      report.received += 1;
      return settled(exchange, there, null);
    }
    const entry = await fetched(exchange, there, unchanged);
    report.received += 1;
    return settled(exchange, there, entry.file);
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return false;
    if (!(error instanceof DamagedRow)) throw error;
    report.notices.push(`the entry ${inLine(ours)} of the shared store is left out: ${error.message}`);
    return settled(exchange, there, here?.file ?? null);
  }
}

/** Stores the content of a row here. @throws DamagedRow if that cannot be */
async function fetched(
  { local, remote, ours }: Exchange,
  there: RemoteEntry,
  check: (index: { entries: IndexedEntry[] }) => void,
): Promise<IndexedEntry> {
  const { entries } = local;
  try {
    entries.mayWrite(ours);
  } catch (error) {
    throw error instanceof ScratchpadError ? new DamagedRow(error.message) : error;
  }
  const content = await remote.content(there.hash ?? '');
  return entries.store(ours, content, { origin: there.origin, check });
}

const inLine = (name: string): string => JSON.stringify(shorten(name, 60));

/**
 * Resolves a conflict: the local content gets another name, and the one in the store is fetched in the next
 * round.
 */
async function keepBoth(
  { local, report, name, ours }: Exchange,
  here: IndexedEntry,
  hash: string,
): Promise<boolean> {
  const suffix = ` (conflict ${hash.slice(0, 8) || here.file.slice(-8)})`;
  const other = [...ours].slice(0, NAME_LIMIT - suffix.length).join('') + suffix;
  await local.entries.change((index) => {
    index.entries = index.entries.map((entry) =>
      entry.file === here.file ? { ...entry, name: other } : entry,
    );
  });
  local.keepEntry(name, { version: 0, file: null });
  report.notices.push(`the entry ${ours} was changed on two machines: yours is now ${other}`);
  return false;
}

/** The content in the form that may leave this machine; `undefined` if it may not, or is too large. */
async function sendable(
  { local, options }: Exchange,
  here: IndexedEntry,
): Promise<{ hash: string; bytes: Buffer } | undefined> {
  if (here.bytes > Math.min(options.largest, MOST_BYTES)) return undefined;
  const raw = await local.entries.bytes(here.name);
  if (options.redact && !isUtf8(raw)) return undefined;
  const bytes = options.redact ? Buffer.from(redactSecrets(raw.toString())) : raw;
  return { hash: createHash('sha256').update(bytes).digest('hex'), bytes };
}

/** The session's own entries by their names in the store, without those lent by other sessions. */
function ownEntries(entries: FileEntries, redact: boolean): Map<string, IndexedEntry> {
  const own = entries.index().entries.filter(({ readOnly }) => !readOnly);
  // Of names that differ in their secret alone, the first one is shared.
  return new Map(own.reverse().map((entry) => [sharedName(entry.name, redact), entry]));
}

function sharedName(name: string, redact: boolean): string {
  return redact ? [...redactSecrets(name)].slice(0, NAME_LIMIT).join('') : name;
}

class ChangedMeanwhile extends Error {}
