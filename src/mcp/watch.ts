import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { RESOURCES } from './resources.ts';

/** An atomic replacement is several events, and so is an editor's save. */
const QUIET_MS = 50;

/**
 * Says which resources may have changed whenever the pad does. Keeps no process alive, and where
 * the system cannot watch, nothing is said.
 * @returns stops watching
 */
export function watchPad(pad: string, onChange: (uri: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const changed = (_: string, file: string | null): void => {
    if (file !== null && file !== basename(pad)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      for (const { uri } of RESOURCES) onChange(uri);
    }, QUIET_MS).unref();
  };
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dirname(pad), { persistent: false }, changed);
    watcher.on('error', () => undefined);
  } catch {
    return () => undefined;
  }
  return () => {
    clearTimeout(timer);
    watcher?.close();
  };
}
