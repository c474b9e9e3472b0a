import { join, relative, resolve } from 'node:path';
import { refused, type ScratchpadError } from '../base/errors.ts';
import { exists, PAD_FILE } from '../base/fs/index.ts';
import { loadConfig, storeIsSet } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import type { Pad } from '../core/context.ts';
import { forModel } from '../core/vouched.ts';
import type { FileEntries } from '../entries/file-entries.ts';
import type { Places } from '../entries/reach.ts';
import { actorOf } from '../session/actor.ts';
import { type FileStore, storeFor } from '../session/file-store.ts';
import {
  fileNameFor,
  isSessionId,
  type SessionPaths,
  sessionPaths,
  type Workspace,
} from '../session/workspace.ts';
import { type Invocation, mayCreate, workspaceOf } from './invocation.ts';

/** The objects that a command on a session works with. */
export interface Opened {
  workspace: Workspace;
  pad: Pad;
  config: Config;
  configProblems: readonly string[];
  configSources: ReadonlyMap<string, string>;
  store: FileStore;
  /** @throws ScratchpadError `refused` if there is no workspace and none was asked for */
  mayMake(): void;
  /** Whether a session was named, by an option, a variable or a setting. */
  named: boolean;
  /** Whether `--session` names a session that was never created and that no hook has seen: most likely a typo. */
  unknownSession: boolean;
}

/**
 * Finds the workspace, reads its configuration and opens the requested session. It creates nothing. The command's
 * changes then go to the shared store, if one is set.
 * @param anySession whether `--session` may name one that does not exist here yet, such as a host's
 * @param anywhere as for `workspaceOf`
 * @throws ScratchpadError `refused` for a session that does not exist, unless it is to be created
 */
export async function openSession(
  call: Invocation,
  { anySession = false, anywhere = false } = {},
): Promise<Opened> {
  const opened = await openAlone(call, { anywhere });
  const { workspace, config } = opened;
  const { env, options } = call;
  if (!anySession && !options.init && !mayCreate(call)) await needSession(opened);
  if (storeIsSet(config, env)) {
    const { sendAfterwards, takeNotices } = await import('../shared-store/around.ts');
    sendAfterwards({ root: workspace.root, config, env });
    if (!options.quiet) call.warn(takeNotices(workspace.root));
  }
  return opened;
}

/** The same for a command that only reads, and so creates no session either. */
export async function openKnown(call: Invocation): Promise<Opened> {
  const opened = await openSession(call);
  await needSession(opened);
  return opened;
}

/** The same without the shared store, for commands that handle it themselves. */
export async function openAlone(call: Invocation, { anywhere = false } = {}): Promise<Opened> {
  const { options, env, cwd, now } = call;
  const workspace = workspaceOf(call, { anywhere });
  const { root } = workspace;
  const { config, problems, sources } = await loadConfig(root, env);
  call.warn(problems);
  const actor = actorOf(env);
  const asked = options.session ?? (env.SCRATCHPAD_SESSION || undefined);
  const named = asked !== undefined;
  const clock = options.now === undefined ? Date.now : () => now;
  const making = mayCreate(call);
  const mayMake = (): void => {
    if (!workspace.exists && !making) throw noWorkspace(workspace, undefined, options.init === true);
  };
  const store = storeFor(workspace, asked, config, { now: clock, env, mayMake, cwd });
  const pad: Pad = {
    ...{ root, config, env, cwd, now: clock, mayMake },
    store: actor.agent === undefined ? store : forModel({ root, env, store }),
    keepWhole: async (space, text) => {
      const { keepWhole } = await import('../entries/spill.ts');
      const place = { store, pad, config, mayMake, named };
      return keepWhole(await entriesIn(place), space, text, await ownEntriesIn(place));
    },
  };
  if (workspace.exists && !workspace.named && root !== resolve(cwd))
    call.landsIn(relative(cwd, store.paths.pad));
  return {
    ...{ workspace, pad, config, store, mayMake, named },
    configProblems: problems,
    configSources: sources,
    unknownSession: isUnknown(options.session, config.primarySession, store),
  };
}

