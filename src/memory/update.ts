import { tryStat } from '../base/fs/index.ts';
import { type ScanResult, scan } from './build.ts';
import { BrokenIndex } from './packed.ts';
import { trustTime } from './read.ts';
import { Segment } from './segment.ts';
import { type IndexLocation, IndexStore, LiveIndex } from './store.ts';

/** Reads every file and replaces the index. Returns the files read, and false if the index could not be written. */
export async function updateIndex(options: IndexLocation): Promise<{ scanned: ScanResult; saved: boolean }> {
  const scanned = await scan(options);
  return { scanned, saved: saveScan(scanned, options) };
}

/** Saves a scan as the index, unless it was empty. */
export function saveScan(
  { segment, folders, leftOut, started }: ScanResult,
  options: IndexLocation,
): boolean {
  if (segment.passages === 0) return false;
  return new IndexStore(options).save({
    data: segment.data,
    folders: [...folders].map(([path, time]) => [path, trustTime(time, started)]),
    leftOut: [...leftOut],
  });
}

/** Makes the index anew if a file differs from it. */
export async function refreshIndex(options: IndexLocation): Promise<void> {
  const store = new IndexStore(options);
  const index = store.read();
  const live = index && new LiveIndex(index, options);

  live?.compareAll();
  if (live?.changed.size === 0 && live.movedFolders().length === 0) store.markChecked();
  else await updateIndex(options);
}

interface IndexStatus {
  /** `sound`: every byte is as written. `none`: not created yet. `broken`: the next search rebuilds it. */
  state: 'sound' | 'none' | 'broken';
  problem?: string;
  files: number;
  passages: number;
  bytes: number;
  leftOut: { reason: string; count: number }[];
}

export function indexStatus(options: IndexLocation): IndexStatus {
  const nothing = { files: 0, passages: 0, bytes: 0, leftOut: [] };
  const store = new IndexStore(options);

  try {
    const index = store.load();
    if (index === undefined) return { state: 'none', ...nothing };
    const { files, passages } = new Segment(index.data);
    const leftOut = index.leftOut.map(([reason, count]) => ({ reason, count }));
    return { state: 'sound', files, passages, bytes: tryStat(store.base)?.size ?? 0, leftOut };
  } catch (error) {
    if (!(error instanceof BrokenIndex)) throw error;
    return { state: 'broken', problem: error.message, ...nothing };
  }
}
