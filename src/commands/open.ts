import { relative, resolve } from 'node:path';
import { refusal, type ScratchpadError } from '../base/errors.ts';
import { exists, PAD_FILE, readHolderPid } from '../base/fs/index.ts';
import { claim } from '../base/trust/index.ts';
import { isStoreSet, type LoadedConfig, loadConfig } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import { findNearest } from '../config/values.ts';
import type { Pad } from '../core/context.ts';
import { hideUntrusted, isWithheld } from '../core/hide-untrusted.ts';
import { chooseSession } from '../core/scope.ts';
import { listSessionIds } from '../core/session-folders.ts';
import type { FileEntries } from '../entries/file-entries.ts';
import type { EntryPlaces } from '../entries/reach.ts';
import { completeSession, detectActor, getRecordPath } from '../session/actor.ts';
import { type FileStore, openStore } from '../session/file-store.ts';
import { isAnothersPad } from '../session/host-session.ts';
import { SecondCopy } from '../session/second-copy.ts';
import type { Snapshot } from '../session/store.ts';
import { getSessionPaths, isSessionId, type SessionPaths, type Workspace } from '../session/workspace.ts';
import { canCreate, type Invocation, OUTSIDE, resolveWorkspace } from './invocation.ts';

export interface OpenPad {
  workspace: Workspace;
  pad: Pad;
  config: Config;
  configProblems: readonly string[];
  configSources: ReadonlyMap<string, string>;
  store: FileStore;
  /** @throws ScratchpadError `refused` if there is no workspace and none was asked for */
  assertCanCreate(): void;
  /** Whether a session was named, by an option, a variable or a setting. */
  isNamed: boolean;
  /** Notes once that a write starts a session: one named here that was never created and that no hook has seen. */
  noteNewSession(): void;
}

interface OpenOptions {
  /** `--session` may name one that does not exist here yet, such as a host's. */
  anySession?: boolean;
  anywhere?: boolean;
  exactly?: boolean;
  /** The command only reads, and so creates no session either. */
  readsOnly?: boolean;
  syncsItself?: boolean;
}

/**
 * Finds the workspace, reads its configuration and opens the requested session. It creates nothing. The command's
 * changes then go to the shared store, if one is set.
 * @throws ScratchpadError `refused` for a session that does not exist, unless it is to be created
 */
export async function openSession(call: Invocation, how: OpenOptions = {}): Promise<OpenPad> {
  const { options, env } = call;
  const workspace = resolveWorkspace(call, how);
  const { root } = workspace;
  const loaded = await loadConfig(root, env);
  const { config } = loaded;
  // Limits decide what is cut, so even a quiet caller is warned if his own do not count.
  call.warn(loaded.problems, 'always');

  const primary = config.primarySession;
  const requested = findRequestedSession(call, root, primary);
  let isNew = isNewSession(requested, root, primary, env);
  const opened = openPad(call, workspace, loaded, requested, () => {
    if (isNew) call.note(`this starts session ${requested}; list all with: scratchpad session list`);
    isNew = false;
  });
  const { session, pad: file } = opened.store.paths;

  if (workspace.exists && !workspace.named && root !== resolve(call.cwd)) {
    const path = relative(call.cwd, file);
    call.nameDistantPad(path);
    if (options.init && !opened.isNamed && workspace.worktree === undefined)
      call.note(`--init created nothing: ${path} is used; for one in this folder: scratchpad init`);
  }

  if (how.syncsItself) return opened;

  const mayStart = !how.readsOnly && (how.anySession || options.init || canCreate(call));
  if (isNew && !mayStart) throw sessionNotFound(session, root, primary, options.session);

  if (workspace.exists && !exists(getSessionPaths(root, primary).journal)) {
    const { adoptHostSession } = await import('../transcript/adopt-session.ts');
    for (const notice of await adoptHostSession(opened.pad)) call.note(notice);
  }

  if (isStoreSet(config, env)) {
    const { sendAfterwards, takeNotices } = await import('../shared-store/background-sync.ts');
    sendAfterwards({ root, config, env });
    if (!options.quiet) call.warn(takeNotices(root));
  }

  return opened;
}

/**
 * The session that an option or a variable names, by its id or the beginning of it.
 * @throws ScratchpadError `refused` if an agent names the pad of another session
 */
function findRequestedSession(call: Invocation, root: string, primary: string): string | undefined {
  const { options, env } = call;
  const typed = options.session ?? (env.SCRATCHPAD_SESSION || undefined);
  if (typed === undefined) return undefined;

  const session = completeSession(typed, options.init ? [] : [primary, ...listSessionIds(root)]);
  if (session !== primary) refuseAnothersPad(root, session, env);
  return session;
}

/** @throws ScratchpadError `refused` for an agent, whose commands run unasked: they are for the pads of its own session */
export function refuseAnothersPad(root: string, session: string, env: NodeJS.ProcessEnv): void {
  if (!isAnothersPad(root, session, env)) return;
  throw refusal('the pad belongs to another session: nothing was done', {
    expected: 'this session, or a subagent of it',
    found: session,
    next: OUTSIDE,
  });
}

function isNewSession(name: string | undefined, root: string, primary: string, env: NodeJS.ProcessEnv) {
  if (name === undefined || name === primary || name === detectActor(env).session) return false;
  const paths = getSessionPaths(root, name, primary);
  if (exists(paths.dir) || exists(getRecordPath(paths.data, paths.session))) return false;
  // After `git clean` a session is only in the folder of git.
  return new SecondCopy(paths, root, env).restores === undefined;
}

