import { closeSync, fsyncSync, openSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ScratchpadError } from '../errors.ts';
import { writeAll } from '../session/draft.ts';
import { ioError } from '../session/files.ts';
import { slugOf } from './name.ts';
import { TABLE_SUFFIX, writeTable } from './offsets.ts';
import { Tally } from './tally.ts';

/** Past this size a content is refused: what runs on for ever must not fill the disk. */
export const MOST_BYTES = 4 * 1024 ** 3;

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
  #open = true;

  /** @throws ScratchpadError `environment` when the directory cannot be written */
  constructor(dir: string) {
    this.#dir = dir;
    this.path = join(dir, `.draft-${process.pid}-${randomPart()}.tmp`);
    try {
      this.fd = openSync(this.path, 'ax+', 0o600);
    } catch (error) {
      throw ioError(error, 'cannot create an entry in', dir);
    }
  }

  write(chunk: Buffer): void {
    try {
      writeAll(this.fd, chunk);
    } catch (error) {
      throw ioError(error, 'cannot write', this.path);
    }
    this.tally.add(chunk);
    if (this.tally.bytes > MOST_BYTES) throw tooLarge();
  }

  /**
   * Gives the content its own file, which no index names yet.
   * @param uncounted bytes of a content that a command wrote itself, and that was not read along to its end: it is
   *   not flushed either, as a redirection is not; without it the content is flushed
   */
  commit(name: string, uncounted?: number): Blob {
    const file = `${slugOf(name)}-${randomPart()}`;
    const path = join(this.#dir, file);
    try {
      if (uncounted === undefined) fsyncSync(this.fd);
      this.#close();
      const { bytes, characters, places } = this.tally.end();
      if (uncounted === undefined) writeTable(path, { bytes, characters, places });
      renameSync(this.path, path);
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
    removeQuietly(this.path);
  }

  #close(): void {
    if (this.#open) closeSync(this.fd);
    this.#open = false;
  }
}

export function removeBlob(dir: string, file: string): void {
  removeQuietly(join(dir, file));
  removeQuietly(join(dir, file + TABLE_SUFFIX));
}

export function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already.
  }
}

export function randomPart(): string {
  return Math.random().toString(36).slice(2, 12).padEnd(10, '0');
}

function tooLarge(): ScratchpadError {
  return new ScratchpadError('refused', 'the content is too large for an entry', {
    expected: `at most ${MOST_BYTES / 1024 ** 3} GB`,
    next: 'keep it in a file and note its path in refs',
  });
}
