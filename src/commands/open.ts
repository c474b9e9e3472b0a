import { relative, resolve } from 'node:path';
import { refusal, type ScratchpadError } from '../base/errors.ts';
import { exists, PAD_FILE, readHolderPid } from '../base/fs/index.ts';
import { claim } from '../base/trust/index.ts';
import { loadConfig, storeIsSet } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import type { Pad } from '../core/context.ts';
import { hideUntrusted, isWithheld } from '../core/hide-untrusted.ts';
import { chooseSession } from '../core/scope.ts';
import { listSessionIds } from '../core/session-folders.ts';
import type { FileEntries } from '../entries/file-entries.ts';
import type { EntryPlaces } from '../entries/reach.ts';
import { completeSession, detectActor, getRecordPath, isAnothersPad } from '../session/actor.ts';
import { type FileStore, openStore } from '../session/file-store.ts';
import type { Snapshot } from '../session/store.ts';
import { getSessionPaths, isSessionId, type SessionPaths, type Workspace } from '../session/workspace.ts';
import { type Invocation, mayCreate, OUTSIDE, resolveWorkspace } from './invocation.ts';

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
  named: boolean;
  /** Notes once that a write starts a session: one named here that was never created and that no hook has seen. */
  tellStart(): void;
}

interface OpenOptions {
  /** `--session` may name one that does not exist here yet, such as a host's. */
  anySession?: boolean;
  anywhere?: boolean;
  exactly?: boolean;
  /** The command only reads, and so creates no session either. */
  known?: boolean;
  /** The command handles the shared store itself. */
  alone?: boolean;
}

/**
 * Finds the workspace, reads its configuration and opens the requested session. It creates nothing. The command's
 * changes then go to the shared store, if one is set.
 * @throws ScratchpadError `refused` for a session that does not exist, unless it is to be created
 */
export async function openSession(call: Invocation, how: OpenOptions = {}): Promise<OpenPad> {
  const { options, env, now } = call;
  const workspace = resolveWorkspace(call, how);
  const { root, from: cwd = call.cwd } = workspace;
  const { config, problems, sources } = await loadConfig(root, env);

  // Limits decide what is cut: whoever asks for silence is told, too, that his own do not count.
  call.warn(problems, 'always');
  const asked = options.session ?? (env.SCRATCHPAD_SESSION || undefined);
  const ids = asked === undefined || options.init ? [] : [config.primarySession, ...listSessionIds(root)];
  const requested = asked && completeSession(asked, ids);
  const named = requested !== undefined;
  const clock = options.now === undefined ? Date.now : () => now;
  const making = mayCreate(call);
  const checkPlace = (): void => {
    if (!workspace.exists && !making) throw workspaceNotFound(workspace, undefined, options.init === true);
  };
  const assertCanCreate = (): void => {
    checkPlace();
    claim(root, env);
  };
  const actor = detectActor(env);
  const session = requested ?? chooseSession(config, actor.session);
  if (requested !== undefined && requested !== config.primarySession && isAnothersPad(root, requested, actor))
    // An agent's commands run unasked: they are for the pads of its own session.
    throw refusal('the pad belongs to another session: nothing was done', {
      expected: 'no --session, or a subagent of this session',
      found: requested,
      next: OUTSIDE,
    });

  const store = openStore(workspace, session, config, { now: clock, env, assertCanCreate: checkPlace, cwd });
  const pad: Pad = {
    ...{ root, config, env, cwd, now: clock, assertCanCreate },
    store: detectActor(env).agent === undefined ? store : hideUntrusted({ root, env, store }),
    keepWhole: async (space, text) => {
      const { keepWhole } = await import('../entries/spill.ts');
      const { there, own } = await openEntries({ store, pad, config, assertCanCreate, named, tellStart });
      return own === undefined ? keepWhole(there, space, text) : keepWhole(own, space, text, there);
    },
  };

  if (workspace.exists && !workspace.named && root !== resolve(call.cwd)) {
    const above = relative(call.cwd, store.paths.pad);
    call.landsIn(above);
    if (options.init && !named && workspace.worktree === undefined)
      call.note(`--init created nothing: ${above} is used; for one in this folder: scratchpad init`);
  }

  const { dir, data } = store.paths;
  const isThere = (): boolean => exists(dir) || exists(getRecordPath(data, store.paths.session));
  let isNew = ![undefined, config.primarySession, actor.session].includes(requested) && !isThere();
  const tellStart = (): void => {
    if (isNew) call.note(`this starts session ${requested}; list all with: scratchpad session list`);
    isNew = false;
  };
  const opened: OpenPad = {
    ...{ workspace, pad, config, store, assertCanCreate, named, tellStart },
    ...{ configProblems: problems, configSources: sources },
  };

  if (how.alone) return opened;
  if (isNew && (how.known || !(how.anySession || options.init || making)))
    throw await sessionNotFound(store.paths.session, root, config, options.session);

  if (workspace.exists && !exists(getSessionPaths(root, config.primarySession).journal)) {
    const { adoptHostSession } = await import('../transcript/adopt-session.ts');
    for (const notice of await adoptHostSession(pad)) call.note(notice);
  }

  if (storeIsSet(config, env)) {
    const { sendAfterwards, takeNotices } = await import('../shared-store/background-sync.ts');
    sendAfterwards({ root, config, env });
    if (!options.quiet) call.warn(takeNotices(root));
  }

  return opened;
}

