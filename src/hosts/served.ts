import { join } from 'node:path';
import {
  ensureFolder,
  processIsGone,
  processStat,
  remove,
  tryList,
  writeAtomically,
} from '../base/fs/index.ts';
import { stateFolder } from '../base/trust/seal.ts';

/** Set by the shell that keeps the server alive: its pid and that of the host (`install/keep-alive.ts`). */
const KEPT_BY = 'SCRATCHPAD_KEPT_BY';

/**
 * Notes that a host's hooks are answered here, for command hooks beside those that ask this server: they answer only
 * if it does not (`unlessServed` there). The file is named after the host's process, and holds the process that the host
 * started, when that began, and this one.
 * @returns takes the note away: the host has closed the connection
 */
export function noteServed(env: NodeJS.ProcessEnv): () => void {
  const [keeper, above] = (env[KEPT_BY] ?? '').split(' ').map(Number);
  const [pid, host] = keeper && above ? [keeper, above] : [process.pid, process.ppid];
  const state = stateFolder(env);
  if (state === undefined) return () => undefined;
  const folder = join(state, 'servers');
  const path = join(folder, String(host));
  try {
    ensureFolder(folder, 0o700);
    for (const name of tryList(folder)) if (processIsGone(Number(name))) remove(join(folder, name));
    writeAtomically(path, `${pid} ${processStat(pid).start || '-'} ${process.pid}\n`, { mode: 0o600 });
  } catch {
    // Without the note, nobody answers in the server's place.
  }
  return () => {
    try {
      remove(path);
    } catch {
      // The next server takes it away: its process is gone.
    }
  };
}
