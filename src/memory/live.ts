import { resolve } from 'node:path';
import { isInside, realPathOf, tryStat } from '../base/fs/index.ts';
import { readSegment } from './build.ts';
import { DAY } from './dates.ts';
import { sameStamp, trusted } from './read.ts';
import type { Segment, SegmentView, Stamp } from './segment.ts';
import {
  allowedRoots,
  EVERGREEN,
  listEvergreen,
  listPath,
  listSources,
  type MemoryFile,
  shownPath,
} from './sources.ts';
import type { Changes, OpenedIndex } from './store.ts';

/** Up to this many files are all compared at every search, in less than a millisecond. */
const SMALL = 64;
/** A memory of more files than this is not listed while somebody waits, if another process can. */
const LISTED = 2000;
/** New or changed files that one search reads; more are left to the full comparison. */
const MOST_NEW = 256;

/** An index matched to the current disk: files that changed since it was written are dead in it and are read anew. */
export class LiveIndex {
  readonly segment: Segment;
  readonly #workspace: string;
  readonly #include: readonly string[];
  readonly #roots: readonly string[];
  /** Files that differ from the index; without a stamp one that is gone. */
  readonly #changed: Map<string, Stamp | undefined>;
  #folders: Map<string, number>;
  #fresh: Segment | undefined;
  /** Whether more has changed than is written down. */
  isChanged = false;
  /** Whether there are new files that only a full comparison, or a new index, will find. */
  isBehind = false;

  constructor({ segment, meta, changes }: OpenedIndex, workspace: string, include: readonly string[] = []) {
    this.segment = segment;
    this.#workspace = resolve(workspace);
    this.#include = include;
    this.#roots = allowedRoots(workspace, include);
    this.#changed = new Map(changes?.files);
    this.#folders = new Map((changes ?? meta).folders);
  }

  get isSmall(): boolean {
    return this.segment.files <= SMALL;
  }

  get changes(): Changes {
    return { folders: [...this.#folders], files: [...this.#changed] };
  }

  views(): SegmentView[] {
    if (this.#changed.size === 0) return [{ segment: this.segment }];
    const dead = [...this.#changed.keys()].map((path) => this.segment.fileNumber(path));
    this.#fresh ??= readSegment(
      [...this.#changed].flatMap(([path, stamp]) => (stamp === undefined ? [] : this.#sourcesAt(path))),
    );
    return [
      { segment: this.segment, dead: new Set(dead.filter((file) => file >= 0)) },
      { segment: this.#fresh, isFresh: true },
    ];
  }

  checkAll(): void {
    const { sources, folders } = listSources(this.#workspace, this.#include);
    const before = this.#folders;
    this.#folders = new Map([...folders].map(([path, time]) => [path, trusted(time, Date.now())]));
    this.isChanged ||=
      before.size !== folders.size || [...this.#folders].some(([path, time]) => before.get(path) !== time);
    const found = new Set(sources.map(({ path }) => path));
    const known = Array.from({ length: this.segment.files }, (_, file) => this.segment.path(file));
    for (const path of [...known, ...this.#changed.keys()])
      if (!found.has(path)) this.#compare(path, undefined);
    const changed = sources.filter((source) => !this.#isAsKnown(source.path, source));
    this.isBehind = changed.length > MOST_NEW;
    if (this.isBehind) changed.sort((a, b) => b.mtime - a.mtime).splice(MOST_NEW);
    for (const source of changed) this.#compare(source.path, source);
  }

  /**
   * Compares what changes most often: folders with their new and deleted files, the standard files, notes of these
   * days; all files if there are few.
   *
   * @param elsewhere whether another process can compare everything, so that this one need not list large folders
   */
  checkHot(now: number, elsewhere: boolean): void {
    const moved = this.#movedFolders();
    if (this.isSmall || (moved.length > 0 && (!elsewhere || this.segment.files <= LISTED))) {
      this.checkAll();
      return;
    }
    this.isBehind = moved.length > 0;
    const evergreen = new Map(listEvergreen(this.#workspace).sources.map((source) => [source.path, source]));
    for (const path of EVERGREEN) this.#compare(path, evergreen.get(path));
    const named = this.#include.map((extra) => shownPath(this.#workspace, resolve(this.#workspace, extra)));
    const hot = new Set([...named, ...this.#changed.keys(), ...this.#notesNear(now, moved)]);
    for (const path of hot) if (!EVERGREEN.includes(path)) this.#recheck(path);
  }

  /** Folders that have changed since they were listed, and new ones that should be. */
  #movedFolders(): string[] {
    const named = ['memory', ...this.#include].map((name) => resolve(this.#workspace, name));
    const inside = named.filter((path) => {
      const real = realPathOf(path);
      return real !== undefined && this.#roots.some((root) => isInside(root, real)) && isFolder(path);
    });
    const all = new Set([...this.#folders.keys(), ...inside.map((path) => shownPath(this.#workspace, path))]);
    return [...all].filter(
      (path) => tryStat(resolve(this.#workspace, path))?.mtimeMs !== this.#folders.get(path),
    );
  }

  /** Notes of yesterday to tomorrow in any time zone. */
  #notesNear(now: number, folders: readonly string[]): string[] {
    const dates = [-2, -1, 0, 1].map((days) => new Date(now + days * DAY).toISOString().slice(0, 10));
    return dates.flatMap((date) => ['memory', ...folders].map((folder) => `${folder}/${date}.md`));
  }

  /** Reads a file anew although its times are as known: its text is not. */
  reread(path: string): void {
    const [source] = this.#sourcesAt(path);
    this.#set(path, source);
  }

  /** A file with unchanged times is the same file, link or not. */
  #recheck(path: string): void {
    const stats = tryStat(resolve(this.#workspace, path));
    const stamp = stats?.isFile() && { size: stats.size, mtime: stats.mtimeMs, ctime: stats.ctimeMs };
    if (stamp && this.#isAsKnown(path, stamp)) return;
    this.#compare(path, stats?.isFile() ? this.#sourcesAt(path)[0] : undefined);
  }

  #compare(path: string, source: MemoryFile | undefined): void {
    if (!this.#isAsKnown(path, source)) this.#set(path, source);
  }

  #isAsKnown(path: string, stamp: Stamp | undefined): boolean {
    const file = this.segment.fileNumber(path);
    const known = this.#changed.has(path)
      ? this.#changed.get(path)
      : file < 0
        ? undefined
        : this.segment.file(file);
    return known === undefined || stamp === undefined ? known === stamp : sameStamp(known, stamp);
  }

  #set(path: string, source: Stamp | undefined): void {
    const now = Date.now();
    this.#changed.set(
      path,
      source && { size: source.size, mtime: trusted(source.mtime, now), ctime: trusted(source.ctime, now) },
    );
    this.#fresh = undefined;
    this.isChanged = true;
  }

  #sourcesAt(path: string): MemoryFile[] {
    return listPath(this.#workspace, path, this.#roots).sources;
  }
}

function isFolder(path: string): boolean {
  return tryStat(path)?.isDirectory() === true;
}
