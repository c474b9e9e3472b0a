import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeAll } from '../session/draft.ts';
import { ioError } from '../session/files.ts';
import { removeQuietly } from './blob.ts';

/** Writes bytes to a file that takes its place in one step, when all of them are there. */
export async function saveBytes(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const temp = join(dirname(path), `.${basename(path).slice(0, 100)}.${process.pid}.tmp`);
  try {
    const fd = openSync(temp, 'w', 0o644);
    try {
      for await (const chunk of bytes) writeAll(fd, chunk);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temp, path);
  } catch (error) {
    removeQuietly(temp);
    throw ioError(error, 'cannot write', path);
  }
}
