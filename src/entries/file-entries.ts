import { closeSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, ScratchpadError } from '../errors.ts';
import type { SessionPaths } from '../session/workspace.ts';
import type { Draft } from './blob.ts';
import { ATTEMPTS, EntryFiles, found, publicInfo, withFd } from './entry-files.ts';
import type { EntryIndex, IndexedEntry } from './index-file.ts';
import { checkEntryName } from './name.ts';
import { compilePattern } from './pattern.ts';
import { checkCount, readOnly, taken, wrongMatches } from './refusals.ts';
import { scanMatches } from './replace.ts';
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
  ReadRange,
  SearchOptions,
  WriteOptions,
} from './types.ts';

const CHUNK = 1024 * 1024;

/** The entries of a session, kept in its directory (`entry-files.ts`). */
export class FileEntries implements Entries {
  /** Where they are kept; for what makes entries of its own. */
  readonly files: EntryFiles;

  constructor(root: string, paths: SessionPaths, now: () => number = Date.now) {
    this.files = new EntryFiles(root, paths, now);
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
    checkEntryName(name);
    const { origin = 'write', append = false } = options;
    for (let attempt = 0; ; attempt += 1) {
      const before = append ? this.files.find(name) : undefined;
      if (before?.readOnly) throw readOnly(before);
      const draft = this.files.draft();
      try {
        if (before) this.files.copy(before, draft);
        await pour(content, draft);
      } catch (error) {
        draft.discard();
        throw error;
      }
      const done = await this.files.commit(
        name,
        draft,
        { origin },
        append ? (before?.file ?? null) : undefined,
      );
      if (done) return this.#info(done);
      // Somebody appended in between: only a content that is still there can be added to that.
      if (attempt >= ATTEMPTS || (typeof content !== 'string' && !(content instanceof Uint8Array)))
        throw busy(name);
    }
  }

  async read(name: string, range: ReadRange = {}): Promise<EntryText> {
    checkCount(range.offset, 'offset');
    checkCount(range.limit, 'limit');
    return this.files.withContent(checkEntryName(name), (fd, path, entry) =>
      readSlice(fd, path, entry, range),
    );
  }

  async *bytes(name: string): AsyncGenerator<Buffer> {
    const { fd, entry } = this.files.open(checkEntryName(name));
    try {
      for (let at = 0; at < entry.bytes; ) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK, entry.bytes - at));
        const read = readSync(fd, chunk, 0, chunk.length, at);
        if (read === 0) return;
        at += read;
        yield chunk.subarray(0, read);
      }
    } finally {
      closeSync(fd);
    }
  }

  async search(name: string, pattern: string, options: SearchOptions = {}): Promise<EntryMatches> {
    checkEntryName(name);
    for (const key of ['offset', 'limit', 'context'] as const) checkCount(options[key], key);
    const compiled = await compilePattern(pattern, options.ignoreCase);
    return this.files.withContent(name, (fd, path, entry) => searchFile(fd, path, entry, compiled, options));
  }

  async edit(name: string, edit: EntryEdit): Promise<EntryInfo & { replaced: number }> {
    checkEntryName(name);
    for (let attempt = 0; ; attempt += 1) {
      const before = this.files.entry(name);
      if (before.readOnly) throw readOnly(before);
      const draft = this.files.draft();
      let replaced = 0;
      try {
        if ('content' in edit) await pour(edit.content, draft);
        else replaced = this.#replace(before, edit, draft);
      } catch (error) {
        draft.discard();
        if (hasCode(error, 'ENOENT') && attempt < ATTEMPTS) continue;
        throw error;
      }
      const done = await this.files.commit(name, draft, { origin: before.origin }, before.file);
      if (done) return { ...(await this.#info(done)), replaced };
      if (attempt >= ATTEMPTS) throw busy(name);
    }
  }

  async delete(name: string): Promise<void> {
    checkEntryName(name);
    await this.files.change((index) => {
      const entry = found(index, name);
      if (entry.readOnly) throw readOnly(entry);
      index.entries = index.entries.filter((other) => other !== entry);
    });
  }

  async rename(from: string, to: string, { force = false } = {}): Promise<EntryInfo> {
    checkEntryName(from);
    checkEntryName(to);
    const done = await this.files.change((index) => {
      const entry = found(index, from);
      const other = index.entries.find((candidate) => candidate.name === to);
      if (entry.readOnly) throw readOnly(entry);
      if (other?.readOnly) throw readOnly(other);
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
    const parts = names.map((name) => this.files.entry(checkEntryName(name)));
    const draft = this.files.draft();
    try {
      parts.forEach((part, place) => {
        if (place > 0) draft.write(Buffer.from(separator ?? (endsLine(draft) ? '' : '\n')));
        this.files.copy(part, draft);
      });
    } catch (error) {
      draft.discard();
      throw error;
    }
    const gone = remove ? names.filter((name) => name !== into) : [];
    const lent = parts.find((part) => part.readOnly);
    if (remove && lent) {
      draft.discard();
      throw readOnly(lent);
    }
    const check = ({ entries }: EntryIndex): void => {
      if (!force && !names.includes(into) && entries.some(({ name }) => name === into)) throw taken(into);
    };
    const done = await this.files.commit(into, draft, {
      origin: `merge: ${names.join(', ')}`,
      check,
      remove: gone,
    });
    if (!done) throw busy(into);
    return this.#info(done);
  }

  async #info(entry: IndexedEntry): Promise<EntryInfo> {
    return publicInfo(await this.files.counted(entry));
  }

  #replace(before: IndexedEntry, edit: Exclude<EntryEdit, { content: string }>, draft: Draft): number {
    const needle = Buffer.from(edit.oldString);
    if (needle.length === 0) throw wrongMatches(before.name, 'empty');
    const by = Buffer.from(edit.newString);
    return withFd(join(this.files.dir, before.file), (fd) => {
      const matches = scanMatches(
        fd,
        needle,
        () => undefined,
        () => undefined,
      );
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
}

async function pour(content: EntrySource, draft: Draft): Promise<void> {
  if (typeof content === 'string') draft.write(Buffer.from(content));
  else if (content instanceof Uint8Array) draft.write(asBuffer(content));
  else for await (const chunk of content) draft.write(asBuffer(chunk));
}

function endsLine({ fd, tally }: Draft): boolean {
  if (tally.bytes === 0) return true;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, tally.bytes - 1);
  return last[0] === 10;
}

function busy(name: string): ScratchpadError {
  return new ScratchpadError(
    'refused',
    'the entry was changed by somebody else in the meantime: nothing was changed',
    {
      where: name,
      next: 'read it again and repeat the change',
    },
  );
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
