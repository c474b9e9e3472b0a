import { closeSync, openSync, readSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { randomPart, removeQuietly } from './blob.ts';
import { TABLE_SUFFIX, writeTable } from './offsets.ts';
import { Tally } from './tally.ts';

const CHUNK = 1024 * 1024;

/**
 * Counts a content that was kept without being read: a command's long output, which is written
 * at the speed of a redirection and counted when somebody first wants to know. Leaves the table
 * for reads at an offset, so that only the first look pays.
 */
export async function countContent(path: string): Promise<Pick<Tally, 'bytes' | 'characters'>> {
  const tally = new Tally();
  const chunk = Buffer.allocUnsafe(CHUNK);
  const fd = openSync(path, 'r');
  try {
    for (;;) {
      const read = readSync(fd, chunk, 0, chunk.length, tally.bytes);
      if (read === 0) break;
      tally.add(chunk.subarray(0, read));
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    closeSync(fd);
  }
  leaveTable(path, tally.end());
  return tally;
}

/** In one step, for others may count the same content. A workspace that is read-only has none; reads count then. */
function leaveTable(path: string, tally: Tally): void {
  const beside = join(dirname(path), `.draft-${process.pid}-${randomPart()}.tmp`);
  try {
    writeTable(beside, tally);
    renameSync(beside + TABLE_SUFFIX, path + TABLE_SUFFIX);
  } catch {
    removeQuietly(beside + TABLE_SUFFIX);
  }
}
