import { type BuiltSegment, SegmentBuilder } from './build.ts';
import { readSource } from './read.ts';
import { type LeftOut, leaveOut, listSources } from './sources.ts';

export interface Scanned {
  segment: BuiltSegment;
  leftOut: LeftOut;
  /** Folders that were listed, with their modification times. */
  folders: Map<string, number>;
}

/** Files read between two looks at the signal; the loop yields there, so that a timer can fire. */
const BATCH = 64;

/** Reads every memory file into a segment in memory. When the signal fires, the rest is left out and counted. */
export async function scan(options: {
  workspace: string;
  include?: readonly string[];
  signal?: AbortSignal;
  onFile?: (done: number, total: number) => void;
}): Promise<Scanned> {
  const { sources, leftOut, folders } = listSources(options.workspace, options.include);
  const builder = new SegmentBuilder();
  let done = 0;
  for (const source of sources) {
    if (options.signal?.aborted === true) {
      leaveOut(leftOut, 'out of time');
      continue;
    }
    const read = readSource(source.real);
    if ('text' in read) builder.add({ path: source.path, size: read.size, mtime: read.mtime }, read.text);
    else leaveOut(leftOut, read.reason);
    options.onFile?.(++done, sources.length);
    if (done % BATCH === 0) await new Promise((next) => setImmediate(next));
  }
  return { segment: builder.build(), leftOut, folders };
}
