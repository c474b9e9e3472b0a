import { join, relative, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { nearest } from '../config/nearest.ts';
import type { Pad } from '../core/context.ts';
import { ScratchpadError } from '../errors.ts';
import { exists } from '../fs/index.ts';
import { FileStore } from '../session/file-store.ts';
import { fileNameFor } from '../session/names.ts';
import { findWorkspace, PAD_FILE, type Workspace } from '../session/workspace.ts';
import { storeIsSet } from '../shared-store/wanted.ts';
import type { Invocation } from './invocation.ts';

/** What a command on a session works with. */
export interface Opened {
  workspace: Workspace;
  pad: Pad;
  config: Config;
  configProblems: readonly string[];
  configSources: ReadonlyMap<string, string>;
  store: FileStore;
  /** @throws ScratchpadError `refused` where there is no workspace and nobody has asked for one */
  mayMake(): void;
}

/**
 * Finds the workspace, reads its configuration and opens the session that was asked for. Nothing is made by it.
 * @param anySession whether `--session` may name one that is not here yet, as that of a host
 * @throws ScratchpadError `refused` for a session that nobody has made
 */
export async function openSession(invocation: Invocation, { anySession = false } = {}): Promise<Opened> {
  const { options, env, cwd, now } = invocation;
  const workspace = findWorkspace(options.workspace, env, cwd);
  const { config, problems, sources } = await loadConfig(workspace.root, env);
  invocation.warn(problems);
  if (storeIsSet(config, env)) {
    const { sendAfterwards } = await import('../shared-store/afterwards.ts');
    sendAfterwards({ root: workspace.root, config, env });
  }
  const session = options.session ?? (env.SCRATCHPAD_SESSION || config.primarySession);
  const clock = options.now === undefined ? Date.now : () => now;
  const asked = makingIsAsked(invocation);
  const mayMake = (): void => {
    if (!workspace.exists && !workspace.named && !asked) throw noWorkspace(workspace.root);
  };
  const primary = config.primarySession;
  const store = new FileStore(workspace.root, session, { primary, now: clock, env, mayMake });
  const pad: Pad = { root: workspace.root, store, config, env, now: clock, mayMake };
  const opened = { workspace, pad, config, configProblems: problems, configSources: sources, store, mayMake };
  if (!anySession) await needKnownSession(invocation, opened);
  if (workspace.exists && !workspace.named && workspace.root !== resolve(cwd))
    invocation.landsIn(relative(cwd, store.paths.pad));
  return opened;
}

/** @throws ScratchpadError `refused` for a session that nobody has made and no host has: most likely a slip */
export async function needKnownSession(invocation: Invocation, opened: Opened): Promise<void> {
  if (invocation.options.session === undefined || makingIsAsked(invocation)) return;
  const { store, config } = opened;
  const { root, exists: there, named } = opened.workspace;
  const { session, data, dir } = store.paths;
  if (session === config.primarySession || exists(dir)) return;
  // What hooks have heard of is the session of a host, whose pad is made when it is first written.
  if (exists(join(data, 'hosts', `${fileNameFor(session)}.json`))) return;
  if (!there && !named) throw noWorkspace(root);
  const { sessionIds } = await import('../core/sessions.ts');
  const ids = [...new Set([config.primarySession, ...sessionIds(root)])];
  const near = nearest(session, ids);
  throw new ScratchpadError('refused', `there is no session ${session}: nothing was read or made`, {
    where: root,
    expected: near === undefined ? `one of ${ids.slice(0, 8).join(', ')}` : `perhaps ${near}`,
    next: 'see them with: scratchpad session list; make one with: --init',
  });
}

/** The refusal in a directory that is no workspace and was not named. */
export function noWorkspace(root: string): ScratchpadError {
  return new ScratchpadError('refused', 'this directory is not a workspace: nothing was written', {
    where: root,
    expected: `${PAD_FILE} or .scratchpad/ here or above, up to the top of the repository`,
    found: 'neither',
    next: 'run scratchpad init here, give --init to this command, or name the workspace with --workspace',
  });
}

function makingIsAsked({ options, env }: Invocation): boolean {
  return options.init === true || !['', '0', 'off'].includes(env.SCRATCHPAD_INIT ?? '');
}

/** @throws ScratchpadError `refused` when nothing was ever written here. */
export function needPad(exists: boolean, opened: Opened): void {
  if (exists) return;
  throw new ScratchpadError(
    'refused',
    `there is no scratchpad for session ${opened.store.paths.session} yet`,
    {
      where: opened.store.paths.pad,
      expected: 'a scratchpad in this directory or one above it',
      found: 'nothing',
      next: 'create it with: scratchpad init (or name another directory with --workspace)',
    },
  );
}
