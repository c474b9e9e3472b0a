import { type BuiltSegment, SegmentBuilder } from './build.ts';
import { readMemoryFile, stampOf } from './read.ts';
import type { Segment } from './segment.ts';
import { type LeftOut, leaveOut, listSources, type MemoryFile } from './sources.ts';

export interface Scanned {
  built: BuiltSegment;
  leftOut: LeftOut;
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
  const sources = inOrder(newest(all, options.mostFiles));
  for (let i = sources.length; i < all.length; i++) leaveOut(leftOut, NOT_YET);
  const builder = new SegmentBuilder();
  let done = 0;
  for (const source of sources) {
    if (options.signal?.aborted === true) {
      leaveOut(leftOut, 'out of time');
      continue;
    }
    const reason = addTo(builder, source);
    if (reason !== undefined) leaveOut(leftOut, reason);
    options.onFile?.(++done, sources.length);
    if (done % BATCH === 0) await new Promise((next) => setImmediate(next));
  }
  return { built: builder.build(), leftOut, folders, started };
}

function newest(sources: readonly MemoryFile[], most = sources.length): readonly MemoryFile[] {
  return sources.length <= most ? sources : [...sources].sort((a, b) => b.mtime - a.mtime).slice(0, most);
}

function inOrder(sources: readonly MemoryFile[]): readonly MemoryFile[] {
  return [...sources].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Adds a file; one that is left out, for the reason given, without passages, so that it is not taken for new. */
function addTo(builder: SegmentBuilder, { path, real, ...listed }: MemoryFile): string | undefined {
  const read = readMemoryFile(real);
  const isRead = 'text' in read;
  builder.add(stampOf(path, isRead ? read : listed), isRead ? read.text : '');
  return isRead ? undefined : read.reason;
}

export function readSegment(sources: readonly MemoryFile[]): Segment {
  const builder = new SegmentBuilder();
  for (const source of inOrder(sources)) addTo(builder, source);
  return builder.build().segment;
}
