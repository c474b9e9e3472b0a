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

/** A host has ended its hooks by then. */
const CLAIMED_MS = 60_000;

/**
 * @param json with the host's id of the prompt: the same words may be another one
 * @returns whether nobody else has claimed it, also where no claim can be written: better twice than not at all
 */
export function claimPrompt(json: JsonObject | undefined, env: NodeJS.ProcessEnv): boolean {
  const state = stateFolder(env);
  const [session, prompt] = [textAt(json, 'session_id'), textAt(json, 'prompt_id')];
  if (state === undefined || session === undefined || prompt === undefined) return true;
  const folder = join(state, 'claims');
  try {
    ensureFolder(folder, 0o700);
    for (const old of tryList(folder).map((name) => join(folder, name)))
      if (Date.now() - (tryStat(old)?.mtimeMs ?? 0) > CLAIMED_MS) tryRemove(old);
    writeNew(join(folder, digest(`${session}\0${prompt}`)), '');
    return true;
  } catch (error) {
    return !hasCode(error, 'EEXIST');
  }
}
