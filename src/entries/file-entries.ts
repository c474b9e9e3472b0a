import { bytesAt, readAt } from '../base/fs/index.ts';
import type { Actor } from '../session/actor.ts';
import type { SessionPaths } from '../session/workspace.ts';
import type { Draft } from './blob.ts';
import { EntryFiles, found, publicInfo } from './entry-files.ts';
import type { EntryIndex, IndexedEntry } from './index-file.ts';
import { checkEntryName } from './name.ts';
import { bringBack, MOST_PAST_BYTES } from './past.ts';
import { compilePattern } from './pattern.ts';
import { checkChunk, checkCount, checkEdit, taken, tooLargeToKeep, wrongMatches } from './refusals.ts';
import { searchFile } from './search.ts';
import { readSlice } from './slice.ts';
import type {
  Entries,
  EntryEdit,
  EntryInfo,
  EntryMatches,
  EntrySource,
  EntryText,
  MergeOptions,
  PastEntryInfo,
  ReadRange,
  SearchOptions,
  WriteOptions,
} from './types.ts';

const CHUNK = 1024 * 1024;

/** A session's entries, stored in its directory (`entry-files.ts`). */
export class FileEntries implements Entries {
  /** The underlying files, for code that creates entries by itself. */
  readonly files: EntryFiles;

  /** @param rest see `EntryFiles` */
  constructor(
    paths: SessionPaths,
    now: () => number = Date.now,
    ...[mayMake = () => undefined, actor]: [mayMake?: () => void, actor?: Actor]
  ) {
    this.files = new EntryFiles(paths, now, mayMake, actor);
  }

