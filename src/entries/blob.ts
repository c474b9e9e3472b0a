import { join } from 'node:path';
import { ScratchpadError } from '../base/errors.ts';
import {
  flush,
  ioError,
  LARGEST,
  move,
  type OpenFile,
  openNew,
  readAt,
  temporaryPath,
  tryRemove,
  writeAll,
} from '../base/fs/index.ts';
import { slugOf } from './name.ts';
import { Tally } from './offsets.ts';

const CHUNK = 1024 * 1024;

/** An entry's content on disk. It never changes: an edit creates another file. */
export interface Blob {
  file: string;
  bytes: number;
  /** `null` if they have not been counted yet (`countContent`). */
  characters: number | null;
}

/** A content that is being written. */
export class Draft {
  /** Open for appending and reading; commands may write to it directly. */
  readonly fd: number;
  readonly path: string;
  tally = new Tally();
  readonly #dir: string;
  readonly #file: OpenFile;
  #open = true;

  /** @throws ScratchpadError `environment` if the directory cannot be written */
  constructor(dir: string) {
    this.#dir = dir;
    this.path = temporaryPath(join(dir, 'draft'));
    try {
      this.#file = openNew(this.path);
    } catch (error) {
      throw ioError(error, 'cannot create an entry in', dir);
    }
    this.fd = this.#file.fd;
  }

  write(chunk: Buffer): void {
    try {
      writeAll(this.fd, chunk);
    } catch (error) {
      throw ioError(error, 'cannot write', this.path);
    }
    this.tally.add(chunk);
    if (this.tally.bytes > LARGEST.entry) throw tooLarge();
  }

  /** Appends everything behind another descriptor. */
  copy(fd: number): void {
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let at = 0; ; ) {
      const read = readAt(fd, chunk, at);
      this.write(chunk.subarray(0, read));
      at += read;
      if (read < CHUNK) return;
    }
  }

  /**
   * Moves the content to a file of its own, which no index names yet.
   * @param uncounted size in bytes of a content that a command wrote itself and that was not read to its end;
   * like any redirection it is not flushed. Other contents are.
   */
  commit(name: string, uncounted?: number): Blob {
    const file = `${slugOf(name)}-${Math.random().toString(36).slice(2, 12).padEnd(10, '0')}`;
    const path = join(this.#dir, file);
    try {
      if (uncounted === undefined) flush(this.fd);
      this.#close();
      const { bytes, characters } = this.tally.end();
      // Writing the index flushes the folder.
      move(this.path, path, { durable: false });
      return uncounted === undefined
        ? { file, bytes, characters }
        : { file, bytes: uncounted, characters: null };
    } catch (error) {
      this.discard();
      throw ioError(error, 'cannot write', path);
    }
  }

  discard(): void {
    this.#close();
    tryRemove(this.path);
  }

  #close(): void {
    if (this.#open) this.#file.close();
    this.#open = false;
  }
}

export function removeBlob(dir: string, file: string): void {
  tryRemove(join(dir, file));
}

function tooLarge(): ScratchpadError {
  return new ScratchpadError('refused', 'the content is too large for an entry', {
    expected: `at most ${LARGEST.entry / 1024 ** 3} GB`,
    next: 'keep it in a file and note its path in refs',
  });
}
