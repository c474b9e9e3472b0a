import { join, relative, sep } from 'node:path';
import { attempt, refusal } from '../base/errors.ts';
import {
  DATA_DIR,
  ensureFolder,
  makeTemporaryPath,
  move,
  tryRemove,
  writeAtomically,
} from '../base/fs/index.ts';
import { list, number, readOwn, record, text } from '../base/fs/json-shape.ts';
import { findGitPlace, readOrigin } from '../base/git/place.ts';
import type { Config } from '../config/settings.ts';
import type { Pad } from '../core/context.ts';

export type StoreMember = Pick<Pad, 'root' | 'config' | 'env'>;

export interface Membership {
  server: string;
  identity: string;
  workspace?: string;
}

export const getSharedFolder = (root: string): string => join(root, DATA_DIR, 'shared');
const getMembershipFile = (root: string): string => join(getSharedFolder(root), 'workspace.json');
const getContactFile = (root: string): string => join(getSharedFolder(root), 'circuit.json');
const getNoticesFile = (root: string): string => join(getSharedFolder(root), 'notices.json');

const MEMBERSHIP = record({ server: text, identity: text }, { workspace: text });

export const readMembership = (root: string): Membership | undefined =>
  readOwn(getMembershipFile(root), 'record', MEMBERSHIP);

export function writeMembership(root: string, membership: Membership): void {
  ensureFolder(join(root, DATA_DIR));
  ensureFolder(getSharedFolder(root));
  writeAtomically(getMembershipFile(root), `${JSON.stringify(membership)}\n`);
}

/**
 * Makes a working copy a member of a shared store, unless it is one already.
 * @throws ScratchpadError `refused` if the workspace has no name that other machines would find
 */
export function joinStore(root: string, server: string, config: Config): Membership {
  const identity = computeIdentity(root, config);
  const before = readMembership(root);
  if (before?.server === server && before.identity === identity) return before;

  const membership = { server, identity };
  writeMembership(root, membership);

  return membership;
}

/** The name of the workspace on every machine: that of the settings, else the repository's origin with the path in it. */
function computeIdentity(root: string, config: Config): string {
  const { workspace: name } = config.shared;
  if (name !== undefined) return `name:${name}`;

  const place = findGitPlace(root);
  const origin = place && readOrigin(place);

  if (origin === undefined)
    throw refusal('other machines could not recognise this workspace', {
      where: root,
      expected: 'a git repository with a remote called origin, or a name in the settings',
      next: {
        to: 'give it the same name on every machine',
        command: 'scratchpad config set shared.workspace NAME',
      },
    });

  const folder = relative(place?.top ?? root, root)
    .split(sep)
    .join('/');

  return `git:${origin}${folder === '' ? '' : `//${folder}`}`;
}

/** Whether the workspace is shared: if the store is set for all of a user's workspaces, it must have joined it. */
export const isMember = ({ root, config, env }: StoreMember): boolean =>
  Boolean(env.SCRATCHPAD_STORE) || (config.store !== undefined && readMembership(root) !== undefined);

/** What the processes of this machine know of the server, in epoch milliseconds. */
interface Contact {
  /** When the whole workspace was last in step with it. */
  inStep?: number;
  /** When it failed last; not known once it has answered since. */
  failed?: number;
  /** How long the last connection took until its first answer: a hook that waited in vain adds to it. */
  connectMs?: number;
}

/** After a failure no command or hook tries again for this time. */
const LEFT_ALONE_MS = 30_000;

const CONTACT = record({}, { inStep: number, failed: number, connectMs: number });

export const readContact = (root: string): Contact => readOwn(getContactFile(root), 'record', CONTACT) ?? {};

export function noteContact(root: string, news: Contact): void {
  // If it fails the next process finds out by itself.
  attempt(() => {
    const contact = { ...readContact(root), ...news };
    writeAtomically(getContactFile(root), JSON.stringify(contact), { durable: false });
  });
}

/** A clock that was set back does not prolong it. */
export function isLeftAlone({ failed = 0 }: Contact): boolean {
  const now = Date.now();
  return failed <= now && now - failed < LEFT_ALONE_MS;
}

/** Most notices of background exchanges to keep until a command or a hook shows them. */
const MOST_NOTICES = 10;

export function keepNotices(root: string, notices: readonly string[]): void {
  if (notices.length === 0) return;
  const all = [...new Set([...readNotices(getNoticesFile(root)), ...notices])].slice(-MOST_NOTICES);
  writeAtomically(getNoticesFile(root), JSON.stringify(all), { durable: false });
}

export function takeNotices(root: string): string[] {
  // Between a read and a removal another process may write one.
  const taken = makeTemporaryPath(getNoticesFile(root));
  attempt(() => move(getNoticesFile(root), taken));
  const notices = readNotices(taken);
  tryRemove(taken);

  return notices;
}

const readNotices = (file: string): string[] => readOwn(file, 'record', list(text)) ?? [];
