import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { ScratchpadError } from '../base/errors.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { shorten } from '../base/text/strings.ts';
import type { FileEntries } from '../entries/file-entries.ts';
import { NAME_LIMIT } from '../entries/refusals.ts';
import type { EntryIndex, IndexedEntry } from '../entries/types.ts';
import type { LocalSession } from './local-session.ts';
import type { Remote, RemoteEntry } from './remote.ts';
import type { StoreSettings } from './settings.ts';
import type { EntryState, ExchangeReport } from './types.ts';

const UNKNOWN: EntryState = { version: 0, file: null };

/**
 * Synchronizes the entries of a session by name. An entry that changed on one side is copied to the other; one that
 * changed on both is kept twice, the local one under another name. What somebody else changes meanwhile is left to
 * the next sync.
 */
export async function syncEntries(
  local: LocalSession,
  remote: Remote,
  session: string,
  settings: Pick<StoreSettings, 'redact'>,
  report: ExchangeReport,
): Promise<void> {
  const { entries } = local;
  const { redact } = settings;
  const states = { ...local.kept.entries };
  const keep = (name: string, version: number, file: string | null): void => {
    states[name] = { version, file };
    local.keep({ entries: states });
  };
  const there = new Map((await remote.entries(session)).map((entry) => [entry.name, entry]));
  const here = ownEntries(entries, redact);
  const names = new Set([...there.keys(), ...here.keys()]);

  // A name that a conflict makes is added behind the others.
  for (const name of names) {
    let ours = here.get(name);
    const theirs = there.get(name);
    const base = states[name] ?? UNKNOWN;
    const version = theirs?.version ?? 0;
    const isOurs = (ours?.file ?? null) !== base.file;
    const isTheirs = version !== base.version;

    if (!isOurs && !isTheirs) continue;

    const content = isOurs && ours ? await prepareContent(entries, ours, settings) : undefined;

    if (isOurs && isTheirs && ours && theirs?.hash) {
      if (content?.hash === theirs.hash) {
        keep(name, version, ours.file);
        continue;
      }

      const suffix = ` (conflict ${(content?.hash ?? theirs.hash).slice(0, 8) || ours.file.slice(-8)})`;
      const other = [...ours.name].slice(0, NAME_LIMIT - suffix.length).join('') + suffix;
      const { name: before, file } = ours;

      await entries.change((index) => {
        index.entries = index.entries.map((entry) =>
          entry.file === file ? { ...entry, name: other } : entry,
        );
      });
      report.notices.push(`the entry ${before} was changed on two machines: yours is now ${other}`);
      const shared = makeSharedName(other, redact);
      here.set(shared, { ...ours, name: other });
      names.add(shared);
      ours = undefined;
    }

    // Send ours, if they have not changed it, or have deleted what changed here.
    if (isOurs && (!isTheirs || (ours && !theirs?.hash))) {
      if (content && !(await remote.sizeOf(content.hash)))
        await remote.putContent(content.hash, content.bytes);
      const entry: RemoteEntry = {
        ...{ name, version, stored: content !== undefined },
        hash: ours === undefined ? null : (content?.hash ?? ''),
        origin: redact ? redactSecrets(ours?.origin ?? '') : (ours?.origin ?? ''),
      };

      if (await remote.putEntry(session, entry, content?.bytes.length ?? ours?.bytes ?? 0)) {
        keep(name, version + 1, ours?.file ?? null);
        report.sent += 1;
      }

      continue;
    }

    // Take in theirs, unless ours changes meanwhile.
    if (theirs === undefined) continue;

    const as = here.get(name)?.name ?? name;
    const { hash, stored, origin } = theirs;
    const localFile = ours?.file ?? null;
    const check = (index: EntryIndex): void => {
      if ((index.entries.find((entry) => entry.name === as)?.file ?? null) !== localFile)
        throw new ChangedMeanwhile();
    };

    try {
      if (hash === null) {
        await entries.change((index) => {
          check(index);
          index.entries = index.entries.filter((entry) => entry.name !== as);
        });
        keep(name, version, null);
      } else if (stored) {
        const { file } = await entries.store(as, await remote.content(hash), { origin, check });
        keep(name, version, file);
      } else {
        report.notices.push(`the entry ${as} is only on its original machine: too large, or not text`);
        keep(name, version, localFile);
        continue;
      }

      report.received += 1;
    } catch (error) {
      if (error instanceof ChangedMeanwhile) continue;
      if (!(error instanceof ScratchpadError) || error.kind === 'environment') throw error;
      const named = JSON.stringify(shorten(as, 60));
      report.notices.push(`the entry ${named} of the shared store is left out: ${error.message}`);
      keep(name, version, localFile);
    }
  }
}

const LARGEST_SENT = 8 * 1024 * 1024;

/** The content in the form that may leave this machine; `undefined` if it may not, or is too large. */
async function prepareContent(
  entries: FileEntries,
  { name, bytes: size }: IndexedEntry,
  { redact }: Pick<StoreSettings, 'redact'>,
): Promise<{ hash: string; bytes: Buffer } | undefined> {
  if (size > LARGEST_SENT) return undefined;
  const raw = await entries.bytes(name);
  if (redact && !isUtf8(raw)) return undefined;
  const bytes = redact ? Buffer.from(redactSecrets(raw.toString())) : raw;
  return { hash: createHash('sha256').update(bytes).digest('hex'), bytes };
}

/** The session's own entries by their names in the store, without those lent by other sessions. */
function ownEntries(entries: FileEntries, redact: boolean): Map<string, IndexedEntry> {
  const own = entries.index().entries.filter(({ readOnly }) => !readOnly);
  // Of names that differ in their secret alone, the first one is shared.
  return new Map(own.reverse().map((entry) => [makeSharedName(entry.name, redact), entry]));
}

const makeSharedName = (name: string, redact: boolean): string =>
  redact ? [...redactSecrets(name)].slice(0, NAME_LIMIT).join('') : name;

class ChangedMeanwhile extends Error {}
