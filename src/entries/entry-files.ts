import { join } from 'node:path';
import { failed, type ScratchpadError } from '../base/errors.ts';
import { ensureFolder, openFile, readWhole, tryRemove, withLock } from '../base/fs/index.ts';
import { redactSecrets } from '../base/safety/index.ts';
import type { Actor } from '../session/actor.ts';
import { tellCommit } from '../session/store.ts';
import type { SessionPaths } from '../session/workspace.ts';
import { charactersIn, MOST_BYTES, storeContent, tooLarge } from './contents.ts';
import {
  type EntryIndex,
  type IndexedEntry,
  pastOf,
  readIndex,
  sweepEntries,
  writeIndex,
} from './index-file.ts';
import { checkEntryName, noEntry, ofAnother, readOnly } from './refusals.ts';

/** How often to retry reading a content that is being replaced again and again. */
const ATTEMPTS = 8;

export type CountedEntry = IndexedEntry & { characters: number };

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

/**
 * The entries in a session's directory: contents in immutable files, and one index that names them. Under the
 * lock a change writes and flushes the new content, then replaces the index atomically. A reader sees the old
 * index or the new one.
 */
export class EntryFiles {
  readonly dir: string;
  readonly #paths: SessionPaths;
  readonly #now: () => number;
  readonly #mayMake: () => void;
  readonly #actor: Actor;

  /**
   * @param mayMake throws if nothing may be created, because there is no workspace and nobody has asked for
   * one
   * @param actor who makes the changes; default: the program itself
   */
  constructor(paths: SessionPaths, now: () => number, mayMake: () => void, actor: Actor = {}) {
    this.#paths = paths;
    this.dir = join(paths.dir, 'entries');
    this.#now = now;
    this.#mayMake = mayMake;
    this.#actor = actor;
  }

  make(): void {
    this.#mayMake();
    ensureFolder(this.dir);
  }

  /**
   * Checks that a name may be written.
   * @throws ScratchpadError `usage` for an invalid name, `refused` for an entry that is read-only
   */
  mayWrite(name: string): void {
    this.mayChange(find(this.index(), checkEntryName(name)));
  }

  /**
   * @throws ScratchpadError `refused` for an entry lent by another session, or stored for the session of
   * another agent
   */
  mayChange(entry: IndexedEntry | undefined): void {
    if (entry?.readOnly) throw readOnly(entry);
    const { agent, session } = this.#actor;
    if (agent !== undefined && entry?.owner !== undefined && entry.owner !== session)
      throw ofAnother(entry.name, entry.owner);
  }

