import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScratchpadError } from '../errors.ts';
import { writeAll } from '../session/draft.ts';
import { ioError } from '../session/files.ts';
import { slugOf } from './name.ts';
import { encodeTable, TABLE_SUFFIX } from './offsets.ts';
import { STRIDE, Tally } from './tally.ts';

/** Past this size a content is refused: what runs on for ever must not fill the disk. */
export const MOST_BYTES = 4 * 1024 ** 3;

/** An entry's content on disk. It is never changed: an edit makes another file. */
export interface Blob {
  file: string;
  bytes: number;
  characters: number;
}

/** A content on its way to the disk. */
export class Draft {
  /** Open for appending and reading; commands may write to it themselves. */
  readonly fd: number;
  readonly path: string;
  readonly tally = new Tally();
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

  /** Flushes the content, and gives it its own file, which no index names yet. */
  commit(name: string): Blob {
    const { bytes, characters, places } = this.tally.end();
    const file = `${slugOf(name)}-${randomPart()}`;
    const path = join(this.#dir, file);
    try {
      fsyncSync(this.fd);
      this.#close();
      if (bytes !== characters && bytes > 2 * STRIDE) {
        writeFileSync(path + TABLE_SUFFIX, encodeTable(places), { mode: 0o600 });
      }
      renameSync(this.path, path);
    } catch (error) {
      this.discard();
      throw ioError(error, 'cannot write', path);
    }
    return { file, bytes, characters };
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

function randomPart(): string {
  return Math.random().toString(36).slice(2, 12).padEnd(10, '0');
}

function tooLarge(): ScratchpadError {
  return new ScratchpadError('refused', 'the content is too large for an entry', {
    expected: `at most ${MOST_BYTES / 1024 ** 3} GB`,
    next: 'keep it in a file and note its path in refs',
  });
}
