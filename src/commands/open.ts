import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { Pad } from '../core/context.ts';
import { ScratchpadError } from '../errors.ts';
import { exists } from '../fs/index.ts';
import { FileStore } from '../session/file-store.ts';
import { findWorkspace, type Workspace } from '../session/workspace.ts';
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
  /** That `--session` names a session of which nothing is here. */
  unknownSession: boolean;
}

/**
 * Finds the workspace, reads its configuration and opens the session that was asked for. What the command changes goes
 * to the shared store behind it, where one is set.
 */
export async function openSession(invocation: Invocation): Promise<Opened> {
  const opened = await openAlone(invocation);
  const { workspace, config } = opened;
  const { env, options } = invocation;
  if (storeIsSet(config, env)) {
    const { sendAfterwards, takeNotices } = await import('../shared-store/afterwards.ts');
    sendAfterwards({ root: workspace.root, config, env });
    if (!options.quiet) invocation.warn(takeNotices(workspace.root));
  }
  return opened;
}

/** The same without the shared store, for what has to do with it itself. */
export async function openAlone(invocation: Invocation): Promise<Opened> {
  const { options, env, cwd, now } = invocation;
  const workspace = findWorkspace(options.workspace, env, cwd);
  const { config, problems, sources } = await loadConfig(workspace.root, env);
  invocation.warn(problems);
  const session = options.session ?? (env.SCRATCHPAD_SESSION || config.primarySession);
  const clock = options.now === undefined ? Date.now : () => now;
  const store = new FileStore(workspace.root, session, { primary: config.primarySession, now: clock });
  const pad: Pad = { root: workspace.root, store, config, env, now: clock };
  const unknownSession =
    options.session !== undefined && session !== config.primarySession && !exists(store.paths.dir);
  return {
    workspace,
    pad,
    config,
    configProblems: problems,
    configSources: sources,
    store,
    unknownSession,
  };
}

/** For what only reads. @throws ScratchpadError `refused` for a session that was named and is not there */
export async function needSession({ unknownSession, store, workspace, config }: Opened): Promise<void> {
  if (!unknownSession) return;
  const { Sessions } = await import('../core/sessions.ts');
  const { nearest } = await import('../config/nearest.ts');
  const there = await new Sessions(workspace.root, { primary: config.primarySession }).list();
  const near = nearest(
    store.paths.session,
    there.map(({ session }) => session),
  );
  throw new ScratchpadError('refused', 'there is no such session', {
    ...(near !== undefined && { expected: `perhaps ${near}` }),
    found: store.paths.session,
    next: 'see what there is with: scratchpad session list',
  });
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

/** What makes a directory look like an agent's workspace before it has a pad. */
const SIGNS = ['MEMORY.md', 'memory', 'AGENTS.md', 'CLAUDE.md', 'SOUL.md'];

/** @throws ScratchpadError `refused` in a directory that was not named and is nobody's workspace. */
export function needWorkspace({ options }: Invocation, { workspace }: Opened): void {
  if (options.workspace !== undefined || workspace.exists) return;
  if (SIGNS.some((sign) => exists(join(workspace.root, sign)))) return;
  throw new ScratchpadError('refused', 'this directory is not a workspace: nothing was written', {
    where: workspace.root,
    expected: `SCRATCHPAD.md, .scratchpad/, or one of ${SIGNS.join(', ')}`,
    found: 'none of them here or in a directory above',
    next: 'run scratchpad init here, or name the workspace with --workspace',
  });
}
