import { join } from 'node:path';
import { ScratchpadError } from '../base/errors.ts';
import { ensureFolder, type OpenFile, openFile, withLock } from '../base/fs/index.ts';
import { redactSecrets } from '../base/safety/index.ts';
import type { Actor } from '../session/actor.ts';
import { tellCommit } from '../session/commits.ts';
import type { SessionPaths } from '../session/workspace.ts';
import { type Blob, Draft, removeBlob } from './blob.ts';
import { type EntryIndex, type IndexedEntry, readIndex, sweepEntries, writeIndex } from './index-file.ts';
import { checkEntryName } from './name.ts';
import { countContent } from './offsets.ts';
import { pastOf } from './past.ts';
import { noEntry, ofAnother, readOnly } from './refusals.ts';

/** How often to retry reading a content that is being replaced again and again. */
const ATTEMPTS = 8;

/** An entry whose characters are known. */
export type CountedEntry = IndexedEntry & { characters: number };

/** How a content enters the index. */
export interface EntryCommit {
  /** The origin for the list of entries; `undefined` keeps the origin of the replaced entry. */
  origin: string | undefined;
  /** Called under the lock; throws to refuse the change. */
  check?: (index: EntryIndex) => void;
  /** Entries to delete in the same step. */
  remove?: readonly string[];
  /** The host session that it is stored for. */
  owner?: string | undefined;
  /** Whether it holds all of what it replaces. */
  contained?: boolean;
  /** Size in bytes of a content that was not read to its end: its characters are counted later. */
  uncounted?: number;
}

