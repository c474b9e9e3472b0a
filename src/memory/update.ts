import { type Scanned, scan } from './build.ts';
import { LiveIndex } from './live.ts';
import { trusted } from './read.ts';
import { Collection } from './segment.ts';
import { BrokenIndex, IndexStore, type OpenedIndex } from './store.ts';

interface Place {
  workspace: string;
  include?: readonly string[];
}

/** Reads every file and replaces the index. Returns the files read, and false if the index could not be written. */
export async function updateIndex(
  options: Place & { signal?: AbortSignal },
): Promise<{ scanned: Scanned; saved: boolean }> {
  const scanned = await scan(options);
  return { scanned, saved: saveScan(scanned, options) };
}

/** Saves a scan as the index, unless it was incomplete or empty. */
export function saveScan(scanned: Scanned, options: Place & { signal?: AbortSignal }): boolean {
  if (options.signal?.aborted === true || scanned.built.segment.passages === 0) return false;
  const store = new IndexStore(options.workspace, options.include);
  const saved = store.save(scanned.built, {
    folders: [...scanned.folders].map(([path, time]) => [path, trusted(time, scanned.started)]),
    leftOut: [...scanned.leftOut],
    checked: scanned.started,
  });
  if (saved) store.markChecked();
  return saved;
}

/** Updates the index with the least work: a list of a few changed files, else all is read. */
export async function refreshIndex(options: Place): Promise<void> {
  const store = new IndexStore(options.workspace, options.include);
  let opened: OpenedIndex | undefined;
  try {
    opened = store.open();
    if (opened !== undefined) {
      const live = new LiveIndex(opened, options.workspace, options.include);
      live.checkAll();
      store.markChecked();
      if (!live.isBehind && (!live.isChanged || store.saveChanges(live.changes, opened.id))) return;
    }
  } catch (error) {
    if (!(error instanceof BrokenIndex)) throw error;
  } finally {
    opened?.close();
  }
  await updateIndex(options);
}

export interface IndexStatus {
  /** `sound`: every byte is as written. `none`: not created yet. `broken`: the next search rebuilds it. */
  state: 'sound' | 'none' | 'broken';
  problem?: string;
  files: number;
  passages: number;
  bytes: number;
  /** Files that changed since the base was written. */
  changedFiles: number;
  leftOut: { reason: string; count: number }[];
  /** When the whole index was built, ISO 8601. */
  checked?: string;
}

/** Reads every byte of the index and reports its state. Changes nothing. */
export function indexStatus(options: { workspace: string; include?: readonly string[] }): IndexStatus {
  const nothing = { files: 0, passages: 0, bytes: 0, changedFiles: 0, leftOut: [] };
  let opened: OpenedIndex | undefined;
  try {
    opened = new IndexStore(options.workspace, options.include).open();
    if (opened === undefined) return { state: 'none', ...nothing };
    const { meta, bytes, changes } = opened;
    opened.verify();
    const live = new LiveIndex(opened, options.workspace, options.include);
    const { files, passages } = new Collection(live.views());
    return {
      state: 'sound',
      files,
      passages,
      bytes,
      changedFiles: changes?.files.length ?? 0,
      leftOut: meta.leftOut.map(([reason, count]) => ({ reason, count })),
      checked: new Date(meta.checked).toISOString(),
    };
  } catch (error) {
    if (!(error instanceof BrokenIndex)) throw error;
    return { state: 'broken', problem: error.message, ...nothing };
  } finally {
    opened?.close();
  }
}