  async list(): Promise<EntryInfo[]> {
    const all: EntryInfo[] = [];
    for (const entry of this.files.index().entries) all.push(await this.#info(entry));
    return all;
  }

  async info(name: string): Promise<EntryInfo> {
    return this.#info(this.files.entry(checkEntryName(name)));
  }

  async write(name: string, content: EntrySource, options: WriteOptions = {}): Promise<EntryInfo> {
    this.files.mayWrite(name);
    const { origin = 'write', append = false } = options;
    const draft = await this.#poured(content);
    if (!append) return this.#info(await this.files.commit(name, draft, { origin }));
    try {
      const whole = await this.files.make(name, { origin, contained: true }, (joined, { entries }) => {
        const before = entries.find((entry) => entry.name === name);
        this.files.mayChange(before);
        if (before) this.files.copy(before, joined);
        joined.copy(draft.fd);
      });
      return await this.#info(whole);
    } finally {
      draft.discard();
    }
  }

  async read(name: string, range: ReadRange = {}): Promise<EntryText> {
    checkCount(range.offset, 'offset');
    checkCount(range.limit, 'limit');
    return this.files.withContent(checkEntryName(name), (fd, entry) => readSlice(fd, entry, range));
  }

  async *bytes(name: string): AsyncGenerator<Buffer> {
    const { file, entry } = this.files.open(checkEntryName(name));
    try {
      for (let at = 0; at < entry.bytes; ) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK, entry.bytes - at));
        const read = readAt(file.fd, chunk, at);
        if (read === 0) return;
        at += read;
        yield chunk.subarray(0, read);
      }
    } finally {
      file.close();
    }
  }

  async search(name: string, pattern: string, options: SearchOptions = {}): Promise<EntryMatches> {
    checkEntryName(name);
    for (const key of ['offset', 'limit', 'context'] as const) checkCount(options[key], key);
    const compiled = await compilePattern(pattern, options.ignoreCase);
    return this.files.withContent(name, (fd, entry) => searchFile(fd, entry, compiled, options));
  }

  async edit(name: string, edit: EntryEdit): Promise<EntryInfo & { replaced: number }> {
    this.files.mayWrite(name);
    checkEdit(edit);
    const check = (index: EntryIndex): void => void found(index, name);
    if ('content' in edit) {
      check(this.files.index());
      const draft = await this.#poured(edit.content);
      const done = await this.files.commit(name, draft, { origin: undefined, check });
      return { ...(await this.#info(done)), replaced: 0 };
    }
    let replaced = 0;
    const done = await this.files.make(name, { origin: undefined, check }, (draft, index) => {
      const before = found(index, name);
      this.files.mayChange(before);
      replaced = this.#replace(before, edit, draft);
    });
    return { ...(await this.#info(done)), replaced };
  }

  async delete(name: string, { forGood = false } = {}): Promise<void> {
    this.files.entry(checkEntryName(name));
    await this.files.change(
      (index) => {
        const entry = found(index, name);
        this.files.mayChange(entry);
        if (!forGood && entry.bytes > MOST_PAST_BYTES) throw tooLargeToKeep(entry, MOST_PAST_BYTES);
        index.entries = index.entries.filter((other) => other !== entry);
      },
      { forget: forGood ? name : undefined },
    );
  }

  async undelete(name: string, back = 1): Promise<EntryInfo> {
    checkEntryName(name);
    // Checked before a folder is created.
    const restore = (index: EntryIndex): IndexedEntry => {
      this.files.mayChange(index.entries.find((entry) => entry.name === name));
      return bringBack(index, name, back);
    };
    restore(this.files.index());
    return this.#info(await this.files.change(restore));
  }

  async past(): Promise<PastEntryInfo[]> {
    return this.files.index().past.map(publicInfo);
  }

  async rename(from: string, to: string, { force = false } = {}): Promise<EntryInfo> {
    checkEntryName(to);
    this.files.entry(checkEntryName(from));
    const done = await this.files.change((index) => {
      const entry = found(index, from);
      const other = index.entries.find((candidate) => candidate.name === to);
      this.files.mayChange(entry);
      this.files.mayChange(other);
      if (other && other !== entry && !force) throw taken(to);
      const renamed = { ...entry, name: to };
      index.entries = index.entries.flatMap((candidate) =>
        candidate === entry ? [renamed] : candidate.name === to ? [] : [candidate],
      );
      return renamed;
    });
    return this.#info(done);
  }

  async merge(into: string, names: readonly string[], options: MergeOptions = {}): Promise<EntryInfo> {
    checkEntryName(into);
    const { separator, remove = false, force = false } = options;
    for (const name of names) this.files.entry(checkEntryName(name));
    const check = ({ entries }: EntryIndex): void => {
      if (!force && !names.includes(into) && entries.some(({ name }) => name === into)) throw taken(into);
    };
    const commit = {
      origin: `merge: ${names.join(', ')}`,
      check,
      remove: remove ? names.filter((name) => name !== into) : [],
    };
    const done = await this.files.make(into, commit, (draft, index) => {
      const parts = names.map((name) => found(index, name));
      if (remove) for (const part of parts) this.files.mayChange(part);
      parts.forEach((part, place) => {
        if (place > 0) draft.write(Buffer.from(separator ?? (endsLine(draft) ? '' : '\n')));
        this.files.copy(part, draft);
      });
    });
    return this.#info(done);
  }

  async #info(entry: IndexedEntry): Promise<EntryInfo> {
    return publicInfo(await this.files.counted(entry));
  }

  #replace(before: IndexedEntry, edit: Exclude<EntryEdit, { content: string }>, draft: Draft): number {
    const needle = Buffer.from(edit.oldString);
    if (needle.length === 0) throw wrongMatches(before.name, 'empty');
    const by = Buffer.from(edit.newString);
    return this.files.reading(before, (fd) => {
      const nothing = (): void => undefined;
      const matches = scanMatches(fd, needle, nothing, nothing);
      if (matches === 0 || (matches > 1 && !edit.replaceAll))
        throw wrongMatches(before.name, matches, edit.oldString);
      return scanMatches(
        fd,
        needle,
        (bytes) => draft.write(bytes),
        () => draft.write(by),
      );
    });
  }

  /** A draft with this content. */
  async #poured(content: EntrySource): Promise<Draft> {
    const draft = this.files.draft();
    try {
      if (typeof content === 'string') draft.write(Buffer.from(content));
      else if (content instanceof Uint8Array) draft.write(asBuffer(content));
      else for await (const chunk of content) draft.write(asBuffer(checkChunk(chunk)));
      return draft;
    } catch (error) {
      draft.discard();
      throw error;
    }
  }
}

function endsLine({ fd, tally }: Draft): boolean {
  return tally.bytes === 0 || bytesAt(fd, tally.bytes - 1, 1)[0] === 10;
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/**
 * Searches a file for non-overlapping occurrences of `needle`, and passes on the bytes between them in order.
 * @returns the number of matches
 */
function scanMatches(
  fd: number,
  needle: Buffer,
  onBetween: (bytes: Buffer) => void,
  onMatch: () => void,
): number {
  let matches = 0;
  let rest: Buffer = Buffer.alloc(0);
  const chunk = Buffer.alloc(CHUNK);
  for (let position = 0; ; ) {
    const read = readAt(fd, chunk, position);
    position += read;
    const all = Buffer.concat([rest, chunk.subarray(0, read)]);
    let from = 0;
    for (let at = all.indexOf(needle); at !== -1; at = all.indexOf(needle, from)) {
      onBetween(all.subarray(from, at));
      onMatch();
      matches += 1;
      from = at + needle.length;
    }
    // A match may begin in the remaining bytes and end in the next chunk.
    const keep = read === 0 ? 0 : Math.min(all.length - from, needle.length - 1);
    onBetween(all.subarray(from, all.length - keep));
    rest = Buffer.from(all.subarray(all.length - keep));
    if (read === 0) return matches;
  }
}
