import { openFile, readAt } from '../fs/index.ts';
import { writeTable } from './offsets.ts';
import { Tally } from './tally.ts';

const CHUNK = 1024 * 1024;

/**
 * Counts a content that was stored without being read: the long output of a command, which is written at the
 * speed of a redirection and counted on first use. Writes the offset table, so that only the first use takes
 * the time.
 * @returns `undefined` if there is no such content
 */
export async function countContent(path: string): Promise<Pick<Tally, 'bytes' | 'characters'> | undefined> {
  const file = openFile(path, 'entry');
  if (!file) return undefined;
  const tally = new Tally();
  const chunk = Buffer.allocUnsafe(CHUNK);
  try {
    for (let read = CHUNK; read === CHUNK; ) {
      read = readAt(file.fd, chunk, tally.bytes);
      tally.add(chunk.subarray(0, read));
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    file.close();
  }
  tally.end();
  try {
    writeTable(path, tally);
  } catch {
    // The workspace may be read-only: then every read counts again.
  }
  return tally;
}
