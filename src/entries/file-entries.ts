import { join } from 'node:path';
import { ensureFolder, readBytes, tryRemove, withLock } from '../base/fs/index.ts';
import { redactSecrets } from '../base/safety/index.ts';
import type { Optional } from '../base/text/json.ts';
import { countCharacters, sliceCharacters } from '../base/text/strings.ts';
import type { Actor } from '../session/actor.ts';
import type { SessionPaths } from '../session/workspace.ts';
import { contentGone, replaceBytes, storeContent, toBytes } from './contents.ts';
import {
  collectPast,
  findEntry,
  listVersions,
  readIndex,
  requireEntry,
  restoreVersion,
  sweepEntries,
  toPublicInfo,
  writeIndex,
} from './index-file.ts';
import { checkCount, checkEntryName, nameTaken, refuseReadOnlyEntry } from './refusals.ts';
import { compileSearch, searchText } from './search.ts';
import type {
  EntryCommit,
  EntryEdit,
  EntryIndex,
  EntryInfo,
  EntryMatches,
  EntryText,
  IndexedEntry,
  PastEntryInfo,
  ReadRange,
  SearchOptions,
  WriteOptions,
} from './types.ts';

/** Characters of an entry that one call returns, unless it asks for more. */
export const READ_LIMIT = 30_000;
/** How often to retry reading a content that is being replaced again and again. */
const ATTEMPTS = 8;

interface EntriesOptions {
  now?: () => number;
  /** Throws if nothing may be created, because there is no workspace and nobody has asked for one. */
  assertCanCreate?: () => void;
  actor?: Actor;
  isHidden?: () => boolean;
}

export type Entries = Omit<FileEntries, 'dir' | 'getTime' | 'index' | 'checkWritable' | 'store' | 'change'>;

/**
 * A session's named contents of any size, kept out of the conversation until they are needed: contents in immutable
 * files in its directory, and one index that names them. Under the lock a change writes and flushes the new content,
 * then replaces the index atomically. A reader sees the old index or the new one.
 */
export class FileEntries {
  readonly dir: string;
  readonly getTime: () => number;
  readonly #paths: SessionPaths;
  readonly #options: EntriesOptions;

  constructor(paths: SessionPaths, options: EntriesOptions = {}) {
    this.dir = join(paths.dir, 'entries');
    this.getTime = options.now ?? Date.now;
    this.#paths = paths;
    this.#options = options;
  }

  /** Lists the entries, oldest first. */
  async list(): Promise<EntryInfo[]> {
    return this.index().entries.map(toPublicInfo);
  }

  /** @throws ScratchpadError `refused` if no entry has that name */
  async info(name: string): Promise<EntryInfo> {
    return toPublicInfo(requireEntry(this.index(), name));
  }

