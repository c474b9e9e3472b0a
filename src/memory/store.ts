import { dirname, join, resolve } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import {
  DATA_DIR,
  ensureFolder,
  exists,
  type Held,
  isInside,
  readBytes,
  realPathOf,
  sweepTemporary,
  tryLock,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../base/fs/index.ts';
import { hashText } from '../base/text/strings.ts';
import { readSegment } from './build.ts';
import { DAY } from './dates.ts';
import { sameStamp } from './read.ts';
import { Segment, type SegmentData, type SegmentView } from './segment.ts';
import { allowedRoots, EVERGREEN, listFiles, listSources, type MemoryFile, shownPath } from './sources.ts';

/** A snapshot of all memory files. */
export interface Index {
  data: SegmentData;
  /** Folders that were listed: path and modification time in milliseconds; -1 if it was too recent to trust. */
  folders: [string, number][];
  leftOut: [string, number][];
  /** Epoch milliseconds of the listing. */
  checked: number;
}

export interface Place {
  workspace: string;
  include?: readonly string[] | undefined;
}

/** The files of a workspace's index. Their names depend on sources added by the config. */
export class IndexStore {
  readonly base: string;
  readonly #folder: string;
  readonly #name: string;
  readonly #checked: string;

  constructor({ workspace, include = [] }: Place) {
    this.#folder = join(resolve(workspace), DATA_DIR, 'index');
    const sources = hashText(include.join('\0')).toString(16).padStart(8, '0');
    this.#name = include.length === 0 ? 'memory' : `memory-${sources}`;
    this.base = this.path('base');
    this.#checked = this.path('checked');
  }

  path(part: string): string {
    return join(this.#folder, `${this.#name}.${part}`);
  }

  /** Undefined also if it is damaged. */
  read(): Index | undefined {
    return tryReadValue(this.base) as Index | undefined;
  }

  /** Replaces the index. False if another process is writing or the folder is not writable. */
  save(index: Index): boolean {
    let lock: Held | undefined;
    try {
      this.createFolder();
      // Skip if another process is faster: it writes the same data.
      lock = tryLock(this.path('lock'));
      if (!lock) return false;
      writeValue(this.base, index);
      // Of earlier versions.
      for (const part of ['changes', 'delta']) tryRemove(this.path(part));
      sweepTemporary(this.#folder);
      this.markChecked();
      return true;
    } catch {
      // An index is optional: without space or permission the search scans.
      return false;
    } finally {
      lock?.release();
    }
  }

  /** Milliseconds since the last full comparison with the files. */
  sinceChecked(): number {
    const stats = tryStat(this.#checked);
    return stats === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Date.now() - stats.mtimeMs);
  }

  markChecked(): void {
    try {
      if (exists(dirname(this.#folder))) ensureFolder(this.#folder);
      writeAtomically(this.#checked, '', { durable: false });
    } catch {
      // If this cannot be written the next search compares again.
    }
  }

  createFolder(): void {
    ensureFolder(this.#folder);
  }
}

/** Changes with the layout, and with all that affects terms: tokenizer, stems, stopwords, passages, flags. */
const FORMAT = 0x53504d0b;
/** Bytes before the value: format, check value. */
const HEAD = 8;

/** A file beside the memory has changed or is of another version: it is to be made again. */
export class BrokenIndex extends Error {
  constructor(what: string) {
    super(`index: ${what}`);
    this.name = 'BrokenIndex';
  }
}

export function writeValue(path: string, value: unknown): void {
  const bytes = serialize(value);
  const head = new Uint8Array(Uint32Array.of(FORMAT, crc32(bytes)).buffer);
  writeAtomically(path, Buffer.concat([head, bytes]), { durable: false });
}

/**
 * The value in a file; undefined if there is none.
 * @throws BrokenIndex
 */
export function readValue(path: string): unknown {
  try {
    const bytes = readBytes(path, 'index');
    if (bytes === undefined) return undefined;
    const [format, check] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
    if (format !== FORMAT) throw new BrokenIndex('of another version');
    if (crc32(bytes.subarray(HEAD)) !== check) throw new BrokenIndex('damaged');
    return deserialize(bytes.subarray(HEAD));
  } catch (error) {
    throw error instanceof BrokenIndex ? error : new BrokenIndex(String(error));
  }
}

/** The value in a file, if there is a sound one. */
export function tryReadValue(path: string): unknown {
  try {
    return readValue(path);
  } catch {
    return undefined;
  }
}

/** Up to this many files are all compared at every search, in less than a millisecond. */
const SMALL = 64;
/** A memory of more files than this is not listed while somebody waits, if another process can. */
const LISTED = 2000;
/** New or changed files that one search reads; more are left to the full comparison. */
const MOST_NEW = 256;
/** More files that differ from the index than this, or larger ones, are worth making it anew: each search reads them. */
const MOST_CHANGED = 16;
const MOST_CHANGED_BYTES = 256 * 1024;

/** An index matched to the current disk: files that changed since it was written are dead in it and are read anew. */
export class LiveIndex {
  readonly segment: Segment;
  /** Files that differ from the index; those that are gone without a value. */
  readonly changed = new Map<string, MemoryFile | undefined>();
  readonly #workspace: string;
  readonly #include: readonly string[];
  readonly #folders: ReadonlyMap<string, number>;
  #fresh: Segment | undefined;
  /** Whether only another index will have what is new. */
  #lacks = false;

  constructor({ data, folders }: Index, { workspace, include = [] }: Place) {
    this.segment = new Segment(data);
    this.#workspace = resolve(workspace);
    this.#include = include;
    this.#folders = new Map(folders);
  }

  get isSmall(): boolean {
    return this.segment.files <= SMALL;
  }

  /** Whether the index should be made anew. */
  get isBehind(): boolean {
    const bytes = [...this.changed.values()].reduce((sum, file) => sum + (file?.size ?? 0), 0);
    return this.#lacks || this.changed.size > MOST_CHANGED || bytes > MOST_CHANGED_BYTES;
  }

  views(): SegmentView[] {
    if (this.changed.size === 0) return [{ segment: this.segment }];
    const dead = [...this.changed.keys()].map((path) => this.segment.fileNumber(path));
    this.#fresh ??= readSegment([...this.changed.values()].filter((file) => file !== undefined));
    return [
      { segment: this.segment, dead: new Set(dead.filter((file) => file >= 0)) },
      { segment: this.#fresh, isFresh: true },
    ];
  }

  compareAll(): void {
    const { sources } = listSources(this.#workspace, this.#include);
    const found = new Set(sources.map(({ path }) => path));
    for (let file = 0; file < this.segment.files; file++) {
      const path = this.segment.path(file);
      if (!found.has(path)) this.#set(path, undefined);
    }
    const changed = sources.filter((source) => !this.#isAsKnown(source.path, source));
    this.#lacks = changed.length > MOST_NEW;
    const newest = this.#lacks ? changed.sort((a, b) => b.mtime - a.mtime).slice(0, MOST_NEW) : changed;
    for (const source of newest) this.#set(source.path, source);
  }

  /**
   * Compares what changes most often: folders with their new and deleted files, the standard files, notes of these
   * days; all files if there are few.
   *
   * @param elsewhere whether another process can make the index anew, so that this one need not list large folders
   */
  compareHot(now: number, elsewhere: boolean): void {
    const moved = this.movedFolders();
    const isListed = moved.length > 0 && (!elsewhere || this.segment.files <= LISTED);
    if (this.isSmall || isListed) this.compareAll();
    else {
      const hot = [...EVERGREEN, ...this.#include, ...notesNear(now, ['memory', ...moved])];
      const paths = new Set(hot.map((name) => this.#shown(name)));
      const found = new Map(this.#sourcesAt([...paths]).map((source) => [source.path, source]));
      for (const path of paths) this.#compare(path, found.get(path));
    }
    this.#lacks ||= elsewhere && moved.length > 0 && !this.isSmall;
  }

  /** Reads a file anew although its times are as known: its text is not. */
  reread(path: string): void {
    this.#set(path, this.#sourcesAt([path])[0]);
    this.#lacks = true;
  }

  /** Folders that have changed since they were listed, and new ones that should be. */
  movedFolders(): string[] {
    const roots = allowedRoots(this.#workspace, this.#include);
    const named = ['memory', ...this.#include].map((name) => resolve(this.#workspace, name));
    const inside = named.filter((path) => {
      const real = realPathOf(path);
      return real !== undefined && roots.some((root) => isInside(root, real)) && tryStat(path)?.isDirectory();
    });
    const all = new Set([...this.#folders.keys(), ...inside.map((path) => this.#shown(path))]);
    return [...all].filter(
      (path) => tryStat(resolve(this.#workspace, path))?.mtimeMs !== this.#folders.get(path),
    );
  }

  #shown(name: string): string {
    return shownPath(this.#workspace, resolve(this.#workspace, name));
  }

  #sourcesAt(paths: readonly string[]): MemoryFile[] {
    return listFiles(this.#workspace, this.#include, paths);
  }

  #compare(path: string, source: MemoryFile | undefined): void {
    if (!this.#isAsKnown(path, source)) this.#set(path, source);
  }

  #isAsKnown(path: string, source: MemoryFile | undefined): boolean {
    const file = this.segment.fileNumber(path);
    if (file < 0 || source === undefined) return file < 0 && source === undefined;
    return sameStamp(this.segment.file(file), source);
  }

  #set(path: string, source: MemoryFile | undefined): void {
    this.changed.set(path, source);
    this.#fresh = undefined;
  }
}

/** Notes of yesterday to tomorrow in any time zone. */
function notesNear(now: number, folders: readonly string[]): string[] {
  const dates = [-2, -1, 0, 1].map((days) => new Date(now + days * DAY).toISOString().slice(0, 10));
  return dates.flatMap((date) => folders.map((folder) => `${folder}/${date}.md`));
}
