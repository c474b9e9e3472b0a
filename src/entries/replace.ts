import { readAt } from '../fs/index.ts';

const CHUNK = 1024 * 1024;

/**
 * Searches a file for non-overlapping occurrences of `needle`, and passes on the bytes between them in order.
 * @returns the number of matches
 */
export function scanMatches(
  fd: number,
  needle: Buffer,
  onBetween: (bytes: Buffer) => void,
  onMatch: () => void,
): number {
  let matches = 0;
  let rest: Buffer = Buffer.alloc(0);
  const chunk = Buffer.alloc(CHUNK);
  for (let position = 0; ; ) {
    const read = readAt(fd, chunk, position);
    position += read;
    const all = Buffer.concat([rest, chunk.subarray(0, read)]);
    let from = 0;
    for (let at = all.indexOf(needle); at !== -1; at = all.indexOf(needle, from)) {
      onBetween(all.subarray(from, at));
      onMatch();
      matches += 1;
      from = at + needle.length;
    }
    // A match may begin in the remaining bytes and end in the next chunk.
    const keep = read === 0 ? 0 : Math.min(all.length - from, needle.length - 1);
    onBetween(all.subarray(from, all.length - keep));
    rest = Buffer.from(all.subarray(all.length - keep));
    if (read === 0) return matches;
  }
}
