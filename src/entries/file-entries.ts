import { join } from 'node:path';
import { openFile, readAt } from '../base/fs/index.ts';
import type { Actor } from '../session/actor.ts';
import type { SessionPaths } from '../session/workspace.ts';
import { charactersIn, decoded, MOST_BYTES, slice, tooLarge } from './contents.ts';
import { contentGone, EntryFiles, find, found, publicInfo } from './entry-files.ts';
import type { EntryIndex, IndexedEntry } from './index-file.ts';
import { bringBack, MOST_PAST_BYTES } from './past.ts';
import { compilePattern } from './pattern.ts';
import {
  checkChunk,
  checkCount,
  checkEdit,
  checkEntryName,
  taken,
  tooLargeToKeep,
  wrongMatches,
} from './refusals.ts';
import { searchText } from './search.ts';
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

/** Characters of an entry that one call returns, unless it asks for more. */
export const READ_LIMIT = 30_000;
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
    const { origin = 'write', append: contained = false } = options;
    const bytes = await bytesOf(content);
    const whole = ({ entries }: EntryIndex): Buffer => {
      const before = entries.find((entry) => entry.name === name);
      return before ? Buffer.concat([this.files.content(before), bytes]) : bytes;
    };
    return publicInfo(await this.files.store(name, contained ? whole : bytes, { origin, contained }));
  }

  async read(name: string, range: ReadRange = {}): Promise<EntryText> {
    const { offset = 0, limit = READ_LIMIT } = range;
    checkCount(offset, 'offset');
    checkCount(limit, 'limit');
    const { entry, bytes } = this.files.read(checkEntryName(name));
    const { characters: total } = await this.files.counted(entry);
    const from = Math.min(offset, total);
    const piece = slice(bytes, from, limit);
    const characters = charactersIn(piece);
    const next = from + characters;
    return {
      name,
      content: decoded(piece),
      offset: from,
      characters,
      total,
      nextOffset: next < total ? next : null,
    };
  }

  /** In pieces: entries of earlier versions may be larger than the memory. */
  async *bytes(name: string): AsyncGenerator<Buffer> {
    const entry = this.files.entry(checkEntryName(name));
    const file = openFile(join(this.files.dir, entry.file), 'entry');
    if (!file) throw contentGone(entry);
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
    const { bytes } = this.files.read(name);
    return searchText(name, decoded(slice(bytes, options.offset ?? 0)), compiled, options);
  }

  async edit(name: string, edit: EntryEdit): Promise<EntryInfo & { replaced: number }> {
    this.files.mayWrite(name);
    checkEdit(edit);
    const check = (index: EntryIndex): void => void found(index, name);
    check(this.files.index());
    let replaced = 0;
    const content =
      'content' in edit
        ? Buffer.from(edit.content)
        : (index: EntryIndex): Buffer => {
            const { bytes, matches } = replacedIn(name, this.files.content(found(index, name)), edit);
            replaced = matches;
            return bytes;
          };
    const done = await this.files.store(name, content, { origin: undefined, check });
    return { ...publicInfo(done), replaced };
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
      this.files.mayChange(find(index, name));
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
      const other = find(index, to);
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
    const check = (index: EntryIndex): void => {
      if (!force && !names.includes(into) && find(index, into)) throw taken(into);
    };
    const joined = (index: EntryIndex): Buffer => {
      const parts = names.map((name) => found(index, name));
      if (remove) for (const part of parts) this.files.mayChange(part);
      const pieces: Buffer[] = [];
      for (const part of parts) {
        const before = pieces.at(-1);
        const endsLine = before === undefined || before.length === 0 || before.at(-1) === 10;
        if (before) pieces.push(Buffer.from(separator ?? (endsLine ? '' : '\n')));
        pieces.push(this.files.content(part));
      }
      return Buffer.concat(pieces);
    };
    const done = await this.files.store(into, joined, {
      origin: `merge: ${names.join(', ')}`,
      check,
      remove: remove ? names.filter((name) => name !== into) : [],
    });
    return publicInfo(done);
  }

  async #info(entry: IndexedEntry): Promise<EntryInfo> {
    return publicInfo(await this.files.counted(entry));
  }
}

/** @throws ScratchpadError `refused` unless the text occurs once, or all of it is to be replaced */
function replacedIn(
  name: string,
  bytes: Buffer,
  { oldString, newString, replaceAll = false }: Exclude<EntryEdit, { content: string }>,
): { bytes: Buffer; matches: number } {
  if (oldString === '') throw wrongMatches(name, 'empty');
  // As latin1, where each byte is a character: bytes that are no text stay as they are.
  const [text, old, by] = [bytes, Buffer.from(oldString), Buffer.from(newString)].map((each) =>
    each.toString('latin1'),
  ) as [string, string, string];
  const parts = text.split(old);
  const matches = parts.length - 1;
  if (matches === 0 || (matches > 1 && !replaceAll)) throw wrongMatches(name, matches, oldString);
  return { bytes: Buffer.from(parts.join(by), 'latin1'), matches };
}

/** @throws ScratchpadError `refused` if there are too many */
async function bytesOf(content: EntrySource): Promise<Buffer> {
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array) return Buffer.from(content);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of content) {
    size += checkChunk(piece).length;
    if (size > MOST_BYTES) throw tooLarge();
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}
