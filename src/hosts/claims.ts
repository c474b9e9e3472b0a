import { join } from 'node:path';
import { hasCode } from '../base/errors.ts';
import { ensureFolder, tryList, tryRemove, tryStat, writeNew } from '../base/fs/index.ts';
import { digest } from '../base/text/hash.ts';
import { type JsonObject, textAt } from '../base/text/json.ts';
import { stateFolder } from '../base/trust/seal.ts';

/*
 * While a server starts, the host asks it and a command beside it the same: the host waits for the server, and the
 * command sees none. Whichever of the two answers first claims the prompt; the other says nothing.
 */

/** A host has ended its hooks by then, so an older claim is of another prompt with the same words. */
const CLAIMED_MS = 15_000;

/** @returns whether nobody else has claimed it, also where no claim can be written: better twice than not at all */
export function claimPrompt(json: JsonObject | undefined, env: NodeJS.ProcessEnv): boolean {
  const state = stateFolder(env);
  const session = textAt(json, 'session_id');
  if (state === undefined || session === undefined) return true;
  const folder = join(state, 'claims');
  const which = textAt(json, 'prompt_id') ?? textAt(json, 'prompt') ?? '';
  try {
    ensureFolder(folder, 0o700);
    for (const old of tryList(folder).map((name) => join(folder, name)))
      if (Date.now() - (tryStat(old)?.mtimeMs ?? 0) > CLAIMED_MS) tryRemove(old);
    writeNew(join(folder, digest(`${session}\0${which}`)), '');
    return true;
  } catch (error) {
    return !hasCode(error, 'EEXIST');
  }
}
