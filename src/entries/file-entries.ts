import { join } from 'node:path';
import { exists, linkOrCopy } from '../base/fs/index.ts';
import type { Actor } from '../session/actor.ts';
import type { SessionPaths } from '../session/workspace.ts';
import { charactersIn, decoded, slice } from './contents.ts';
import { EntryFiles, find, found, publicInfo } from './entry-files.ts';
import { bringBack, type EntryIndex, type IndexedEntry, MOST_PAST_BYTES } from './index-file.ts';
import { compilePattern } from './pattern.ts';
import {
  bytesOf,
  checkCount,
  checkEdit,
  checkEntryName,
  noEntry,
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
  EntryText,
  PastEntryInfo,
  ReadRange,
  SearchOptions,
  WriteOptions,
} from './types.ts';

/** Characters of an entry that one call returns, unless it asks for more. */
export const READ_LIMIT = 30_000;

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
    return this.files.index().entries.map((entry) => this.#info(entry));
  }

  async info(name: string): Promise<EntryInfo> {
    return this.#info(this.files.entry(checkEntryName(name)));
  }

  async write(name: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<EntryInfo> {
    this.files.mayWrite(name);
    const { origin = 'write', append: contained = false } = options;
    const bytes = bytesOf(content);
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
    const { characters: total } = this.files.counted(entry);
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

  async bytes(name: string): Promise<Buffer> {
    return this.files.read(checkEntryName(name)).bytes;
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

  #info(entry: IndexedEntry): EntryInfo {
    return publicInfo(this.files.counted(entry));
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

export interface LendOptions {
  /** Which entries; all if not given. */
  names?: readonly string[];
  /** The session that lends them: they are read-only then. If not given they are copies. */
  lentBy?: string;
}

/**
 * Gives another session entries of this one. Contents never change, so both sessions may name the same file
 * (a hard link): nothing is copied, and later changes in one session do not affect the other.
 * @throws ScratchpadError `refused` if an entry does not exist; nothing is given then
 */
export async function giveEntries(
  from: FileEntries,
  to: FileEntries,
  options: LendOptions = {},
): Promise<number> {
  const { entries } = from.files.index();
  const { names = entries.map(({ name }) => name), lentBy } = options;
  const given = names.map((name) => {
    const entry = entries.find((candidate) => candidate.name === name);
    if (!entry) throw noEntry(name, entries);
    return entry;
  });
  if (given.length === 0) return 0;
  await to.files.change((index) => {
    const linked = given.map(({ owner: _, ...entry }): IndexedEntry => {
      const target = join(to.files.dir, entry.file);
      if (!exists(target)) linkOrCopy(join(from.files.dir, entry.file), target);
      return lentBy === undefined ? entry : { ...entry, origin: `lent by ${lentBy}`, readOnly: true };
    });
    index.entries = [...index.entries.filter(({ name }) => !names.includes(name)), ...linked];
  });
  return given.length;
}