function isUnknown(session: string | undefined, primary: string, { paths }: FileStore): boolean {
  if (session === undefined || session === primary || exists(paths.dir)) return false;
  return !exists(join(paths.data, 'hosts', `${fileNameFor(session)}.json`));
}

/** @throws ScratchpadError `refused` for a named session that does not exist */
async function needSession(opened: Opened): Promise<void> {
  const { unknownSession, store, workspace, config } = opened;
  if (!unknownSession) return;
  const { sessionIds } = await import('../core/session-folders.ts');
  const { nearest } = await import('../config/values.ts');
  const near = nearest(store.paths.session, [config.primarySession, ...sessionIds(workspace.root)]);
  throw refused('no such session: nothing was created', {
    expected: near && `perhaps ${near}`,
    found: store.paths.session,
    next: 'list sessions with: scratchpad session list; create this one with: --init',
  });
}

type Place = Pick<Opened, 'store' | 'pad' | 'config' | 'mayMake' | 'named'>;

/** The entries of an opened session, in the hands of whoever runs the command. */
export async function entriesIn({
  store,
  pad,
  mayMake,
}: Omit<Place, 'config' | 'named'>): Promise<FileEntries> {
  return entriesAt(store.paths, pad, mayMake);
}

/** The entries of the host's session that runs a command on the workspace; `undefined` if it is not known. */
export async function ownEntriesIn({
  store,
  pad,
  config,
  mayMake,
  named,
}: Place): Promise<FileEntries | undefined> {
  const { session } = actorOf(pad.env);
  if (named || session === undefined || !isSessionId(session)) return undefined;
  const paths = sessionPaths(pad.root, session, config.primarySession);
  return paths.dir === store.paths.dir ? undefined : entriesAt(paths, pad, mayMake);
}

/** The entries that a command finds by their names: those of its own session, then those of the opened one. */
export async function placesIn(opened: Place): Promise<Places> {
  const own = await ownEntriesIn(opened);
  const there = await entriesIn(opened);
  return own === undefined ? [there] : [own, there];
}

async function entriesAt(paths: SessionPaths, pad: Pad, mayMake: () => void): Promise<FileEntries> {
  const { FileEntries } = await import('../entries/file-entries.ts');
  return new FileEntries(paths, () => pad.now(), mayMake, actorOf(pad.env));
}

const HERE = `${PAD_FILE} or .scratchpad/ here or above, up to the top of the repository`;

export function noWorkspace(
  { root, named }: Workspace,
  result = 'nothing was written',
  initRefused = false,
): ScratchpadError {
  return refused(`there is no scratchpad here: ${result}`, {
    where: root,
    expected: named ? `${PAD_FILE} or .scratchpad/ in it` : HERE,
    found: 'neither',
    next: {
      command: initRefused
        ? 'an agent cannot use --init for that: run scratchpad init here, which its host asks about'
        : `run scratchpad init here, add --init to this command, or name ${named ? 'another workspace' : 'the workspace with --workspace'}`,
      tool: 'ask the person to run `scratchpad init` in this directory, or to start the server with --workspace DIR or --init; nothing can be kept until then',
    },
  });
}

/**
 * Refuses to look into a scratchpad that is not there: its emptiness says nothing about what was kept elsewhere.
 *
 * @throws ScratchpadError `refused` if there is no workspace and none was asked for
 */
export function needWorkspace({ workspace }: Opened, call: Invocation, result: string): void {
  if (!workspace.exists && !mayCreate(call)) throw noWorkspace(workspace, result);
}

/** @throws ScratchpadError `refused` if nothing was ever written here. */
export function needPad(exists: boolean, { store }: Opened): void {
  if (exists) return;
  throw refused(`there is no scratchpad for session ${store.paths.session} yet`, {
    where: store.paths.pad,
    expected: 'a scratchpad in this directory or one above it',
    found: 'nothing',
    next: { to: 'create it', command: 'scratchpad init (or name another directory with --workspace)' },
  });
}
