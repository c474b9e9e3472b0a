import { BrokenIndex } from '../index/format.ts';
import { IndexStore } from '../index/store.ts';
import { embedderOf } from './provider.ts';
import type { EmbeddingSettings } from './settings.ts';
import type { VectorFile } from './vector-file.ts';
import { VectorStore } from './vector-store.ts';

export interface VectorStatus {
  /**
   * `sound`: every byte is as written. `none`: not created yet. `other`: of a model other than the configured one.
   * `broken`: damaged; the next search deletes them.
   */
  state: 'sound' | 'none' | 'other' | 'broken';
  /** Passages that have a vector. */
  rows: number;
  /** Numbers in a vector. */
  dimensions: number;
  bytes: number;
  /** The damage, or the reason why the last update stopped. */
  problem?: string;
}

/** Reads every byte of the vectors and reports their state. Changes and sends nothing. */
export function vectorStatus(options: {
  workspace: string;
  include?: readonly string[];
  embeddings: EmbeddingSettings;
}): VectorStatus {
  const store = new VectorStore(new IndexStore(options.workspace, options.include));
  const problem = store.problem?.message;
  const nothing = { rows: 0, dimensions: 0, bytes: 0, ...(problem === undefined ? {} : { problem }) };
  let file: VectorFile | undefined;
  try {
    file = store.open();
    if (file === undefined) return { ...nothing, state: 'none' };
    file.verify();
    const { rows, dimensions, bytes } = file;
    const state = file.meta.id === embedderOf(options.embeddings)?.id ? 'sound' : 'other';
    return { ...nothing, state, rows, dimensions, bytes };
  } catch (error) {
    if (!(error instanceof BrokenIndex)) throw error;
    return { ...nothing, state: 'broken', problem: error.message };
  } finally {
    file?.close();
  }
}
