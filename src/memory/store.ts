import { dirname, join, resolve } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import {
  DATA_DIR,
  ensureFolder,
  exists,
  type Held,
  readBytes,
  sweepTemporary,
  tryLock,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../base/fs/index.ts';
import { hashText } from '../base/text/strings.ts';
import type { SegmentData } from './segment.ts';

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
const FORMAT = 0x53504d0a;
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