  /** Stores content under a name. What the name held is `former` in the answer, and stays for `undelete`. */
  async write(name: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<EntryInfo> {
    this.checkWritable(name);
    const { origin = 'write', append = false } = options;
    const bytes = toBytes(content);
    const appendBytes = (index: EntryIndex): Buffer =>
      findEntry(index, name) ? Buffer.concat([this.#loadContent(name), bytes]) : bytes;

    return toPublicInfo(
      await this.store(name, append ? appendBytes : bytes, { origin, withoutPast: append }),
    );
  }

  /** @throws ScratchpadError `refused` if no entry has that name */
  async read(name: string, { offset = 0, limit = READ_LIMIT }: ReadRange = {}): Promise<EntryText> {
    checkCount(offset, 'offset');
    checkCount(limit, 'limit');
    const text = this.#loadContent(name).toString();
    const total = countCharacters(text);
    const from = Math.min(offset, total);
    const content = sliceCharacters(text, from, limit);
    const characters = countCharacters(content);
    const next = from + characters;

    return { name, content, offset: from, characters, total, nextOffset: next < total ? next : null };
  }

  async bytes(name: string): Promise<Buffer> {
    return this.#loadContent(name);
  }

  /**
   * The lines that match a regular expression (RE2 syntax, linear time).
   * @throws ScratchpadError `usage` for a pattern that the engine does not support
   */
  async search(name: string, pattern: string, options: SearchOptions = {}): Promise<EntryMatches> {
    checkEntryName(name);
    for (const key of ['offset', 'limit', 'context'] as const) checkCount(options[key], key);
    const compiled = await compileSearch(pattern, options.ignoreCase);
    return searchText(name, this.#loadContent(name).toString(), compiled, options);
  }

  /**
   * Replaces a text in an entry, or its whole content.
   * @throws ScratchpadError `refused` with the number of matches if `oldString` does not occur exactly once, unless
   * `replaceAll`
   */
  async edit(name: string, edit: EntryEdit): Promise<EntryInfo & { replaced: number }> {
    this.checkWritable(name);
    requireEntry(this.index(), name);
    let replaced = 0;
    const readContent = (index: EntryIndex): Buffer => {
      requireEntry(index, name);
      if ('content' in edit) return toBytes(edit.content);
      const { bytes, matches } = replaceBytes(name, this.#loadContent(name), edit);
      replaced = matches;
      return bytes;
    };

    return { ...toPublicInfo(await this.store(name, readContent, { origin: undefined })), replaced };
  }

  /**
   * Deletes an entry. `undelete` can restore the last versions of a name for a while; `forGood` also removes these, even of
   * a name that was deleted before.
   * @throws ScratchpadError `refused` if no entry has that name
   */
  async delete(name: string, { forGood = false }: Optional<{ forGood: boolean }> = {}): Promise<void> {
    const removeEntry = (index: EntryIndex): void => {
      const entry = this.#requireDeletable(index, name, forGood);
      index.entries = index.entries.filter((other) => other !== entry);
    };
    // A refusal must come before a folder is created.
    this.requireDeletable(name, forGood);

    await this.change(removeEntry, { forget: forGood ? checkEntryName(name) : undefined });
  }

  /** @throws ScratchpadError `refused` if there is no such entry, or it is read-only here */
  requireDeletable(name: string, forGood = false): void {
    this.#requireDeletable(this.index(), name, forGood);
  }

  #requireDeletable(index: EntryIndex, name: string, forGood: boolean): IndexedEntry | undefined {
    const past = forGood ? listVersions(index, name) : [];
    const entry = past.length > 0 ? findEntry(index, name) : requireEntry(index, name);
    for (const each of [entry, ...past]) this.#requireWritable(each);
    return entry;
  }

  /**
   * Restores what a name held before it was overwritten or deleted; the current content becomes a past version.
   * @param back how many versions back; default 1
   * @throws ScratchpadError `refused` if there is no such version
   */
  async undelete(name: string, back = 1): Promise<EntryInfo> {
    checkEntryName(name);
    const restore = (index: EntryIndex): IndexedEntry => {
      this.#requireWritable(findEntry(index, name));
      return restoreVersion(index, name, back);
    };
    // A refusal must come before a folder is created.
    restore(this.index());

    return toPublicInfo(await this.change(restore));
  }

  /** The versions that `undelete` can restore, oldest first. */
  async past(): Promise<PastEntryInfo[]> {
    return this.index().past.map(toPublicInfo);
  }

  /** @throws ScratchpadError `refused` if the new name exists, unless `force` */
  async rename(
    name: string,
    newName: string,
    { force = false }: Optional<{ force: boolean }> = {},
  ): Promise<EntryInfo> {
    const to = checkEntryName(newName);
    requireEntry(this.index(), name);
    const renameEntry = (index: EntryIndex): IndexedEntry => {
      const [entry, other] = [requireEntry(index, name), findEntry(index, to)];
      for (const each of [entry, other]) this.#requireWritable(each);
      if (other && other !== entry && !force) throw nameTaken(to);

      const renamed = { ...entry, name: to, kept: true };
      index.entries = index.entries
        .filter((each) => each === entry || each.name !== to)
        .map((each) => (each === entry ? renamed : each));

      return renamed;
    };

    return toPublicInfo(await this.change(renameEntry));
  }

  index(): EntryIndex {
    const index = this.#readIndex();
    return this.#options.isHidden?.() ? { ...index, entries: [], past: [] } : index;
  }

  #readIndex(): EntryIndex {
    return readIndex(this.dir, this.#paths.recovered);
  }

  /**
   * Checks that a name may be written.
   * @throws ScratchpadError `usage` for an invalid name, `refused` for an entry that is read-only
   */
  checkWritable(name: string): void {
    this.#requireWritable(findEntry(this.index(), checkEntryName(name)));
  }

  /** The host session whose entries these are, if it makes the change. */
  get #owner(): string | undefined {
    const { session } = this.#options.actor ?? {};
    return session === this.#paths.session ? session : undefined;
  }

  /** @throws ScratchpadError `refused` for an entry lent by another session, or stored for the session of another agent */
  #requireWritable(entry: IndexedEntry | undefined): void {
    const { actor: { agent, session } = {}, isHidden } = this.#options;
    if (entry === undefined) return;

    const isAnothers = agent !== undefined && entry.owner !== undefined && entry.owner !== session;
    if (entry.readOnly || isAnothers || isHidden?.()) throw refuseReadOnlyEntry(entry);
  }

  /**
   * Stores a content under a name, replacing the entry of that name.
   * @param name or a function that derives it from the index: a free name, or that of an entry with this content
   * @param content or a function that makes it from the index, under the lock
   */
  async store(
    name: string | ((index: EntryIndex) => string),
    content: Buffer | ((index: EntryIndex) => Buffer),
    { origin, owner, withoutPast }: EntryCommit,
  ): Promise<IndexedEntry> {
    let written: string | undefined;
    let former: EntryInfo | undefined;
    const storeEntry = (index: EntryIndex): IndexedEntry => {
      const validName = checkEntryName(typeof name === 'string' ? name : name(index));
      const before = findEntry(index, validName);
      if (before !== undefined && typeof name === 'function') return before;

      this.#requireWritable(before);
      if (before !== undefined && origin !== undefined && !withoutPast) former = toPublicInfo(before);
      const bytes = typeof content === 'function' ? content(index) : content;
      const stored = storeContent(this.dir, validName, bytes);
      written = stored.file;
      const now = new Date(this.getTime()).toISOString();
      const entry: IndexedEntry = {
        name: validName,
        ...stored,
        created: before?.created ?? now,
        updated: now,
        origin: redactSecrets(origin ?? before?.origin ?? 'write'),
        readOnly: false,
        owner: owner ?? before?.owner ?? this.#owner,
        kept: before?.kept ?? (this.#options.actor?.user !== undefined || undefined),
      };

      index.entries = [...index.entries.filter((other) => other.name !== validName), entry];

      return entry;
    };

    try {
      const stored = await this.change(storeEntry, { withoutPast });
      return former === undefined ? stored : { ...stored, former };
    } catch (error) {
      if (written !== undefined && !this.#readIndex().entries.some(({ file }) => file === written))
        tryRemove(join(this.dir, written));
      throw error;
    }
  }

  /**
   * Changes the index under the lock. Contents that it no longer names are kept for a while as past versions, then
   * removed.
   * @param options `forget`: a name whose past versions are removed; `withoutPast`: no past versions are made
   */
  async change<T>(
    decide: (index: EntryIndex) => T,
    { forget, withoutPast = false }: { forget?: string; withoutPast?: boolean } = {},
  ): Promise<T> {
    this.#options.assertCanCreate?.();
    ensureFolder(this.dir);

    return withLock(join(this.dir, 'lock'), () => {
      const index = this.#readIndex();
      sweepEntries(this.dir, index, Date.now());
      const before = index.entries;
      const result = decide(index);
      if (index.entries === before) return result;

      const referenced = [...before, ...index.past];
      const past = collectPast(index, withoutPast ? [] : before, new Date(this.getTime()).toISOString());

      index.past = past.filter(({ name }) => name !== forget);
      writeIndex(this.dir, index);
      const usedFiles = new Set([...index.entries, ...index.past].map(({ file }) => file));
      for (const { file } of referenced) if (!usedFiles.has(file)) tryRemove(join(this.dir, file));

      return result;
    });
  }

  /**
   * The content of a name. Another process may replace the entry between reading the index and its content.
   * @throws ScratchpadError `environment` if it is missing
   */
  #loadContent(name: string): Buffer {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const { file } = requireEntry(this.index(), name);
      const bytes = readBytes(join(this.dir, file), 'entry');
      if (bytes) return bytes;
    }

    throw contentGone(name);
  }
}