  /**
   * Stores a content under a name, replacing the entry of that name.
   * @param name or a function that derives one from the index, for automatic names
   * @param content or a function that makes it from other entries, none of which is replaced meanwhile
   */
  async store(
    name: string | ((index: EntryIndex) => string),
    content: Buffer | ((index: EntryIndex) => Buffer),
    { origin, check, owner, contained }: EntryCommit,
  ): Promise<CountedEntry> {
    let written: string | undefined;
    try {
      return await this.change(
        (index) => {
          check?.(index);
          const as = checkEntryName(typeof name === 'string' ? name : name(index));
          const before = find(index, as);
          this.mayChange(before);
          const bytes = typeof content === 'function' ? content(index) : content;
          const stored = storeContent(this.dir, as, bytes);
          written = stored.file;
          const now = new Date(this.#now()).toISOString();
          const entry: CountedEntry = {
            name: as,
            ...stored,
            created: before?.created ?? now,
            updated: now,
            origin: redactSecrets(origin ?? before?.origin ?? 'write'),
            readOnly: false,
            owner: owner ?? before?.owner,
          };
          const others = index.entries.filter((other) => other.name !== as);
          index.entries = [...others, entry];
          return entry;
        },
        { contained },
      );
    } catch (error) {
      if (written !== undefined && !this.index().entries.some(({ file }) => file === written))
        tryRemove(join(this.dir, written));
      throw error;
    }
  }

  /**
   * Changes the index under the lock. Contents that it no longer names are kept for a while as past versions
   * , then removed.
   * @param options `forget`: a name without past versions; `contained`: the new content contains what it
   * replaces
   */
  async change<T>(
    decide: (index: EntryIndex) => T,
    { forget, contained = false }: { forget?: string; contained?: boolean } = {},
  ): Promise<T> {
    this.make();
    let changed = false;
    const done = await withLock(join(this.dir, 'lock'), () => {
      const index = this.index();
      sweepEntries(this.dir, index, Date.now());
      const before = index.entries;
      const result = decide(index);
      changed = index.entries !== before;
      if (changed) {
        const known = [...before, ...index.past];
        const past = pastOf(index, contained ? [] : before, new Date(this.#now()).toISOString());
        index.past = past.filter(({ name }) => name !== forget);
        writeIndex(this.dir, index);
        const kept = new Set(index.entries.map(({ file }) => file));
        for (const { file } of known) if (!kept.has(file)) tryRemove(join(this.dir, file));
      }
      return result;
    });
    if (changed) tellCommit(this.#paths);
    return done;
  }

  index(): EntryIndex {
    return readIndex(this.dir, this.#paths.recovered);
  }

  /**
   * The bytes of an entry's content.
   * @throws ScratchpadError `environment` if it is missing, `refused` if it is too large to be read as a whole
   */
  content(entry: IndexedEntry): Buffer {
    const bytes = this.#tryContent(entry);
    if (bytes) return bytes;
    throw contentGone(entry);
  }

  /** The same by name. Another process may replace the entry between reading the index and its content. */
  read(name: string): { entry: IndexedEntry; bytes: Buffer } {
    for (let attempt = 1; ; attempt += 1) {
      const entry = this.entry(name);
      const bytes = attempt < ATTEMPTS ? this.#tryContent(entry) : this.content(entry);
      if (bytes) return { entry, bytes };
    }
  }

  #tryContent(entry: IndexedEntry): Buffer | undefined {
    const path = join(this.dir, entry.file);
    const file = openFile(path, 'entry');
    if (!file) return undefined;
    try {
      if (file.stats.size > MOST_BYTES) throw tooLarge(path);
      return readWhole(file, 'entry');
    } finally {
      file.close();
    }
  }

  /** An entry with its number of characters, which an earlier version may have left to be counted later. */
  counted(entry: IndexedEntry): CountedEntry {
    const { characters, bytes: size } = entry;
    if (characters !== null) return { ...entry, characters };
    // Not worth reading gigabytes.
    if (size > MOST_BYTES) return { ...entry, characters: size };
    const bytes = this.content(entry);
    // After a power cut it may be shorter than what was written.
    return { ...entry, bytes: bytes.length, characters: charactersIn(bytes) };
  }

  entry(name: string): IndexedEntry {
    return found(this.index(), name);
  }
}

export function find(index: EntryIndex, name: string): IndexedEntry | undefined {
  return index.entries.find((entry) => entry.name === name);
}

/** @throws ScratchpadError `refused` if there is none */
export function found(index: EntryIndex, name: string): IndexedEntry {
  const entry = find(index, name);
  if (entry) return entry;
  throw noEntry(name, index.entries);
}

/** What is told of an entry; its origin may come from a version that did not redact it. */
export function publicInfo<T extends IndexedEntry>({ file: _, ...info }: T): Omit<T, 'file'> {
  return { ...info, origin: redactSecrets(info.origin) };
}

function contentGone({ name }: Pick<IndexedEntry, 'name'>): ScratchpadError {
  return failed('the content of the entry is missing', {
    where: name,
    next: {
      to: 'remove what is left of it',
      command: 'scratchpad entry delete',
      tool: 'scratchpad_delete',
      call: 'pad.entries.delete()',
    },
  });
}