/**
 * Opens a session for a command that only reads.
 * @param result what is said where there is no workspace: its emptiness says nothing about what was kept elsewhere
 * @throws ScratchpadError `refused` for a session that does not exist, or with `result` without a workspace
 */
export async function openKnown(call: Invocation, result?: string): Promise<OpenPad> {
  const opened = await openSession(call, { known: true });
  if (result !== undefined) needWorkspace(opened, call, result);
  return opened;
}

/** Reads the pad for a command that shows the plan, which the file then shows, too: also after a checkout. */
export async function readInStep({ root, store, config }: Pad): Promise<Snapshot> {
  const snapshot = await store.read();
  // Whoever holds the lock writes the file; a reader does not wait for that.
  const isFree =
    readHolderPid(getSessionPaths(root, snapshot.session, config.primarySession).lock) === undefined;
  if (snapshot.isBehind && !snapshot.isWithheld && isFree) await store.writeState().catch(() => undefined);
  return snapshot;
}

async function sessionNotFound(
  found: string,
  root: string,
  { primarySession }: Config,
  option: string | undefined,
): Promise<ScratchpadError> {
  const { findNearest } = await import('../config/values.ts');
  const near = findNearest(found, [primarySession, ...listSessionIds(root)]);

  return refusal('no such session: nothing was created', {
    expected: near && `perhaps ${near}`,
    found: option ? found : `${found} (in SCRATCHPAD_SESSION)`,
    next: 'list sessions with: scratchpad session list; create this one with: --init',
  });
}

type EntryLocation = Pick<OpenPad, 'store' | 'pad' | 'config' | 'assertCanCreate' | 'named' | 'tellStart'>;

export async function openEntries(opened: EntryLocation): Promise<{ there: FileEntries; own?: FileEntries }> {
  const { store, pad, config, assertCanCreate, named, tellStart } = opened;
  const { FileEntries } = await import('../entries/file-entries.ts');
  const actor = detectActor(pad.env);
  const openEntriesIn = (paths: SessionPaths): FileEntries =>
    new FileEntries(paths, {
      now: () => pad.now(),
      assertCanCreate: () => {
        assertCanCreate();
        tellStart();
      },
      actor,
      isHidden: () => isWithheld(pad),
    });
  const there = openEntriesIn(store.paths);

  if (named || actor.session === undefined || !isSessionId(actor.session)) return { there };

  const paths = getSessionPaths(pad.root, actor.session, config.primarySession);

  return { there, own: paths.dir === store.paths.dir ? undefined : openEntriesIn(paths) };
}

/** The entries that a command finds by their names: those of its own session, then those of the opened one. */
export async function listEntryPlaces(opened: EntryLocation): Promise<EntryPlaces> {
  const { own, there } = await openEntries(opened);
  return own === undefined ? [there] : [own, there];
}

export function workspaceNotFound(
  { root, named }: Workspace,
  result = 'nothing was written',
  initRefused = false,
): ScratchpadError {
  return refusal(`there is no scratchpad here: ${result}`, {
    where: root,
    expected: `${PAD_FILE} or .scratchpad/ ${named ? 'in it' : 'here or above, up to the top of the repository'}`,
    found: 'neither',
    next: {
      command: initRefused
        ? 'an agent cannot use --init for that: run scratchpad init here, which its host asks about'
        : `${named ? '' : 'run scratchpad init here, '}add --init to this command, or name ${named ? 'another workspace' : 'the workspace with --workspace'}`,
      tool: 'ask the person to run `scratchpad init` in this directory, or to start the server with --workspace DIR or --init; nothing can be kept until then',
    },
  });
}

/** @throws ScratchpadError `refused` if there is no workspace and none was asked for */
export function needWorkspace({ workspace }: OpenPad, call: Invocation, result: string): void {
  if (!workspace.exists && !mayCreate(call)) throw workspaceNotFound(workspace, result);
}

/** @throws ScratchpadError `refused` if nothing was ever written here. */
export function needPad(exists: boolean, { store }: OpenPad): void {
  if (exists) return;
  throw refusal(`there is no scratchpad for session ${store.paths.session} yet`, {
    where: store.paths.pad,
    expected: 'a scratchpad in this directory or one above it',
    found: 'nothing',
    next: { to: 'create it', command: 'scratchpad init (or name another directory with --workspace)' },
  });
}
