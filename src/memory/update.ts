import { resolve } from 'node:path';
import { type BuiltSegment, SegmentBuilder } from './build.ts';
import { BrokenIndex } from './index/format.ts';
import { IndexStore, type OpenedIndex } from './index/store.ts';
import { LiveIndex } from './live.ts';
import { readStored, stampOf, trusted } from './read.ts';
import { type Scanned, scan } from './scan.ts';
import { allowedRoots } from './sources.ts';

/** A larger delta costs more at every search than one rebuild. */
const DELTA_FILES = 256;
const DELTA_BYTES = 1024 * 1024;

interface Place {
  workspace: string;
  include?: readonly string[];
}

/** Reads every file and replaces the index. Returns the files read, and false if the index could not be written. */
export async function updateIndex(
  options: Place & { signal?: AbortSignal; onFile?: (done: number, total: number) => void },
): Promise<{ scanned: Scanned; saved: boolean }> {
  const scanned = await scan(options);
  return { scanned, saved: saveScan(scanned, options) };
}

/** Saves a scan as the index, unless it was incomplete or empty. */
export function saveScan(scanned: Scanned, options: Place & { signal?: AbortSignal }): boolean {
  if (options.signal?.aborted === true || scanned.segment.passages === 0) return false;
  const store = new IndexStore(options.workspace, options.include);
  const saved = store.saveBase(scanned.segment, {
    folders: [...scanned.folders].map(([path, time]) => [path, trusted(time, scanned.started)]),
    leftOut: [...scanned.leftOut],
    dead: [],
    checked: scanned.started,
  });
  if (saved) store.markChecked();
  return saved;
}

/** Updates the index with the least work: a delta for a few changed files, else a rebuild. */
export async function refreshIndex(options: Place): Promise<void> {
  const store = new IndexStore(options.workspace, options.include);
  let opened: OpenedIndex | undefined;
  try {
    opened = store.open();
    if (opened !== undefined) {
      const live = new LiveIndex(opened, options.workspace, options.include ?? []);
      live.checkAll();
      store.markChecked();
      if (!live.changed || saveChanges(live, store, options)) return;
    }
  } catch (error) {
    if (!(error instanceof BrokenIndex)) throw error;
  } finally {
    opened?.close();
  }
  await updateIndex(options);
}

/** Writes changes since the last index to its delta; false if they are too many. */
export function saveChanges(live: LiveIndex, store: IndexStore, options: Place): boolean {
  const segment = deltaOf(live, options);
  if (segment === undefined) return false;
  const { leftOut, checked } = live.base.meta;
  store.saveDelta(segment, { folders: live.folders, leftOut, dead: live.dead, checked }, live.base);
  return true;
}

function deltaOf(live: LiveIndex, options: Place): BuiltSegment | undefined {
  const whole = live.wholeDelta;
  if (whole !== undefined) return fits(whole) ? whole : undefined;
  const paths = live.deltaSources;
  if (paths.length > DELTA_FILES) return undefined;
  const roots = allowedRoots(options.workspace, options.include);
  const builder = new SegmentBuilder();
  let bytes = 0;
  for (const path of paths) {
    const read = readStored(resolve(options.workspace), path, roots);
    // Deleted meanwhile: the next search will notice.
    if (!('text' in read)) continue;
    bytes += read.size;
    if (bytes > DELTA_BYTES) return undefined;
    builder.add(stampOf(path, read), read.text);
  }
  return builder.build();
}

function fits(segment: BuiltSegment): boolean {
  if (segment.files > DELTA_FILES) return false;
  let bytes = 0;
  for (let file = 0; file < segment.files; file++) bytes += segment.file(file).size;
  return bytes <= DELTA_BYTES;
}
