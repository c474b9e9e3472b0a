import { dirname, join } from 'node:path';
import { attempt, failure } from '../errors.ts';
import {
  DATA_DIR,
  ensureFolder,
  PAD_FILE,
  readBytes,
  remove,
  stateFolder,
  tryReadJson,
  tryStat,
  writeAtomically,
} from '../fs/index.ts';
import { listTrackedPaths } from '../git/index-file.ts';
import { hashObject } from '../git/objects.ts';
import { findGitPlace } from '../git/place.ts';
import { computeSeal } from './seal.ts';

/** What git may bring, relative to a workspace: `SETTINGS` is in `DATA`. */
export const DATA = `${DATA_DIR}/`;
export const SETTINGS = `${DATA_DIR}/config.yaml`;

/** What a person has approved in one workspace, kept in a file outside the workspace. */
export interface Approval {
  /** Real path. */
  workspace: string;
  /** By `identifyFolder`. */
  folder?: string | undefined;
  /** Whether its pad and settings count as the person's own, on which branches, and what git then had of them. */
  content?: 'approved';
  branches?: readonly string[];
  /** Object ids. */
  blobs?: readonly string[];
  /** Whether the person has git track the pad: then each branch has its own version of it. */
  tracked?: boolean;
  /** Digest of the commands as approved (`config/trust.ts`); empty if there were none. */
  digest: string;
  /** The digest of each command by its key: changing one leaves the others approved. */
  each?: Readonly<Record<string, string>>;
  /** ISO 8601. */
  approved: string;
}

/** @param named a workspace's path, or what `identifyFolder` says of it */
function getApprovalFile(named: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const folder = stateFolder(env);
  const name = named === undefined ? undefined : computeSeal('approval', named, env);
  return folder === undefined || name === undefined ? undefined : join(folder, 'trust', `${name}.json`);
}

/** A folder of this machine, also after it was moved; `undefined` where the file system does not say. */
export function identifyFolder(folder: string): string | undefined {
  const { ino, birthtimeMs } = tryStat(folder) ?? {};
  return ino && birthtimeMs ? `${ino} ${birthtimeMs}` : undefined;
}

/** Whether there is such a file, and no other user can have written it. */
export function isOnlyMine(path: string): boolean {
  const stats = tryStat(path);
  const me = process.getuid?.();
  return stats !== undefined && (me === undefined || (stats.uid === me && (stats.mode & 0o022) === 0));
}

/**
 * The approval of a workspace; after it was moved, of its content alone. Another folder at its path has none, nor does a
 * file count that other users could have written.
 */
export function readApproval(workspace: string, env: NodeJS.ProcessEnv): Approval | undefined {
  const own = readApprovalFile(workspace, env);
  const folder = identifyFolder(workspace);
  if (own?.workspace === workspace && isSameBirth(own.folder, folder)) return own;

  const moved = readApprovalFile(folder, env);
  return moved?.folder === folder && moved !== undefined
    ? { ...moved, workspace, digest: '', each: {} }
    : undefined;
}

/** Inodes change where a stick is mounted again, births do not. */
const isSameBirth = (one: string | undefined, other: string | undefined): boolean =>
  !one || !other || one.split(' ')[1] === other.split(' ')[1];

function readApprovalFile(named: string | undefined, env: NodeJS.ProcessEnv): Approval | undefined {
  const file = getApprovalFile(named, env);
  if (file === undefined || !isOnlyMine(file)) return undefined;
  const found = tryReadJson(file, 'record') as Partial<Approval> | null | undefined;
  return typeof found?.digest === 'string' ? ({ approved: '', ...found } as Approval) : undefined;
}

/**
 * Records that a person vouches for the content of a workspace, by its real path: for what git has of it now, and for
 * all that it will have on this branch.
 * @param at epoch milliseconds
 * @throws ScratchpadError `environment` if it cannot be written
 */
export function approveContent(workspace: string, at: number, env: NodeJS.ProcessEnv, tracked?: true): void {
  const before = readApproval(workspace, env) ?? { workspace, digest: '', approved: '' };
  const branch = findGitPlace(workspace)?.branch;
  const files = [PAD_FILE, SETTINGS].map((name) => attempt(() => readBytes(join(workspace, name), 'pad')));
  const ids = [
    ...listTrackedPaths(workspace, [PAD_FILE, DATA]).map(({ id }) => id),
    ...files.map((bytes) => bytes && hashObject(bytes)),
  ].filter((id) => id !== undefined);
  const branches = [...new Set([...(before.branches ?? []), ...(branch === undefined ? [] : [branch])])];
  const blobs = [...new Set([...(before.blobs ?? []), ...ids])].slice(-MOST_BLOBS);
  const content = { content: 'approved', branches: branches.slice(-MOST_BRANCHES), blobs } as const;
  const isTracked = tracked ?? before.tracked ?? false;
  writeApproval({ ...before, ...content, tracked: isTracked, approved: new Date(at).toISOString() }, env);
}

const [MOST_BRANCHES, MOST_BLOBS] = [100, 500];

export function writeApproval(approval: Approval, env: NodeJS.ProcessEnv): string {
  const file = getApprovalFile(approval.workspace, env);
  if (file === undefined) {
    throw failure('there is no place to keep the approval', {
      expected: 'HOME or XDG_STATE_HOME in the environment',
      found: 'neither',
    });
  }
  const folder = identifyFolder(approval.workspace);
  const byFolder = getApprovalFile(folder, env);
  const text = `${JSON.stringify({ ...approval, folder }, null, 2)}\n`;
  ensureFolder(dirname(file), 0o700);
  writeAtomically(file, text, { mode: 0o600 });
  if (byFolder !== undefined) writeAtomically(byFolder, text, { mode: 0o600 });

  return file;
}

/** @throws ScratchpadError `environment` if it cannot be removed */
export function removeApproval(workspace: string, env: NodeJS.ProcessEnv): boolean {
  const names = [workspace, identifyFolder(workspace)];
  const files = names.flatMap((name) => getApprovalFile(name, env) ?? []);
  return files.map(remove).includes(true);
}
