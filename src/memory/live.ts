import { join, resolve } from 'node:path';
import { list, statOf, tryStat } from '../base/fs/index.ts';
import type { BuiltSegment } from './build.ts';
import type { SegmentView } from './collection.ts';
import { DAY } from './dates.ts';
import type { IndexFile } from './index/open.ts';
import { filesOf, type Layer, type OpenedIndex } from './index/store.ts';
import { sameStamp, trusted } from './read.ts';
import { readSegment } from './scan.ts';
import type { SourceFile } from './segment.ts';
import {
  allowedRoots,
  GONE,
  listEvergreen,
  listPath,
  listSources,
  type MemoryFile,
  shownPath,
} from './sources.ts';

/** Up to this many files are all compared at every search, in less than a millisecond. */
const SMALL = 64;
/** More folders than this are left to the full comparison. */
const MOST_FOLDERS = 64;
/** Of more files than this a changed folder is not listed while somebody waits, if another process can. */
const LISTED = 2000;
/** New files that one search reads; more are left to the full comparison. */
const MOST_NEW = 256;

/**
 * An index matched to the current disk: files that changed since it was written are dead in it and are read again
 * into a third segment, in memory.
 */
export class LiveIndex {
  readonly base: IndexFile;
  readonly #workspace: string;
  readonly #include: readonly string[];
  readonly #roots: readonly string[];
  /** The base and, over it, the delta, with the files of each that have changed since. */
  readonly #layers: readonly Layer[];
  /** Files to read again, by path. */
  readonly #fresh = new Map<string, MemoryFile>();
  #folders: Map<string, number>;
  #overlay: BuiltSegment | undefined;
  #changed = false;
  #settled = false;
  #behind = false;

  constructor(opened: OpenedIndex, workspace: string, include: readonly string[] = []) {
    const { base, delta } = opened;
    this.base = base;
    this.#workspace = resolve(workspace);
    this.#include = include;
    this.#roots = allowedRoots(workspace, include);
    const { meta } = delta ?? base;
    const layer = { segment: base, dead: new Set(delta?.meta.dead) };
    this.#layers = delta === undefined ? [layer] : [layer, { segment: delta, dead: new Set() }];
    this.#folders = new Map(meta.folders);
  }

  /** True if the disk differs from the index. */
  get changed(): boolean {
    return this.#changed;
  }

  /**
   * True if some of it must be saved. Files that every search checks and that are too recent to trust are read again
   * by the next one anyway.
   */
  get settled(): boolean {
    return this.#settled;
  }

  /** True if there are new files that only a full comparison will find. */
  get isBehind(): boolean {
    return this.#behind;
  }

  get isSmall(): boolean {
    return this.base.files <= SMALL;
  }

