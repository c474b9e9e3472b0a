import { closeSync, mkdirSync, openSync, readSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { hasCode, ScratchpadError } from '../errors.ts';
import { ensureDataDir } from '../session/files.ts';
import { withLock } from '../session/lock.ts';
import { checkDataDir, type SessionPaths } from '../session/workspace.ts';
import { type Blob, Draft, removeBlob } from './blob.ts';
import { type EntryIndex, type IndexedEntry, readIndex, sweepEntries, writeIndex } from './index-file.ts';
import { checkEntryName } from './name.ts';
import { noEntry, readOnly } from './refusals.ts';

const CHUNK = 1024 * 1024;
/** A content may be replaced between reading its name and opening it, or while an edit is prepared. */
export const ATTEMPTS = 8;

/** An entry whose characters are known. */
export type CountedEntry = IndexedEntry & { characters: number };

/** What a content becomes in the index. */
export interface Commit {
  origin: string;
  /** Refuses or agrees, under the lock. */
  check?: (index: EntryIndex) => void;
  /** Names whose entries go with the same step. */
  remove?: readonly string[];
  /** Bytes of a content that was not read along to its end: it is counted later. */
  uncounted?: number;
}

/**
 * Entries in a session's directory: contents in files that never change, and one index that names
 * them. A change writes and flushes the new content first, without a lock; then, under the lock,
 * a new index takes the place of the old one in one step. A reader sees the one or the other.
 */
export class EntryFiles {
  readonly dir: string;
  readonly #root: string;
  readonly #paths: SessionPaths;
  readonly #now: () => number;

  constructor(root: string, paths: SessionPaths, now: () => number) {
    this.#root = root;
    this.#paths = paths;
    this.dir = join(paths.dir, 'entries');
    this.#now = now;
  }

  /**
   * Whether a content may be given this name.
   * @throws ScratchpadError `usage` for what is no name, `refused` for an entry that is lent
   */
  mayWrite(name: string): void {
    const before = this.find(checkEntryName(name));
    if (before?.readOnly) throw readOnly(before);
  }

  /** A content of this session on its way. Nobody sees it before it is committed. */
  draft(): Draft {
    this.#ensure();
    return new Draft(this.dir);
  }

  /**
   * Gives a finished content its name.
   *
   * @param name or a function that makes one from the index, for automatic names
   * @param basedOn the content it was made from, `null` for none: when another has taken its place nothing is changed
   * @returns `undefined` when that happened
   */
  async commit(
    name: string | ((index: EntryIndex) => string),
    draft: Draft,
    { origin, check, remove = [], uncounted }: Commit,
    basedOn?: string | null,
  ): Promise<IndexedEntry | undefined> {
    let blob: Blob | undefined;
    try {
      blob = draft.commit(typeof name === 'string' ? name : 'output', uncounted);
      const { file } = blob;
      const made = blob;
      const done = await this.change((index) => {
        check?.(index);
        const as = checkEntryName(typeof name === 'string' ? name : name(index));
        const before = index.entries.find((entry) => entry.name === as);
        if (before?.readOnly) throw readOnly(before);
        if (basedOn !== undefined && (before?.file ?? null) !== basedOn) return undefined;
        const now = new Date(this.#now()).toISOString();
        const entry: IndexedEntry = {
          name: as,
          file,
          bytes: made.bytes,
          characters: made.characters,
          created: before?.created ?? now,
          updated: now,
          origin,
          readOnly: false,
        };
        index.entries = [
          ...index.entries.filter((other) => other.name !== as && !remove.includes(other.name)),
          entry,
        ];
        return entry;
      });
      if (!done) removeBlob(this.dir, file);
      return done;
    } catch (error) {
      if (blob) removeBlob(this.dir, blob.file);
      throw error;
    }
  }

  /** Changes the index under the lock; contents that it names no longer are removed. */
  async change<T>(decide: (index: EntryIndex) => T): Promise<T> {
    this.#ensure();
    return withLock(join(this.dir, 'lock'), ({ tookOver }) => {
      const index = this.index();
      const before = index.entries;
      const result = decide(index);
      if (index.entries !== before) {
        writeIndex(this.dir, index);
        const kept = new Set(index.entries.map(({ file }) => file));
        for (const { file } of before) if (!kept.has(file)) removeBlob(this.dir, file);
      }
      if (tookOver) sweepEntries(this.dir, index, Date.now());
      return result;
    });
  }

  index(): EntryIndex {
    return readIndex(this.dir, this.#paths.recovered);
  }

  /** Adds an entry's content to a draft. */
  copy({ file, bytes }: IndexedEntry, draft: Draft): void {
    withFd(join(this.dir, file), (fd) => {
      const chunk = Buffer.alloc(CHUNK);
      for (let at = 0; at < bytes; ) {
        const read = readSync(fd, chunk, 0, chunk.length, at);
        if (read === 0) return;
        draft.write(chunk.subarray(0, read));
        at += read;
      }
    });
  }

  /** What is known of an entry, with its characters: the first time that costs reading a content that nobody has counted. */
  async counted(entry: IndexedEntry): Promise<CountedEntry> {
    const { characters, file } = entry;
    if (characters !== null) return { ...entry, characters };
    const { countContent } = await import('./count.ts');
    let counted: Pick<CountedEntry, 'bytes' | 'characters'>;
    try {
      const { bytes, characters: found } = await countContent(join(this.dir, file));
      // After a power cut there may be less of it than was written.
      counted = { bytes, characters: found };
    } catch (error) {
      throw contentGone(entry, error);
    }
    try {
      await this.change((index) => {
        index.entries = index.entries.map((each) => (each.file === file ? { ...each, ...counted } : each));
      });
    } catch (error) {
      // Knowing it for the next time is a help, no more: the workspace may be read-only.
      if (!(error instanceof ScratchpadError)) throw error;
    }
    return { ...entry, ...counted };
  }

  async withContent<T>(
    name: string,
    work: (fd: number, path: string, entry: CountedEntry) => T | Promise<T>,
  ): Promise<T> {
    const { fd, entry } = this.open(name);
    try {
      return await work(fd, join(this.dir, entry.file), await this.counted(entry));
    } finally {
      closeSync(fd);
    }
  }

  open(name: string): { fd: number; entry: IndexedEntry } {
    for (let attempt = 0; ; attempt += 1) {
      const entry = this.entry(name);
      try {
        return { fd: openSync(join(this.dir, entry.file), 'r'), entry };
      } catch (error) {
        if (!hasCode(error, 'ENOENT') || attempt >= ATTEMPTS) throw contentGone(entry, error);
      }
    }
  }

  find(name: string): IndexedEntry | undefined {
    return this.index().entries.find((entry) => entry.name === name);
  }

  entry(name: string): IndexedEntry {
    return found(this.index(), name);
  }

  /** Creates the directory, and makes sure that it lies in the workspace: a workspace may come with a clone. */
  #ensure(): void {
    checkDataDir(this.#root);
    ensureDataDir(this.#paths.data, this.#paths.dir);
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    const home = realpathSync(this.#root);
    const target = realpathSync(this.dir);
    if (target.startsWith(home + sep)) return;
    throw new ScratchpadError('environment', 'a symbolic link leads out of the workspace', {
      where: this.dir,
      expected: 'a directory inside the workspace',
      found: target,
      next: 'replace the link by a directory',
    });
  }
}

export function withFd<T>(path: string, work: (fd: number) => T): T {
  const fd = openSync(path, 'r');
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

export function found(index: EntryIndex, name: string): IndexedEntry {
  const entry = index.entries.find((candidate) => candidate.name === name);
  if (entry) return entry;
  throw noEntry(name, index.entries);
}

export function publicInfo<T extends IndexedEntry>({ file: _, ...info }: T): Omit<T, 'file'> {
  return info;
}

function contentGone({ name }: IndexedEntry, cause: unknown): ScratchpadError {
  return new ScratchpadError('environment', 'the content of the entry cannot be read', {
    where: name,
    found: cause instanceof Error ? cause.message : String(cause),
    next: `remove what is left of it with: scratchpad entry delete`,
    cause,
  });
}
