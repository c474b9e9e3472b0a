import { join } from 'node:path';
import { ScratchpadError } from '../errors.ts';
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
} from '../fs/index.ts';
import { slugOf } from './name.ts';
import { TABLE_SUFFIX, writeTable } from './offsets.ts';
import { Tally } from './tally.ts';

const CHUNK = 1024 * 1024;

/** An entry's content on disk. It is never changed: an edit makes another file. */
export interface Blob {
  file: string;
  bytes: number;
  /** `null` when they have not been counted yet (`count.ts`). */
  characters: number | null;
}

/** A content on its way to the disk. */
export class Draft {
  /** Open for appending and reading; commands may write to it themselves. */
  readonly fd: number;
  readonly path: string;
  tally = new Tally();
  readonly #dir: string;
  readonly #file: OpenFile;
  #open = true;

  /** @throws ScratchpadError `environment` when the directory cannot be written */
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

  /** Adds what is behind another descriptor. */
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
   * Gives the content its own file, which no index names yet.
   * @param uncounted bytes of a content that a command wrote itself, and that was not read along to its end: it is
   *   not flushed either, as a redirection is not; without it the content is flushed
   */
  commit(name: string, uncounted?: number): Blob {
    const file = `${slugOf(name)}-${Math.random().toString(36).slice(2, 12).padEnd(10, '0')}`;
    const path = join(this.#dir, file);
    try {
      if (uncounted === undefined) flush(this.fd);
      this.#close();
      const { bytes, characters, places } = this.tally.end();
      if (uncounted === undefined) writeTable(path, { bytes, characters, places });
      move(this.path, path);
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
  tryRemove(join(dir, file + TABLE_SUFFIX));
}

function tooLarge(): ScratchpadError {
  return new ScratchpadError('refused', 'the content is too large for an entry', {
    expected: `at most ${LARGEST.entry / 1024 ** 3} GB`,
    next: 'keep it in a file and note its path in refs',
  });
}