  get folders(): [string, number][] {
    return [...this.#folders];
  }

  /** Files of the base that a new delta replaces. */
  get dead(): number[] {
    return [...(this.#layers[0]?.dead ?? [])];
  }

  /** Paths for a new delta: the valid ones of the old delta, and files changed since. */
  get deltaSources(): string[] {
    return [...filesOf(this.#layers.slice(1)).keys(), ...this.#fresh.keys()];
  }

  /** The content of a new delta, if this search has read all of it. */
  get wholeDelta(): BuiltSegment | undefined {
    const stands = this.#layers.slice(1).some(({ segment, dead }) => segment.files > dead.size);
    return stands || this.#fresh.size === 0 ? undefined : this.#readOverlay();
  }

  views(): SegmentView[] {
    return this.#fresh.size === 0 ? [...this.#layers] : [...this.#layers, { segment: this.#readOverlay() }];
  }

  #readOverlay(): BuiltSegment {
    this.#overlay ??= readSegment(this.#fresh.values());
    return this.#overlay;
  }

  /** True if this segment was read from its files in this search. */
  isFresh(segment: unknown): boolean {
    return segment === this.#overlay;
  }

  /** Compares every file with the disk. */
  checkAll(): void {
    const { sources, folders } = listSources(this.#workspace, this.#include);
    const known = filesOf(this.#layers);
    const before = this.#folders;
    this.#folders = new Map();
    this.#noteFolders(folders);
    // A time that was too recent to trust is worth keeping now.
    if (before.size !== folders.size) this.#changed = true;
    for (const [path, time] of this.#folders) if (before.get(path) !== time) this.#changed = true;
    for (const source of sources) {
      const file = known.get(source.path);
      known.delete(source.path);
      if (file === undefined || !sameStamp(file, source)) this.#replace(source);
    }
    for (const path of known.keys()) this.#lose(path);
    // Found by a check of every file, which the next search does not make.
    if (this.#changed) this.#settled = true;
  }

  /**
   * Compares what changes most often: added and deleted files of every folder, the standard files, recent daily
   * notes; all files if there are few.
   *
   * @param elsewhere whether another process can compare everything, so that this one need not list large folders
   */
  checkHot(now: number, elsewhere = false): void {
    const evergreen = listEvergreen(this.#workspace).sources;
    for (const source of evergreen) this.#compare(source.path, source);
    for (const name of ['MEMORY.md', 'USER.md']) {
      if (!evergreen.some(({ path }) => path === name)) this.#compare(name, undefined);
    }
    const lists = !elsewhere || this.#layers.reduce((sum, { segment }) => sum + segment.files, 0) <= LISTED;
    if (this.#folders.size <= MOST_FOLDERS) {
      for (const [folder, time] of [...this.#folders]) {
        if (lists) this.#checkFolder(folder, time);
        else this.#checkNewNotes(folder, time, now);
      }
      if (!this.#folders.has('memory')) this.#checkFolder('memory', -1);
    }
    for (const extra of this.#include) this.#checkNamed(extra);
    if (this.isSmall) {
      for (const file of filesOf(this.#layers).values()) this.#checkFile(file);
      return;
    }
    const today = Math.floor(now / DAY);
    for (const { segment } of this.#layers) {
      // Yesterday and today in any time zone. `indexOf`, because it looks through ten thousand days at once.
      for (let day = today - 2; day <= today + 1; day++) {
        for (let file = segment.days.indexOf(day); file >= 0; file = segment.days.indexOf(day, file + 1)) {
          this.#checkFile(segment.file(file));
        }
      }
    }
  }

  /** A path named in the config may appear after the index was created. */
  #checkNamed(extra: string): void {
    const path = shownPath(this.#workspace, resolve(this.#workspace, extra));
    if (this.#folders.has(path)) return;
    const { sources, folders } = listPath(this.#workspace, path, this.#roots);
    this.#noteFolders(folders);
    if (sources.length === 0) this.#compare(path, undefined);
    for (const source of this.#newest(sources)) this.#compare(source.path, source);
  }

  #noteFolders(folders: ReadonlyMap<string, number>): void {
    for (const [path, time] of folders) this.#folders.set(path, trusted(time, Date.now()));
  }

  /** The newest of many new files: as many as a search has time to read. */
  #newest(sources: readonly MemoryFile[]): readonly MemoryFile[] {
    if (sources.length <= MOST_NEW) return sources;
    this.#behind = true;
    return [...sources].sort((a, b) => b.mtime - a.mtime).slice(0, MOST_NEW);
  }

  /** In a large folder that has changed, only notes of these days are looked for. */
  #checkNewNotes(folder: string, time: number, now: number): void {
    if (tryStat(resolve(this.#workspace, folder))?.mtimeMs === time) return;
    this.#behind = true;
    for (let day = -1; day <= 1; day++) {
      const date = new Date(now + day * DAY).toISOString().slice(0, 10);
      const path = `${folder}/${date}.md`;
      if (this.#locate(path) === undefined && tryStat(resolve(this.#workspace, path))) this.recheck(path);
    }
  }

  /** A file with unchanged times is the same file, link or not. */
  #checkFile(file: SourceFile): void {
    const stats = tryStat(resolve(this.#workspace, file.path));
    const same = stats && { size: stats.size, mtime: stats.mtimeMs, ctime: stats.ctimeMs };
    if (!same || !sameStamp(file, same)) this.recheck(file.path);
  }

  /** Compares one file with the disk. */
  recheck(path: string): void {
    this.#compare(path, listPath(this.#workspace, path, this.#roots).sources[0]);
  }

  /** Marks a file as changed although only its text shows it. */
  reread(path: string): void {
    const source = listPath(this.#workspace, path, this.#roots).sources[0];
    if (source === undefined) this.#drop(path);
    else this.#replace(source);
    // Found by its text, which the next search may not read.
    this.#settled = true;
  }

  #compare(path: string, source: MemoryFile | undefined): void {
    const known = this.#locate(path);
    if (source === undefined) {
      if (known !== undefined || this.#fresh.has(path)) this.#lose(path);
    } else if (known === undefined ? !this.#fresh.has(path) : !sameStamp(known, source))
      this.#replace(source);
  }

  #checkFolder(folder: string, time: number): void {
    const absolute = resolve(this.#workspace, folder);
    let names: Set<string> | undefined;
    try {
      const mtimeMs = statOf(absolute)?.mtimeMs;
      if (mtimeMs === undefined) throw new Error(GONE);
      if (mtimeMs === time) return;
      const now = trusted(mtimeMs, Date.now());
      this.#folders.set(folder, now);
      if (now !== -1) this.#settle();
      names = new Set(list(absolute));
    } catch {
      if (!this.#folders.delete(folder)) return;
      this.#settle();
    }
    for (const path of filesOf(this.#layers).keys()) {
      if (!path.startsWith(`${folder}/`)) continue;
      const name = path.slice(folder.length + 1);
      if (names?.delete(name) !== true && (names === undefined || !name.includes('/'))) this.#lose(path);
    }
    const added = [...(names ?? [])].filter(
      (name) => !name.startsWith('.') && !this.#folders.has(`${folder}/${name}`),
    );
    if (added.length > MOST_NEW) this.#behind = true;
    // Of dated names these are the newest.
    for (const name of added.sort().slice(-MOST_NEW)) {
      const found = listPath(this.#workspace, join(folder, name), this.#roots);
      for (const source of this.#newest(found.sources)) this.#compare(source.path, source);
      this.#noteFolders(found.folders);
    }
  }

  #settle(): void {
    this.#changed = true;
    this.#settled = true;
  }

  #locate(path: string): SourceFile | undefined {
    for (const { segment, dead } of [...this.#layers].reverse()) {
      const file = segment.fileNumber(path);
      if (file >= 0 && !dead.has(file)) return segment.file(file);
    }
    return undefined;
  }

  #replace(source: MemoryFile): void {
    this.#drop(source.path);
    this.#fresh.set(source.path, source);
    const now = Date.now();
    if (trusted(source.mtime, now) !== -1 && trusted(source.ctime, now) !== -1) this.#settled = true;
  }

  #lose(path: string): void {
    this.#drop(path);
    this.#settled = true;
  }

  #drop(path: string): void {
    for (const { segment, dead } of this.#layers) {
      const file = segment.fileNumber(path);
      if (file >= 0) dead.add(file);
    }
    this.#fresh.delete(path);
    this.#overlay = undefined;
    this.#changed = true;
  }
}
