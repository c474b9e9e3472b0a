import { join, resolve } from 'node:path';
import { list, statOf, tryStat } from '../fs/index.ts';
import { type BuiltSegment, SegmentBuilder } from './build.ts';
import { Collection, type SegmentView } from './collection.ts';
import { DAY } from './dates.ts';
import type { IndexFile } from './index/open.ts';
import type { OpenedIndex } from './index/store.ts';
import { readMemoryFile, sameStamp, stampOf, trusted } from './read.ts';
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
  readonly delta: IndexFile | undefined;
  readonly #workspace: string;
  readonly #include: readonly string[];
  readonly #roots: readonly string[];
  readonly #deadInBase: Set<number>;
  readonly #deadInDelta = new Set<number>();
  /** Files to read again, by path. */
  readonly #fresh = new Map<string, MemoryFile>();
  #folders: Map<string, number>;
  #overlay: BuiltSegment | undefined;
  #changed = false;
  #settled = false;
  #behind = false;

  constructor(opened: OpenedIndex, workspace: string, include: readonly string[] = []) {
    this.base = opened.base;
    this.delta = opened.delta;
    this.#workspace = resolve(workspace);
    this.#include = include;
    this.#roots = allowedRoots(workspace, include);
    const meta = (opened.delta ?? opened.base).meta;
    this.#deadInBase = new Set(opened.delta === undefined ? [] : meta.dead);
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

  get files(): number {
    return new Collection(this.views()).files;
  }

  get passages(): number {
    return new Collection(this.views()).passages;
  }

  get isSmall(): boolean {
    return this.base.files <= SMALL;
  }

  get folders(): [string, number][] {
    return [...this.#folders];
  }

  get dead(): number[] {
    return [...this.#deadInBase];
  }

  /** Paths for a new delta: the valid ones of the old delta, and files changed since. */
  get deltaSources(): string[] {
    const kept = (this.delta?.allFiles() ?? []).filter((_, file) => !this.#deadInDelta.has(file));
    return [...kept.map((file) => file.path), ...this.#fresh.keys()];
  }

  /** The content of a new delta, if this search has read all of it. */
  get wholeDelta(): BuiltSegment | undefined {
    const stands = (this.delta?.files ?? 0) > this.#deadInDelta.size;
    return stands || this.#fresh.size === 0 ? undefined : this.#readOverlay();
  }

  views(): SegmentView[] {
    const views: SegmentView[] = [{ segment: this.base, dead: this.#deadInBase }];
    if (this.delta !== undefined) views.push({ segment: this.delta, dead: this.#deadInDelta });
    if (this.#fresh.size > 0) views.push({ segment: this.#readOverlay() });
    return views;
  }

  #readOverlay(): BuiltSegment {
    this.#overlay ??= this.#readFresh();
    return this.#overlay;
  }

  /** True if this segment was read from its files in this search. */
  isFresh(segment: unknown): boolean {
    return segment === this.#overlay;
  }

  /** Compares every file with the disk. */
  checkAll(): void {
    const listing = listSources(this.#workspace, this.#include);
    const known = this.#knownFiles();
    const now = Date.now();
    const before = this.#folders;
    this.#folders = new Map([...listing.folders].map(([path, time]) => [path, trusted(time, now)]));
    // A time that was too recent to trust, or of a folder without memory files, is worth keeping.
    if (before.size !== this.#folders.size) this.#changed = true;
    for (const [path, time] of this.#folders) if (before.get(path) !== time) this.#changed = true;
    for (const source of listing.sources) {
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
    const lists = !elsewhere || this.base.files + (this.delta?.files ?? 0) <= LISTED;
    if (this.#folders.size <= MOST_FOLDERS) {
      for (const [folder, time] of [...this.#folders]) {
        if (lists) this.#checkFolder(folder, time);
        else this.#checkNewNotes(folder, time, now);
      }
      if (!this.#folders.has('memory')) this.#checkFolder('memory', -1);
    }
    for (const extra of this.#include) this.#checkNamed(extra);
    if (this.isSmall) {
      for (const file of this.#knownFiles().values()) this.#checkFile(file);
      return;
    }
    const today = Math.floor(now / DAY);
    for (const segment of [this.base, this.delta]) {
      if (segment === undefined) continue;
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
    for (const [folder, time] of folders) this.#folders.set(folder, trusted(time, Date.now()));
    if (sources.length === 0) this.#compare(path, undefined);
    for (const source of this.#newest(sources)) this.#compare(source.path, source);
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
    // Deleted or excluded: the full comparison decides.
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
      if (now !== -1) {
        this.#changed = true;
        this.#settled = true;
      }
      names = new Set(list(absolute));
    } catch {
      if (!this.#folders.delete(folder)) return;
      this.#changed = true;
      this.#settled = true;
    }
    for (const path of this.#knownFiles().keys()) {
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
      for (const [inner, innerTime] of found.folders)
        this.#folders.set(inner, trusted(innerTime, Date.now()));
    }
  }

  #locate(path: string): SourceFile | undefined {
    const inDelta = this.delta?.fileNumber(path) ?? -1;
    if (inDelta >= 0 && !this.#deadInDelta.has(inDelta)) return this.delta?.file(inDelta);
    const inBase = this.base.fileNumber(path);
    return inBase >= 0 && !this.#deadInBase.has(inBase) ? this.base.file(inBase) : undefined;
  }

  #knownFiles(): Map<string, SourceFile> {
    const known = new Map<string, SourceFile>();
    this.base.allFiles().forEach((each, file) => {
      if (!this.#deadInBase.has(file)) known.set(each.path, each);
    });
    this.delta?.allFiles().forEach((each, file) => {
      if (!this.#deadInDelta.has(file)) known.set(each.path, each);
    });
    return known;
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
    const inBase = this.base.fileNumber(path);
    if (inBase >= 0) this.#deadInBase.add(inBase);
    const inDelta = this.delta?.fileNumber(path) ?? -1;
    if (inDelta >= 0) this.#deadInDelta.add(inDelta);
    this.#fresh.delete(path);
    this.#overlay = undefined;
    this.#changed = true;
  }

  #readFresh(): BuiltSegment {
    const builder = new SegmentBuilder();
    for (const source of this.#fresh.values()) {
      const read = readMemoryFile(source.real);
      builder.add(stampOf(source.path, 'text' in read ? read : source), 'text' in read ? read.text : '');
    }
    return builder.build();
  }
}
