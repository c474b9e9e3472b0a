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

/** Paths relative to a workspace. */
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

/** @param identity a workspace's path, or what `identifyFolder` returns for it */
function getApprovalFile(identity: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const folder = stateFolder(env);
  const name = identity === undefined ? undefined : computeSeal('approval', identity, env);
  return folder === undefined || name === undefined ? undefined : join(folder, 'trust', `${name}.json`);
}

/** Identifies a folder of this machine, also after it was moved; `undefined` if the file system cannot. */
export function identifyFolder(folder: string): string | undefined {
  const { ino, birthtimeMs } = tryStat(folder) ?? {};
  return ino && birthtimeMs ? `${ino} ${birthtimeMs}` : undefined;
}

/** Whether a file exists, and no other user can have written it. */
export function isOnlyMine(path: string): boolean {
  const stats = tryStat(path);
  const user = process.getuid?.();
  return stats !== undefined && (user === undefined || (stats.uid === user && (stats.mode & 0o022) === 0));
}

/** The approval of a workspace. After it was moved only its content is approved; another folder at its path is not. */
export function readApproval(workspace: string, env: NodeJS.ProcessEnv): Approval | undefined {
  const byPath = readApprovalFile(workspace, env);
  const folder = identifyFolder(workspace);
  if (byPath?.workspace === workspace && isSameBirth(byPath.folder, folder)) return byPath;

  const byFolder = readApprovalFile(folder, env);
  const isMoved = byFolder !== undefined && byFolder.folder === folder;
  return isMoved ? { ...byFolder, workspace, digest: '', each: {} } : undefined;
}

/** Compares times of birth: a medium that is mounted again has other inodes. */
const isSameBirth = (a: string | undefined, b: string | undefined): boolean =>
  !a || !b || a.split(' ')[1] === b.split(' ')[1];

/** Ignores a file that other users could have written. */
function readApprovalFile(identity: string | undefined, env: NodeJS.ProcessEnv): Approval | undefined {
  const file = getApprovalFile(identity, env);
  if (file === undefined || !isOnlyMine(file)) return undefined;
  const approval = tryReadJson(file, 'record') as Partial<Approval> | null | undefined;
  return typeof approval?.digest === 'string' ? ({ approved: '', ...approval } as Approval) : undefined;
}

/**
 * Records that a person vouches for the content of a workspace, by its real path: for what git has of it now, and for
 * all that it will have on this branch.
 * @param now epoch milliseconds
 * @throws ScratchpadError `environment` if it cannot be written
 */
export function approveContent(workspace: string, now: number, env: NodeJS.ProcessEnv, tracked?: true): void {
  const before = readApproval(workspace, env) ?? { workspace, digest: '', approved: '' };
  const branch = findGitPlace(workspace)?.branch;
  const files = [PAD_FILE, SETTINGS].map((name) => attempt(() => readBytes(join(workspace, name), 'pad')));
  const ids = [
    ...listTrackedPaths(workspace, [PAD_FILE, DATA]).map(({ id }) => id),
    ...files.map((bytes) => bytes && hashObject(bytes)),
  ].filter((id) => id !== undefined);
  const branches = new Set([...(before.branches ?? []), ...(branch === undefined ? [] : [branch])]);
  const blobs = new Set([...(before.blobs ?? []), ...ids]);
  const approval: Approval = {
    ...before,
    content: 'approved',
    branches: [...branches].slice(-MOST_BRANCHES),
    blobs: [...blobs].slice(-MOST_BLOBS),
    tracked: tracked ?? before.tracked ?? false,
    approved: new Date(now).toISOString(),
  };
  writeApproval(approval, env);
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
