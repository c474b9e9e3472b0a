import { join, resolve } from 'node:path';
import { attempt } from '../base/errors.ts';
import {
  ensureFolder,
  exists,
  isInside,
  resolvePlace,
  stateFolder,
  tryList,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../base/fs/index.ts';
import { readOwn, record, text, type ValueOf } from '../base/fs/json-shape.ts';
import { DAY_MS } from '../base/text/durations.ts';
import { isOnlyMine } from '../base/trust/index.ts';
import { detectActor, getChildrenFolder, getRecordPath } from './actor.ts';
import { readJournal } from './journal.ts';
import { SecondCopy } from './second-copy.ts';
import { encodeFileName, findWorkspace, getSessionPaths, type Workspace } from './workspace.ts';

/**
 * The folder in which a host's session began, and the workspace that the host's settings or the person's environment
 * named. Hooks record it outside of all workspaces, where an agent in a sandbox cannot write; commands of the session
 * work there, whatever folder and environment the agent gives them.
 */
export type SessionStart = ValueOf<typeof START>;
const START = record({ folder: text }, { named: text });

const KEPT_MS = 30 * DAY_MS;

const getStartsFolder = (env: NodeJS.ProcessEnv): string | undefined => {
  const state = stateFolder(env);
  return state === undefined ? undefined : join(state, 'sessions');
};

const getStartFile = (folder: string, session: string): string =>
  join(folder, `${encodeFileName(session)}.json`);

const readStart = (file: string): SessionStart | undefined =>
  isOnlyMine(file) ? readOwn(file, 'record', START) : undefined;

export function readSessionStart(
  session: string | undefined,
  env: NodeJS.ProcessEnv,
): SessionStart | undefined {
  const folder = getStartsFolder(env);
  return folder === undefined || session === undefined ? undefined : readStart(getStartFile(folder, session));
}

/** The record in the home of the account, which an agent cannot redirect by its environment. */
const readAccountStart = (session = ''): SessionStart | undefined =>
  /^[\w-]{16,}$/.test(session)
    ? attempt(() =>
        readSessionStart(session, { HOME: process.getBuiltinModule('node:os').userInfo().homedir }),
      )
    : undefined;

/** Records where a session begins. Without a record its commands work in the folder in which they run. */
export function recordStart(session: string, start: SessionStart, now: number, env: NodeJS.ProcessEnv): void {
  const folder = getStartsFolder(env);
  const before = readSessionStart(session, env);
  if (folder === undefined || (before?.folder === start.folder && before.named === start.named)) return;

  attempt(() => {
    ensureFolder(folder, 0o700);
    for (const old of tryList(folder).map((name) => join(folder, name)))
      if (now - (tryStat(old)?.mtimeMs ?? now) > KEPT_MS) tryRemove(old);
    writeAtomically(getStartFile(folder, session), `${JSON.stringify(start)}\n`, {
      mode: 0o600,
      durable: false,
    });
  });
}

/**
 * The workspace of a session: the one that is found from where it began, or a new one in that folder.
 * @param found the one that is found from where the session is now
 */
export function resolveWorkspaceFrom(
  start: SessionStart,
  found: Workspace | undefined,
  env: NodeJS.ProcessEnv,
): Workspace {
  const { SCRATCHPAD_WORKSPACE: _, ...rest } = env;
  const named = start.named === undefined ? undefined : resolve(start.folder, start.named);
  const isNamedFolder = named !== undefined && tryStat(named)?.isDirectory() === true;
  const own = findWorkspace(isNamedFolder ? named : undefined, rest, start.folder);
  const foundRoot = found && resolvePlace(found.root);
  const isSame = foundRoot === resolvePlace(own.root);
  const isOnlyOne =
    foundRoot !== undefined &&
    found?.exists &&
    !own.exists &&
    isInside(resolvePlace(start.folder), foundRoot);

  return found !== undefined && (isSame || isOnlyOne) ? found : { ...own, from: start.folder };
}

/**
 * The workspace of the host's session that runs a command. If nothing tells where the session began, it is the one of
 * the folder in which the command runs: a variable may name another only if a host has been started with it.
 * @param findStartFolder finds the folder in which a session began in the host's own file, if no hook has recorded it
 * @returns `undefined` if the environment names a workspace that no session has
 */
export function findSessionWorkspace(
  env: NodeJS.ProcessEnv,
  cwd: string,
  findStartFolder: (session: string, env: NodeJS.ProcessEnv) => string | undefined,
): Workspace | undefined {
  const { SCRATCHPAD_WORKSPACE: requested, ...rest } = env;
  const { session } = detectActor(env);
  const found = findWorkspace(undefined, rest, cwd);
  const recorded = readAccountStart(session) ?? readSessionStart(session, env);

  if (recorded !== undefined) return resolveWorkspaceFrom(recorded, found, env);

  const folder = session === undefined ? undefined : findStartFolder(session, env);
  if (folder !== undefined) {
    // A variable that the person set for all sessions counts where no hook recorded another workspace.
    const named = isNamedBySession(requested, folder, env) ? requested : undefined;
    return resolveWorkspaceFrom({ folder, named }, found, env);
  }

  if (!requested) return found;

  return isNamedBySession(requested, cwd, env) ? findWorkspace(undefined, env, cwd) : undefined;
}

/** Whether a folder that the environment names is above or below the session's own, or a host was started with it. */
function isNamedBySession(requested: string | undefined, cwd: string, env: NodeJS.ProcessEnv): boolean {
  if (!requested) return false;

  const [root, own] = [resolvePlace(resolve(cwd, requested)), resolvePlace(resolve(cwd))];
  if (isInside(root, own) || isInside(own, root)) return true;

  const folder = getStartsFolder(env) ?? '';

  return tryList(folder).some((name) => {
    const start = readStart(join(folder, name));
    return start?.named !== undefined && resolvePlace(resolve(start.folder, start.named)) === root;
  });
}

/** Whether a pad belongs to a host's session that is neither the agent's own nor that of one of its subagents. */
export function isAnothersPad(root: string, padSession: string, env: NodeJS.ProcessEnv): boolean {
  const { agent, session } = detectActor(env);
  if (agent === undefined || padSession === session) return false;

  const paths = getSessionPaths(root, padSession);
  const children = getChildrenFolder(paths.data, session ?? '');
  if (exists(join(children, encodeFileName(padSession)))) return false;
  if (session !== undefined && exists(getRecordPath(paths.data, padSession))) return true;

  // `git clean` removes the record. Without a session of its own an agent may be the one that made the pad.
  const journals = [paths.journal, new SecondCopy(paths, root, env).path ?? paths.journal];
  return journals.some((file) =>
    attempt(() => readJournal(file))?.revisions.some(
      ({ actor }) => actor?.session === padSession && (session !== undefined || actor.agent !== agent),
    ),
  );
}
