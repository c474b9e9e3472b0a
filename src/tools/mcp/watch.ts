import { basename, dirname } from 'node:path';
import { watchFolder } from '../../base/fs/index.ts';
import { RESOURCES } from './resources.ts';

/** An atomic replacement causes several events, and so does an editor's save. */
const QUIET_MS = 50;

/**
 * Reports which resources may have changed whenever the pad does. Does not keep the process alive; where the
 * system cannot watch, nothing is reported.
 * @returns a function that stops watching
 */
export function watchPad(pad: string, onChange: (uri: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const changed = (file: string | null): void => {
    if (file !== null && file !== basename(pad)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      for (const { uri } of RESOURCES) onChange(uri);
    }, QUIET_MS).unref();
  };
  const stop = watchFolder(dirname(pad), changed);
  return () => {
    clearTimeout(timer);
    stop();
  };
}
