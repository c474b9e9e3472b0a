import { dirname, join, resolve } from 'node:path';
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
import { checkBytes, hashText } from '../base/text/hash.ts';
import type { BuiltSegment } from './build.ts';
import { type Body, Segment, type SegmentHead, type Stamp } from './segment.ts';

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

/** Changes with the layout, and with all that affects terms: tokenizer, stems, stopwords, passages, flags. */
const FORMAT = 0x53504d06;
const WORDS = 4;

/** A file beside the memory has changed or is of another version: it is to be made again. */
export class BrokenIndex extends Error {
  constructor(what: string) {
    super(`index: ${what}`);
    this.name = 'BrokenIndex';
  }
}

const ARRAYS = { Float64Array, Int32Array, Uint32Array, Uint16Array, Uint8Array, Int8Array };
type ArrayName = keyof typeof ARRAYS;
/** Each array begins at a multiple of its elements' size. */
const ALIGNED = 8;

/**
 * A value as JSON, whose typed arrays stand behind it: the length of the JSON in a word of eight bytes, the JSON, the
 * arrays. `node:v8` would do as well, but loading it costs each search 4 ms.
 */
function packed(value: unknown): Buffer {
  const arrays: Uint8Array[] = [];
  let at = 0;
  const json = JSON.stringify(value, (_, one: unknown) => {
    if (!ArrayBuffer.isView(one)) return one;
    const { buffer, byteOffset, byteLength: bytes } = one;
    const entry = { array: one.constructor.name, at, bytes };
    const padded = Math.ceil(bytes / ALIGNED) * ALIGNED;
    arrays.push(new Uint8Array(buffer, byteOffset, bytes), new Uint8Array(padded - bytes));
    at += padded;
    return entry;
  });
  const text = Buffer.from(json);
  const length = Math.ceil(text.length / ALIGNED) * ALIGNED;
  const head = Buffer.alloc(ALIGNED + length, ' ');
  head.writeDoubleLE(length, 0);
  text.copy(head, ALIGNED);
  return Buffer.concat([head, ...arrays]);
}

function unpacked(bytes: Buffer): unknown {
  const length = bytes.readDoubleLE(0);
  const arrays = new Uint8Array(bytes.subarray(ALIGNED + length)).buffer;
  return JSON.parse(bytes.toString('utf8', ALIGNED, ALIGNED + length), (_, one: unknown) => {
    if (one === null) return undefined;
    const { array, at, bytes: size } = one as { array?: ArrayName; at?: number; bytes?: number };
    if (array === undefined || at === undefined || size === undefined) return one;
    const Kind = ARRAYS[array];
    return new Kind(arrays, at, size / Kind.BYTES_PER_ELEMENT);
  }) as unknown;
}

/**
 * Writes four words (format, length of the head, check values of the head and of the body), then the head as `packed`
 * writes it, then the body.
 */
export function writeChecked(path: string, head: unknown, body: Uint8Array = new Uint8Array()): void {
  const bytes = packed(head);
  const words = Uint32Array.of(FORMAT, bytes.length, checkBytes(bytes), checkBytes(body));
  writeAtomically(path, Buffer.concat([new Uint8Array(words.buffer), bytes, body]), { durable: false });
}

/** A file of `writeChecked`: the head is in memory and sound, the body is read in parts. */
export class CheckedFile<Head> implements Body {
  readonly head: Head;
  readonly bytes: number;
  /** Differs from that of any other content. */
  readonly id: number;
  readonly #file: OpenFile;
  readonly #bodyAt: number;
  readonly #bodyCheck: number;

  /**
   * Undefined if there is none.
   * @throws BrokenIndex
   */
  static open<Head>(path: string): CheckedFile<Head> | undefined {
    let file: OpenFile | undefined;
    try {
      file = openFile(path, 'index');
      return file && new CheckedFile<Head>(file);
    } catch (error) {
      file?.close();
      throw error instanceof BrokenIndex ? error : new BrokenIndex(String(error));
    }
  }

  private constructor(file: OpenFile) {
    this.#file = file;
    this.bytes = file.stats.size;
    const start = bytesAt(file.fd, 0, WORDS * 4);
    if (start.length < WORDS * 4) throw new BrokenIndex('cut short');
    const [format, length = 0, check = 0, bodyCheck = 0] = new Uint32Array(
      start.buffer,
      start.byteOffset,
      WORDS,
    );
    if (format !== FORMAT) throw new BrokenIndex('of another version');
    this.#bodyAt = WORDS * 4 + length;
    this.#bodyCheck = bodyCheck;
    this.id = check;
    this.head = unpacked(this.#read(WORDS * 4, length, check)) as Head;
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
    if (from + length > this.bytes) throw new BrokenIndex('cut short');
    const bytes = bytesAt(this.#file.fd, from, length);
    if (bytes.length < length) throw new BrokenIndex('cut short');
    if (check !== undefined && checkBytes(bytes) !== check) throw new BrokenIndex('damaged');
    return bytes;
  }
}
