import { join } from 'node:path';

/** The user's own state folder (XDG base directory specification); `undefined` without a home. */
export function stateFolder(env: NodeJS.ProcessEnv): string | undefined {
  const home = env.HOME || env.USERPROFILE;
  const state = env.XDG_STATE_HOME || (home ? join(home, '.local', 'state') : undefined);
  return state === undefined ? undefined : join(state, 'scratchpad');
}
