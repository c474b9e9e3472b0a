import { join, resolve } from 'node:path';
import { attempt } from '../base/errors.ts';
import {
  ensureFolder,
  isInside,
  resolvePlace,
  stateFolder,
  tryList,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../base/fs/index.ts';
import { readOwn, record, text, type ValueOf } from '../base/fs/json-shape.ts';
import { DAY_MS } from '../base/text/strings.ts';
import { isOnlyMine } from '../base/trust/index.ts';
import { detectActor } from './actor.ts';
import { encodeFileName, findWorkspace, type Workspace } from './workspace.ts';

/**
 * Where a host's session began, as its hooks recorded it: outside of all workspaces, where an agent in a sandbox cannot
 * write. Commands of that session work there, whatever folder and environment the agent gives them.
 * `named`: the workspace that the host's settings or the person's environment named.
 */
export type SessionStart = ValueOf<typeof START>;
const START = record({ folder: text }, { named: text });

const KEPT_MS = 30 * DAY_MS;

const getFolder = (env: NodeJS.ProcessEnv): string | undefined => {
  const state = stateFolder(env);
  return state === undefined ? undefined : join(state, 'sessions');
};

const getFile = (folder: string, session: string): string => join(folder, `${encodeFileName(session)}.json`);

const readStart = (file: string): SessionStart | undefined =>
  isOnlyMine(file) ? readOwn(file, 'record', START) : undefined;

export function readSessionStart(
  session: string | undefined,
  env: NodeJS.ProcessEnv,
): SessionStart | undefined {
  const folder = getFolder(env);
  return folder === undefined || session === undefined ? undefined : readStart(getFile(folder, session));
}

/** The record in the home of the account, which an agent cannot name another for a command. */
const readAccountStart = (session = ''): SessionStart | undefined =>
  /^[\w-]{16,}$/.test(session)
    ? attempt(() =>
        readSessionStart(session, { HOME: process.getBuiltinModule('node:os').userInfo().homedir }),
      )
    : undefined;

/** Records where a session begins. Without a record its commands stay in the folder that they are run in. */
export function recordStart(session: string, start: SessionStart, now: number, env: NodeJS.ProcessEnv): void {
  const folder = getFolder(env);
  const before = readSessionStart(session, env);
  if (folder === undefined || (before?.folder === start.folder && before.named === start.named)) return;

  attempt(() => {
    ensureFolder(folder, 0o700);
    for (const old of tryList(folder).map((name) => join(folder, name)))
      if (now - (tryStat(old)?.mtimeMs ?? now) > KEPT_MS) tryRemove(old);
    writeAtomically(getFile(folder, session), `${JSON.stringify(start)}\n`, { mode: 0o600, durable: false });
  });
}

/**
 * The workspace of a session that began somewhere: the one that is found from there, or one in that folder.
 * @param found the one that is found from where the session is now
 */
export function resolveWorkspaceFrom(
  start: SessionStart,
  found: Workspace | undefined,
  env: NodeJS.ProcessEnv,
): Workspace {
  const { SCRATCHPAD_WORKSPACE: _, ...rest } = env;
  const named = start.named === undefined ? undefined : resolve(start.folder, start.named);
  const isThere = named === undefined || tryStat(named)?.isDirectory() === true;
  const own = findWorkspace(isThere ? named : undefined, rest, start.folder);

  if (found === undefined) return { ...own, from: start.folder };

  const [one, other] = [resolvePlace(found.root), resolvePlace(own.root)];
  if (one === other || (!own.exists && found.exists && isInside(resolvePlace(start.folder), one)))
    return found;

  return { ...own, from: start.folder };
}

/**
 * The workspace of the host's session that runs a command. If nothing tells where the session began it is the one of
 * the folder that the command runs in: a variable may name another only if a host has been started with it.
 * @param begunIn the folder in which a session began by the host's own file, if no hook has recorded it
 * @returns `undefined` if the environment names one that no session has
 */
export function findSessionWorkspace(
  env: NodeJS.ProcessEnv,
  cwd: string,
  begunIn: (session: string, env: NodeJS.ProcessEnv) => string | undefined,
): Workspace | undefined {
  const { SCRATCHPAD_WORKSPACE: asked, ...rest } = env;
  const { session } = detectActor(env);
  const found = findWorkspace(undefined, rest, cwd);
  const recorded = readAccountStart(session) ?? readSessionStart(session, env);

  if (recorded !== undefined) return resolveWorkspaceFrom(recorded, found, env);

  const folder = session === undefined ? undefined : begunIn(session, env);
  // A variable that the person set for all counts where no hook has said otherwise.
  const named = folder !== undefined && isNamedBySession(asked, folder, env) ? asked : undefined;
  if (folder !== undefined) return resolveWorkspaceFrom({ folder, named }, found, env);
  if (!asked) return found;

  return isNamedBySession(asked, cwd, env) ? findWorkspace(undefined, env, cwd) : undefined;
}

/** Whether a folder that the environment names is above or below the session's own, or was named as a host was started. */
function isNamedBySession(asked: string | undefined, cwd: string, env: NodeJS.ProcessEnv): boolean {
  if (!asked) return false;

  const [root, own] = [resolvePlace(resolve(cwd, asked)), resolvePlace(resolve(cwd))];
  if (isInside(root, own) || isInside(own, root)) return true;

  const folder = getFolder(env) ?? '';

  return tryList(folder).some((name) => {
    const start = readStart(join(folder, name));
    return start?.named !== undefined && resolvePlace(resolve(start.folder, start.named)) === root;
  });
}
