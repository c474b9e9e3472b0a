import { join } from 'node:path';
import {
  ensureFolder,
  processIsGone,
  processStat,
  remove,
  tryList,
  tryReadText,
  tryRemove,
  writeAtomically,
} from '../base/fs/index.ts';
import { stateFolder } from '../base/trust/seal.ts';

/** Set by the shell that keeps the server alive: its pid and that of the host (`install/keep-alive.ts`). */
const KEPT_BY = 'SCRATCHPAD_KEPT_BY';

export interface Served {
  /** Whether a server before this one was ended by a signal: commands answered the hooks in between. */
  again: boolean;
  /** Takes the note away: the host has closed the connection. */
  gone(): void;
}

/**
 * Notes that a host's hooks are answered here, for command hooks beside those that ask this server: they answer only
 * if it does not (`unlessServed` there). The file is named after the host's process, and holds the process that the host
 * started, when that began, and this one.
 */
export function noteServed(env: NodeJS.ProcessEnv): Served {
  const [keeper, above] = (env[KEPT_BY] ?? '').split(' ').map(Number);
  const [pid, host] = keeper && above ? [keeper, above] : [process.pid, process.ppid];
  const state = stateFolder(env);
  if (state === undefined) return { again: false, gone: () => undefined };
  const folder = join(state, 'servers');
  const path = join(folder, String(host));
  const kept = `${pid} ${processStat(pid).start || '-'} `;
  const again = tryReadText(path, 'record')?.startsWith(kept) === true;
  try {
    ensureFolder(folder, 0o700);
    for (const name of tryList(folder)) if (processIsGone(Number(name))) remove(join(folder, name));
    writeAtomically(path, `${kept}${process.pid}\n`, { mode: 0o600 });
  } catch {
    // Without the note, nobody answers in the server's place.
  }
  return { again, gone: () => tryRemove(path) };
}
