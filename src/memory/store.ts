import { dirname, join, resolve } from 'node:path';
import { attempt } from '../base/errors.ts';
import {
  DATA_DIR,
  ensureFolder,
  exists,
  type HeldLock,
  isInside,
  PAD_FILE,
  resolveRealPath,
  sweepTemporary,
  tryLock,
  tryStat,
  writeAtomically,
} from '../base/fs/index.ts';
import { DAY_MS } from '../base/text/durations.ts';
import { hashText } from '../base/text/strings.ts';
import { readSegment } from './build.ts';
import { BrokenIndex, readValue, writeValue } from './packed.ts';
import { isSameStamp } from './read.ts';
import { Segment, type SegmentData, type SegmentView } from './segment.ts';
import {
  EVERGREEN,
  formatPath,
  listAllowedRoots,
  listFiles,
  listNames,
  listSources,
  type MemoryFile,
} from './sources.ts';

/** Changes with the layout, and with all that affects terms: tokenizer, stems, stopwords, passages, flags. */
const VERSION = 15;

export interface Index {
  data: SegmentData;
  /** Folders that were listed: path and modification time in milliseconds; -1 if it was too recent to trust. */
  folders: [string, number][];
  leftOut: [string, number][];
}

export interface IndexLocation {
  workspace: string;
  include?: readonly string[] | undefined;
}

/** The files of a workspace's index. Their names depend on sources added by the config. */
export class IndexStore {
  readonly base: string;
  readonly #folder: string;
  readonly #name: string;

  constructor({ workspace, include = [] }: IndexLocation) {
    this.#folder = join(resolve(workspace), DATA_DIR, 'index');
    const sources = hashText(include.join('\0')).toString(16).padStart(8, '0');
    this.#name = include.length === 0 ? 'memory' : `memory-${sources}`;
    this.base = this.path('base');
  }

  path(part: string): string {
    return join(this.#folder, `${this.#name}.${part}`);
  }

  /** @throws BrokenIndex */
  load(): Index | undefined {
    const value = readValue(this.base) as { version?: number; index: Index } | undefined;
    if (value !== undefined && value.version !== VERSION) throw new BrokenIndex('of another version');
    return value?.index;
  }

  /** Undefined also if it is damaged. */
  read(): Index | undefined {
    return attempt(() => this.load());
  }

  /** A search leaves nothing in a folder that is no workspace. */
  get isWritable(): boolean {
    const data = dirname(this.#folder);
    return exists(data) || exists(join(dirname(data), PAD_FILE));
  }

  /** Replaces the index. False if another process is writing or the folder is not writable. */
  save(index: Index): boolean {
    let lock: HeldLock | undefined;
    try {
      this.createFolder();
      // Skip if another process is faster: it writes the same data.
      lock = tryLock(this.path('lock'));
      if (!lock) return false;

      writeValue(this.base, { version: VERSION, index });
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

  sinceChecked(): number {
    const stats = tryStat(this.path('checked'));
    return stats === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Date.now() - stats.mtimeMs);
  }

  markChecked(): void {
    try {
      if (exists(dirname(this.#folder))) ensureFolder(this.#folder);
      writeAtomically(this.path('checked'), '', { durable: false });
    } catch {
      // If this cannot be written the next search compares again.
    }
  }

  createFolder(): void {
    ensureFolder(this.#folder);
  }
}

/** Up to this many files are all compared at every search; of a larger memory what changes most often. */
const SMALL = 500;
/** More changed files than this, or larger ones, are worth making the index anew: each search reads them. */
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

  constructor({ data, folders }: Index, { workspace, include = [] }: IndexLocation) {
    this.segment = new Segment(data);
    this.#workspace = resolve(workspace);
    this.#include = include;
    this.#folders = new Map(folders);
  }

  get isSmall(): boolean {
    return this.segment.files <= SMALL;
  }

  get isBehind(): boolean {
    const bytes = this.#changedFiles().reduce((sum, { size }) => sum + size, 0);
    return this.changed.size > MOST_CHANGED || bytes > MOST_CHANGED_BYTES;
  }

  /** @param most so many changed files are read, the newest */
  views(most: number): SegmentView[] {
    if (this.changed.size === 0) return [{ segment: this.segment }];

    const dead = [...this.changed.keys()].map((path) => this.segment.fileNumber(path));
    const newestFirst = this.#changedFiles().sort((a, b) => b.mtime - a.mtime);

    return [
      { segment: this.segment, dead: new Set(dead.filter((file) => file >= 0)) },
      { segment: readSegment(newestFirst.slice(0, most)), isFresh: true },
    ];
  }

  compareAll(): void {
    const { sources } = listSources(this.#workspace, this.#include);
    const found = new Map(sources.map((source) => [source.path, source]));
    for (let file = 0; file < this.segment.files; file++) {
      const path = this.segment.path(file);
      if (!found.has(path)) this.changed.set(path, undefined);
    }

    for (const [path, source] of found) this.#compareFile(path, source);
  }

  /**
   * Compares what changes most often: the standard files, notes of these days, and what is new in a folder.
   * @returns whether a folder has changed since the index was made: each search has to list it again
   */
  compareHot(now: number): boolean {
    const moved = this.movedFolders();
    const named = [...EVERGREEN, ...this.#include, ...listNearbyNotes(now, ['memory', ...moved])];
    const arrived = moved
      .flatMap((folder) => listNames(resolve(this.#workspace, folder)).map((name) => `${folder}/${name}`))
      .filter((path) => this.segment.fileNumber(path) < 0);
    const hot = [...named.map((name) => this.#shown(name)), ...arrived];
    const paths = new Set(hot.filter((path) => !this.#folders.has(path)));
    const found = new Map(this.#sourcesAt([...paths]).map((source) => [source.path, source]));

    for (const path of [...paths, ...found.keys()]) this.#compareFile(path, found.get(path));

    return moved.length > 0;
  }

  movedFolders(): string[] {
    const roots = listAllowedRoots(this.#workspace, this.#include);
    const named = ['memory', ...this.#include].map((name) => resolve(this.#workspace, name));
    const inside = named.filter((path) => {
      const real = resolveRealPath(path);
      return real !== undefined && roots.some((root) => isInside(root, real)) && tryStat(path)?.isDirectory();
    });
    const all = new Set([...this.#folders.keys(), ...inside.map((path) => this.#shown(path))]);

    return [...all].filter(
      (path) => tryStat(resolve(this.#workspace, path))?.mtimeMs !== this.#folders.get(path),
    );
  }

  #changedFiles = (): MemoryFile[] => [...this.changed.values()].filter((file) => file !== undefined);

  #shown = (name: string): string => formatPath(this.#workspace, resolve(this.#workspace, name));

  #sourcesAt = (paths: readonly string[]): MemoryFile[] => listFiles(this.#workspace, this.#include, paths);

  #compareFile(path: string, source: MemoryFile | undefined): void {
    const file = this.segment.fileNumber(path);
    const isAsKnown = file < 0 ? !source : source && isSameStamp(this.segment.file(file), source);
    if (!isAsKnown) this.changed.set(path, source);
  }
}

function listNearbyNotes(now: number, folders: readonly string[]): string[] {
  const dates = [-2, -1, 0, 1].map((days) => new Date(now + days * DAY_MS).toISOString().slice(0, 10));
  return dates.flatMap((date) => folders.map((folder) => `${folder}/${date}.md`));
}
