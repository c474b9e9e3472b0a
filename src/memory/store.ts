import { dirname, join, resolve } from 'node:path';
import {
  DATA_DIR,
  ensureFolder,
  exists,
  type Held,
  sweepTemporary,
  tryLock,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../base/fs/index.ts';
import { hashText } from '../base/text/hash.ts';
import type { BuiltSegment } from './build.ts';
import { CheckedFile, writeChecked } from './checked-file.ts';
import { Segment, type SegmentHead, type Stamp } from './segment.ts';

/** More files that differ from the index than this, or larger ones, are worth making it anew: each search reads them. */
const MOST_CHANGED = 64;
const MOST_CHANGED_BYTES = 1024 * 1024;

/** The listing that an index was made from. */
export interface IndexMeta {
  /** Folders that were listed: path and modification time in milliseconds; -1 if it was too recent to trust. */
  folders: [string, number][];
  leftOut: [string, number][];
  /** Epoch milliseconds of the listing. */
  checked: number;
}

/** Files that differ from the index: those to read anew with their stamps, deleted ones without. */
export interface Changes {
  folders: [string, number][];
  files: [string, Stamp | undefined][];
}

/** The index of one workspace on disk, and what has changed since. */
export interface OpenedIndex {
  segment: Segment;
  meta: IndexMeta;
  /** Of the file. */
  id: number;
  bytes: number;
  changes: Changes | undefined;
  /** @throws BrokenIndex */
  verify(): void;
  close(): void;
}

/** The files of a workspace's index. Their names depend on sources added by the config. */
export class IndexStore {
  readonly folder: string;
  readonly basePath: string;
  readonly changesPath: string;
  readonly #name: string;
  readonly #checkedPath: string;

  constructor(workspace: string, include: readonly string[] = []) {
    this.folder = join(resolve(workspace), DATA_DIR, 'index');
    const sources = hashText(include.join('\0')).toString(16).padStart(8, '0');
    this.#name = include.length === 0 ? 'memory' : `memory-${sources}`;
    this.basePath = this.path('base');
    this.changesPath = this.path('changes');
    this.#checkedPath = this.path('checked');
  }

  /** Path of a part of this index. */
  path(part: string): string {
    return join(this.folder, `${this.#name}.${part}`);
  }

  /**
   * Undefined if there is no index.
   * @throws BrokenIndex
   */
  open(): OpenedIndex | undefined {
    const base = CheckedFile.open<{ segment: SegmentHead; meta: IndexMeta }>(this.basePath);
    if (base === undefined) return undefined;
    try {
      const changes = CheckedFile.open<Changes & { of: number }>(this.changesPath);
      changes?.close();
      const { head, id, bytes } = base;
      return {
        segment: new Segment(head.segment, base),
        meta: head.meta,
        id,
        bytes: bytes + (changes?.bytes ?? 0),
        // Those of another index were left by a process that was killed.
        changes: changes?.head.of === id ? changes.head : undefined,
        verify: () => base.verify(),
        close: () => base.close(),
      };
    } catch (error) {
      base.close();
      throw error;
    }
  }

  /** Deletes the index, because it cannot be trusted. */
  discard(): void {
    // A folder that is not writable keeps its broken index; every search then scans.
    tryRemove(this.basePath);
    tryRemove(this.changesPath);
  }

  /** Replaces the index. False if another process is writing or the folder is not writable. */
  save({ head, body }: BuiltSegment, meta: IndexMeta): boolean {
    return this.#write(() => {
      writeChecked(this.basePath, { segment: head, meta }, body);
      tryRemove(this.changesPath);
      tryRemove(this.path('delta'));
      sweepTemporary(this.folder);
    });
  }

  /** Writes down what differs from the index; false if that is too much for a search to read. */
  saveChanges({ folders, files }: Changes, of: number): boolean {
    const bytes = files.reduce((sum, [, stamp]) => sum + (stamp?.size ?? 0), 0);
    if (files.length > MOST_CHANGED || bytes > MOST_CHANGED_BYTES) return false;
    this.#write(() => writeChecked(this.changesPath, { folders, files, of }));
    return true;
  }

  #write(write: () => void): boolean {
    let lock: Held | undefined;
    try {
      this.createFolder();
      // Skip if another process is faster: it writes the same data.
      lock = tryLock(this.path('lock'));
      if (!lock) return false;
      write();
      return true;
    } catch {
      // An index is optional: without space or permission the search scans.
      return false;
    } finally {
      lock?.release();
    }
  }

  /** Milliseconds since the last full comparison with the files. */
  sinceChecked(now: number): number {
    const stats = tryStat(this.#checkedPath);
    return stats === undefined ? Number.POSITIVE_INFINITY : Math.max(0, now - stats.mtimeMs);
  }

  markChecked(): void {
    try {
      if (exists(dirname(this.folder))) ensureFolder(this.folder);
      writeAtomically(this.#checkedPath, '', { durable: false });
    } catch {
      // If this cannot be written the next search compares again.
    }
  }

  createFolder(): void {
    ensureFolder(this.folder);
  }
}
