import { BrokenIndex } from './checked-file.ts';
import { Collection } from './collection.ts';
import { LiveIndex } from './live.ts';
import { IndexStore, type OpenedIndex } from './store.ts';

export interface IndexStatus {
  /** `sound`: every byte is as written. `none`: not created yet. `broken`: the next search rebuilds it. */
  state: 'sound' | 'none' | 'broken';
  /** The problem of a broken one. */
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