function openPad(
  call: Invocation,
  workspace: Workspace,
  { config, problems, sources }: LoadedConfig,
  requested: string | undefined,
  noteNewSession: () => void,
): OpenPad {
  const { options, env } = call;
  const { root, from: cwd = call.cwd } = workspace;
  const actor = detectActor(env);
  const now = options.now === undefined ? Date.now : () => call.now;
  const assertPlace = (): void => {
    if (!workspace.exists && !canCreate(call))
      throw workspaceNotFound(workspace, undefined, options.init === true);
  };
  const assertCanCreate = (): void => {
    assertPlace();
    claim(root, env);
  };

  const session = requested ?? chooseSession(config, actor.session);
  const store = openStore(workspace, session, config, { now, env, assertCanCreate: assertPlace, cwd });
  const pad: Pad = {
    ...{ root, config, env, cwd, now, assertCanCreate },
    store: actor.agent === undefined ? store : hideUntrusted({ root, env, store }),
    keepWhole: async (space, text) => {
      const { keepWhole } = await import('../entries/spill.ts');
      const [own, shared] = await listEntryPlaces(opened);
      return keepWhole(own, space, text, shared);
    },
  };
  const opened: OpenPad = {
    ...{ workspace, pad, config, store, assertCanCreate, noteNewSession },
    ...{ configProblems: problems, configSources: sources, isNamed: requested !== undefined },
  };
  return opened;
}

/**
 * Opens a session for a command that only reads.
 * @param result what is said where there is no workspace: its emptiness says nothing about what was kept elsewhere
 * @throws ScratchpadError `refused` for a session that does not exist, or with `result` without a workspace
 */
export async function openKnown(call: Invocation, result?: string): Promise<OpenPad> {
  const opened = await openSession(call, { readsOnly: true });
  if (result !== undefined) requireWorkspace(opened, call, result);
  return opened;
}

/** Reads the pad for a command that shows the plan, and brings the file in step, such as after a checkout. */
export async function readInStep({ root, store, config }: Pad): Promise<Snapshot> {
  const snapshot = await store.read();
  // Whoever holds the lock writes the file; a reader does not wait for that.
  const isFree =
    readHolderPid(getSessionPaths(root, snapshot.session, config.primarySession).lock) === undefined;
  if (snapshot.isBehind && !snapshot.isWithheld && isFree) await store.writeState().catch(() => undefined);
  return snapshot;
}

function sessionNotFound(found: string, root: string, primary: string, option?: string): ScratchpadError {
  const near = findNearest(found, [primary, ...listSessionIds(root)]);
  return refusal('no such session: nothing was created', {
    expected: near && `perhaps ${near}`,
    found: option ? found : `${found} (in SCRATCHPAD_SESSION)`,
    next: 'list sessions with: scratchpad session list; create this one with: --init',
  });
}

/** The entries that a command finds by their names: those of its own session, then those of the opened one. */
export async function listEntryPlaces(opened: OpenPad): Promise<EntryPlaces> {
  const { store, pad, config, assertCanCreate, isNamed, noteNewSession } = opened;
  const { FileEntries } = await import('../entries/file-entries.ts');
  const actor = detectActor(pad.env);
  const openEntries = (paths: SessionPaths): FileEntries =>
    new FileEntries(paths, {
      now: () => pad.now(),
      assertCanCreate: () => {
        assertCanCreate();
        noteNewSession();
      },
      actor,
      isHidden: () => isWithheld(pad),
    });

  const shared = openEntries(store.paths);
  if (isNamed || actor.session === undefined || !isSessionId(actor.session)) return [shared];

  const own = getSessionPaths(pad.root, actor.session, config.primarySession);
  return own.dir === store.paths.dir ? [shared] : [openEntries(own), shared];
}

/** @param isInitRefused an agent has used `--init`, which creates a workspace only for a person */
export function workspaceNotFound(
  { root, named }: Workspace,
  result = 'nothing was written',
  isInitRefused = false,
): ScratchpadError {
  const create = named
    ? 'add --init to this command, or name another workspace'
    : 'run scratchpad init here, add --init to this command, or name the workspace with --workspace';
  return refusal(`there is no scratchpad here: ${result}`, {
    where: root,
    expected: `${PAD_FILE} or .scratchpad/ ${named ? 'in it' : 'here or above, up to the top of the repository'}`,
    found: 'neither',
    next: {
      command: isInitRefused
        ? 'an agent cannot use --init for that: run scratchpad init here, which its host asks about'
        : create,
      tool: 'ask the person to run `scratchpad init` in this directory, or to start the server with --workspace DIR or --init; nothing can be kept until then',
    },
  });
}

/** @throws ScratchpadError `refused` if there is no workspace and none was asked for */
export function requireWorkspace({ workspace }: OpenPad, call: Invocation, result: string): void {
  if (!workspace.exists && !canCreate(call)) throw workspaceNotFound(workspace, result);
}

/** @throws ScratchpadError `refused` if nothing was ever written here. */
export function requirePad(exists: boolean, { store }: OpenPad): void {
  if (exists) return;
  throw refusal(`there is no scratchpad for session ${store.paths.session} yet`, {
    where: store.paths.pad,
    expected: 'a scratchpad in this directory or one above it',
    found: 'nothing',
    next: { to: 'create it', command: 'scratchpad init (or name another directory with --workspace)' },
  });
}