/**
 * The entries in a session's directory: contents in immutable files, and one index that names them. A change
 * writes and flushes the new content; then, under the lock, it replaces the index atomically. A reader sees
 * the old index or the new one.
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

  /**
   * Checks that a name may be written.
   * @throws ScratchpadError `usage` for an invalid name, `refused` for an entry that is read-only
   */
  mayWrite(name: string): void {
    this.mayChange(this.find(checkEntryName(name)));
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

  /** A new content. Nobody sees it before it is committed. */
  draft(): Draft {
    this.#mayMake();
    ensureFolder(this.dir);
    return new Draft(this.dir);
  }

  /**
   * Gives a finished content its name, replacing the entry of that name.
   * @param name or a function that derives one from the index, for automatic names
   */
  async commit(
    name: string | ((index: EntryIndex) => string),
    draft: Draft,
    commit: EntryCommit,
  ): Promise<IndexedEntry> {
    const blob = draft.commit(typeof name === 'string' ? name : 'output', commit.uncounted);
    try {
      return await this.change((index) => {
        commit.check?.(index);
        return this.#name(index, typeof name === 'string' ? name : name(index), blob, commit);
      });
    } catch (error) {
      removeBlob(this.dir, blob.file);
      throw error;
    }
  }

  /**
   * Builds a content from other entries under the lock, so that none of them is replaced meanwhile.
   * @param fill writes the content
   */
  async make(
    name: string,
    commit: EntryCommit,
    fill: (draft: Draft, index: EntryIndex) => void,
  ): Promise<IndexedEntry> {
    return this.change((index) => {
      commit.check?.(index);
      const draft = new Draft(this.dir);
      try {
        fill(draft, index);
        return this.#name(index, name, draft.commit(name), commit);
      } catch (error) {
        draft.discard();
        throw error;
      }
    }, commit);
  }

  #name(
    index: EntryIndex,
    name: string,
    blob: Blob,
    { origin, owner, remove = [] }: EntryCommit,
  ): IndexedEntry {
    const as = checkEntryName(name);
    const before = index.entries.find((entry) => entry.name === as);
    this.mayChange(before);
    const kept = owner ?? before?.owner;
    const now = new Date(this.#now()).toISOString();
    const entry: IndexedEntry = {
      name: as,
      ...blob,
      created: before?.created ?? now,
      updated: now,
      origin: redactSecrets(origin ?? before?.origin ?? 'write'),
      readOnly: false,
      ...(kept !== undefined && { owner: kept }),
    };
    const others = index.entries.filter((other) => other.name !== as && !remove.includes(other.name));
    index.entries = [...others, entry];
    return entry;
  }

  /**
   * Changes the index under the lock. Contents that it no longer names are kept for a while as past versions
   * (`past.ts`), then removed.
   * @param options `forget`: a name without past versions; `contained`: the new content contains what it
   * replaces
   */
  async change<T>(
    decide: (index: EntryIndex) => T,
    { forget, contained = false }: { forget?: string | undefined; contained?: boolean | undefined } = {},
  ): Promise<T> {
    this.#mayMake();
    ensureFolder(this.dir);
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
        for (const { file } of known) if (!kept.has(file)) removeBlob(this.dir, file);
      }
      return result;
    });
    if (changed) tellCommit(this.#paths);
    return done;
  }

  index(): EntryIndex {
    return readIndex(this.dir, this.#paths.recovered);
  }

  /** Appends an entry's content to a draft. */
  copy(entry: IndexedEntry, draft: Draft): void {
    this.reading(entry, (fd) => draft.copy(fd));
  }

  /** Calls `work` with an open descriptor of an entry's content. */
  reading<T>(entry: IndexedEntry, work: (fd: number) => T): T {
    const file = this.#content(entry);
    try {
      return work(file.fd);
    } finally {
      file.close();
    }
  }

  /** An entry with its number of characters; a content that was never counted is read for that. */
  async counted(entry: IndexedEntry): Promise<CountedEntry> {
    const { characters, file } = entry;
    if (characters !== null) return { ...entry, characters };
    const tally = await countContent(join(this.dir, file));
    if (!tally) throw contentGone(entry);
    // After a power cut it may be shorter than what was written.
    const counted = { bytes: tally.bytes, characters: tally.characters };
    try {
      await this.change((index) => {
        index.entries = index.entries.map((each) => (each.file === file ? { ...each, ...counted } : each));
      });
    } catch (error) {
      // Remembering the count is only an optimization: the workspace may be read-only.
      if (!(error instanceof ScratchpadError)) throw error;
    }
    return { ...entry, ...counted };
  }

  async withContent<T>(name: string, work: (fd: number, entry: CountedEntry) => T | Promise<T>): Promise<T> {
    const { file, entry } = this.open(name);
    try {
      return await work(file.fd, await this.counted(entry));
    } finally {
      file.close();
    }
  }

  /**
   * Opens an entry's content. Another process may replace it between reading the index and opening the file.
   */
  open(name: string): { file: OpenFile; entry: IndexedEntry } {
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
      const entry = this.entry(name);
      const file = openFile(join(this.dir, entry.file), 'entry');
      if (file) return { file, entry };
    }
    const entry = this.entry(name);
    return { file: this.#content(entry), entry };
  }

  #content(entry: IndexedEntry): OpenFile {
    const file = openFile(join(this.dir, entry.file), 'entry');
    if (file) return file;
    throw contentGone(entry);
  }

  find(name: string): IndexedEntry | undefined {
    return this.index().entries.find((entry) => entry.name === name);
  }

  entry(name: string): IndexedEntry {
    return found(this.index(), name);
  }
}

export function found(index: EntryIndex, name: string): IndexedEntry {
  const entry = index.entries.find((candidate) => candidate.name === name);
  if (entry) return entry;
  throw noEntry(name, index.entries);
}

/** What is told of an entry; its origin may come from a version that did not redact it. */
export function publicInfo<T extends IndexedEntry>({ file: _, ...info }: T): Omit<T, 'file'> {
  return { ...info, origin: redactSecrets(info.origin) };
}

function contentGone({ name }: IndexedEntry): ScratchpadError {
  return new ScratchpadError('environment', 'the content of the entry is missing', {
    where: name,
    next: `remove what is left of it with: scratchpad entry delete`,
  });
}
