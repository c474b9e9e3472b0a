import { dirname, join, resolve } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import {
  bytesAt,
  DATA_DIR,
  ensureFolder,
  exists,
  type Held,
  type OpenFile,
  openFile,
  sweepTemporary,
  tryLock,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../base/fs/index.ts';
import { hashText } from '../base/text/strings.ts';
import type { BuiltSegment } from './build.ts';
import { type Body, Segment, type SegmentHead, type Stamp } from './segment.ts';

/** More files that differ from the index than this, or larger ones, are worth making it anew: each search reads them. */
const MOST_CHANGED = 64;
const MOST_CHANGED_BYTES = 1024 * 1024;

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

  path(part: string): string {
    return join(this.folder, `${this.#name}.${part}`);
  }

  /**
   * Undefined if there is no index.
   * @throws BrokenIndex
   */
  open(): OpenedIndex | undefined {
    const base = ValueFile.open(this.basePath);
    if (base === undefined) return undefined;
    try {
      const changes = readValue(this.changesPath) as (Changes & { of: number }) | undefined;
      const { segment, meta } = base.value as { segment: SegmentHead; meta: IndexMeta };
      const { id, bytes } = base;
      return {
        segment: new Segment(segment, base),
        meta,
        id,
        bytes,
        // Those of another index were left by a process that was killed.
        changes: changes?.of === id ? changes : undefined,
        verify: () => base.verify(),
        close: () => base.close(),
      };
    } catch (error) {
      base.close();
      throw error;
    }
  }

  discard(): void {
    // A folder that is not writable keeps its broken index; every search then scans.
    tryRemove(this.basePath);
    tryRemove(this.changesPath);
  }

  /** Replaces the index. False if another process is writing or the folder is not writable. */
  save({ head, body }: BuiltSegment, meta: IndexMeta): boolean {
    return this.#write(() => {
      writeValue(this.basePath, { segment: head, meta }, body);
      tryRemove(this.changesPath);
      tryRemove(this.path('delta'));
      sweepTemporary(this.folder);
    });
  }

  /** Writes down what differs from the index; false if that is too much for a search to read. */
  saveChanges({ folders, files }: Changes, of: number): boolean {
    const bytes = files.reduce((sum, [, stamp]) => sum + (stamp?.size ?? 0), 0);
    if (files.length > MOST_CHANGED || bytes > MOST_CHANGED_BYTES) return false;
    this.#write(() => writeValue(this.changesPath, { folders, files, of }));
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

/** Changes with the layout, and with all that affects terms: tokenizer, stems, stopwords, passages, flags. */
const FORMAT = 0x53504d09;
/** Bytes before the value: format, its length, its check value, that of the body. */
const HEAD = 16;

/** A file beside the memory has changed or is of another version: it is to be made again. */
export class BrokenIndex extends Error {
  constructor(what: string) {
    super(`index: ${what}`);
    this.name = 'BrokenIndex';
  }
}

/** Writes a value with its check value; after it a body that can be read in parts. */
export function writeValue(path: string, value: unknown, body: Uint8Array = new Uint8Array()): void {
  const bytes = serialize(value);
  const padded = Buffer.concat([bytes, new Uint8Array(-bytes.length & 3)]);
  const head = new Uint8Array(Uint32Array.of(FORMAT, padded.length, crc32(padded), crc32(body)).buffer);
  writeAtomically(path, Buffer.concat([head, padded, body]), { durable: false });
}

/** A file that `writeValue` wrote: the value is in memory and sound, the body is read in parts. */
export class ValueFile implements Body {
  readonly value: unknown;
  readonly bytes: number;
  /** Differs from that of any other value. */
  readonly id: number;
  readonly #file: OpenFile;
  readonly #bodyAt: number;
  readonly #bodyCheck: number;

  /**
   * Undefined if there is none.
   * @throws BrokenIndex
   */
  static open(path: string): ValueFile | undefined {
    let file: OpenFile | undefined;
    try {
      file = openFile(path, 'index');
      return file && new ValueFile(file);
    } catch (error) {
      file?.close();
      throw error instanceof BrokenIndex ? error : new BrokenIndex(String(error));
    }
  }

  private constructor(file: OpenFile) {
    this.#file = file;
    this.bytes = file.stats.size;
    const head = this.#read(0, HEAD);
    const [format, length, check, bodyCheck] = [0, 4, 8, 12].map((at) => head.readUInt32LE(at)) as Words;
    if (format !== FORMAT) throw new BrokenIndex('of another version');
    this.#bodyAt = HEAD + length;
    this.#bodyCheck = bodyCheck;
    this.id = check;
    this.value = deserialize(this.#read(HEAD, length, check));
  }

  read(from: number, length: number, check?: number): Uint8Array {
    return this.#read(this.#bodyAt + from, length, check);
  }

  /**
   * Reads the whole body once.
   * @throws BrokenIndex
   */
  verify(): void {
    this.#read(this.#bodyAt, this.bytes - this.#bodyAt, this.#bodyCheck);
  }

  close(): void {
    this.#file.close();
  }

  #read(from: number, length: number, check?: number): Buffer {
    const bytes = from + length > this.bytes ? Buffer.alloc(0) : bytesAt(this.#file.fd, from, length);
    if (bytes.length < length) throw new BrokenIndex('cut short');
    if (check !== undefined && crc32(bytes) !== check) throw new BrokenIndex('damaged');
    return bytes;
  }
}

type Words = [number, number, number, number];

/**
 * The value in a file; undefined if there is none.
 * @throws BrokenIndex
 */
export function readValue(path: string): unknown {
  const file = ValueFile.open(path);
  try {
    file?.verify();
    return file?.value;
  } finally {
    file?.close();
  }
}
