import { type BuiltSegment, SegmentBuilder } from './build.ts';
import { readMemoryFile, stampOf } from './read.ts';
import { type LeftOut, leaveOut, listSources, type MemoryFile } from './sources.ts';

export interface Scanned {
  segment: BuiltSegment;
  leftOut: LeftOut;
  /** Listed folders with their modification times. */
  folders: Map<string, number>;
  /** Epoch milliseconds before the first file was listed. */
  started: number;
}

/** The reason for a file that a first search has no time for; the index under construction includes it. */
export const NOT_YET = 'not indexed yet';
/** Files read between two checks of the signal; the loop yields there, so that a timer can fire. */
const BATCH = 64;

/**
 * Reads every memory file into a segment in memory. When the signal fires, remaining files are left out and counted.
 */
export async function scan(options: {
  workspace: string;
  include?: readonly string[];
  signal?: AbortSignal;
  onFile?: (done: number, total: number) => void;
  /** If there are more files than this, only the newest are read; the others count as left out. */
  mostFiles?: number;
}): Promise<Scanned> {
  const started = Date.now();
  const { sources: all, leftOut, folders } = listSources(options.workspace, options.include);
  const sources = options.mostFiles === undefined ? all : newest(all, options.mostFiles);
  for (let i = sources.length; i < all.length; i++) leaveOut(leftOut, NOT_YET);
  const builder = new SegmentBuilder();
  let done = 0;
  for (const source of sources) {
    if (options.signal?.aborted === true) {
      leaveOut(leftOut, 'out of time');
      continue;
    }
    const read = readMemoryFile(source.real);
    // A skipped file is recorded without passages, so that it does not appear new each time.
    builder.add(stampOf(source.path, 'text' in read ? read : source), 'text' in read ? read.text : '');
    if ('reason' in read) leaveOut(leftOut, read.reason);
    options.onFile?.(++done, sources.length);
    if (done % BATCH === 0) await new Promise((next) => setImmediate(next));
  }
  return { segment: builder.build(), leftOut, folders, started };
}

function newest(sources: readonly MemoryFile[], most: number): readonly MemoryFile[] {
  if (sources.length <= most) return sources;
  return [...sources].sort((a, b) => b.mtime - a.mtime).slice(0, most);
}

/** Reads a few files. */
export function readSegment(sources: Iterable<MemoryFile>): BuiltSegment {
  const builder = new SegmentBuilder();
  for (const source of sources) {
    const read = readMemoryFile(source.real);
    builder.add(stampOf(source.path, 'text' in read ? read : source), 'text' in read ? read.text : '');
  }
  return builder.build();
}
