import { randomBytes } from 'node:crypto';
import { join, relative, sep } from 'node:path';
import { refused, type ScratchpadError } from '../base/errors.ts';
import { DATA_DIR, ensureFolder, tryReadJson, tryRemove, writeAtomically } from '../base/fs/index.ts';
import { originOf } from '../base/git/identity.ts';
import { gitPlace } from '../base/git/place.ts';
import { membersOf } from '../base/text/json.ts';
import type { Config } from '../config/config.ts';

export interface Membership {
  /** The server, in the form of `shownAddress`. */
  server: string;
  /** The name of the workspace in the store. */
  identity: string;
  /** Identifies this working copy in operation ids. */
  replica: string;
  tenant?: string;
  workspace?: string;
}

export const sharedFolder = (root: string): string => join(root, DATA_DIR, 'shared');
const fileIn = (root: string): string => join(sharedFolder(root), 'workspace.json');

export function readMembership(root: string): Membership | undefined {
  const kept = membersOf(tryReadJson(fileIn(root), 'record'));
  const { server, identity, replica, tenant, workspace } = kept;
  if (typeof server !== 'string' || typeof identity !== 'string' || typeof replica !== 'string')
    return undefined;
  const known = (id: unknown): string | undefined => (typeof id === 'string' ? id : undefined);
  return { server, identity, replica, tenant: known(tenant), workspace: known(workspace) };
}

export function writeMembership(root: string, membership: Membership): void {
  ensureFolder(sharedFolder(root));
  writeAtomically(fileIn(root), `${JSON.stringify(membership)}\n`);
}

/**
 * Makes a working copy a member of a shared store, unless it is one already.
 * @throws ScratchpadError `refused` if the workspace has no name that other machines would find
 */
export function joinStore(root: string, server: string, config: Config): Membership {
  const identity = workspaceIdentity(root, config);
  const before = readMembership(root);
  if (before?.server === server && before.identity === identity) return before;
  const membership = { server, identity, replica: before?.replica ?? randomBytes(4).toString('hex') };
  writeMembership(root, membership);
  return membership;
}

/**
 * Tells on every machine that two working copies belong to one workspace: the name in the settings, else the
 * address of the repository's origin with the path in it.
 */
export function workspaceIdentity(root: string, config: Config): string {
  const { workspace: name } = config.shared;
  if (name !== undefined) return `name:${name}`;
  const place = gitPlace(root);
  const origin = place === undefined ? undefined : originOf(place);
  if (place === undefined || origin === undefined) {
    throw refused('other machines could not recognise this workspace', {
      where: root,
      expected: 'a git repository with a remote called origin, or a name in the settings',
      next: {
        to: 'give it the same name on every machine',
        command: 'scratchpad config set shared.workspace NAME',
      },
    });
  }
  const folder = relative(place.top, root).split(sep).join('/');
  return `git:${origin}${folder === '' ? '' : `//${folder}`}`;
}

/** Most notices of background exchanges to keep until a command or a hook shows them. */
const MOST = 10;

const noticesIn = (root: string): string => join(sharedFolder(root), 'notices.json');

export function keepNotices(root: string, notices: readonly string[]): void {
  if (notices.length === 0) return;
  const all = [...new Set([...readNotices(root), ...notices])].slice(-MOST);
  writeAtomically(noticesIn(root), JSON.stringify(all), { durable: false });
}

export function takeNotices(root: string): string[] {
  const notices = readNotices(root);
  if (notices.length > 0) tryRemove(noticesIn(root));
  return notices;
}

function readNotices(root: string): string[] {
  const kept = tryReadJson(noticesIn(root), 'record');
  return Array.isArray(kept) ? kept.filter((notice) => typeof notice === 'string') : [];
}

/** The store is set for all workspaces of a user, and this one has not joined it. */
export function notJoined(root: string): ScratchpadError {
  return refused('this workspace has not joined the shared store: nothing was sent', {
    where: root,
    expected: 'a joined workspace, because the store is set for all your workspaces',
    next: { to: 'join it', command: 'scratchpad store join' },
  });
}
