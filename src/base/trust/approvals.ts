import { dirname, join } from 'node:path';
import { failed } from '../errors.ts';
import { ensureFolder, remove, statOf, tryReadJson, writeAtomically } from '../fs/index.ts';
import { sealOf, stateFolder } from './seal.ts';

/** What a person has approved in one workspace, kept in a file outside the workspace. */
export interface Approval {
  /** Real path. */
  workspace: string;
  /**
   * Why its pad and settings count as the person's own (`provenance.ts`): they were created here, or
   * approved.
   */
  content?: 'made' | 'approved';
  /** Digest of the commands as approved (`config/trust.ts`); empty if there were none. */
  digest: string;
  /** The digest of each command by its key: changing one leaves the others approved. */
  each?: Readonly<Record<string, string>>;
  /** ISO 8601. */
  approved: string;
  /** The commands as they were shown. */
  commands: string[];
}

function folder(env: NodeJS.ProcessEnv): string | undefined {
  const state = stateFolder(env);
  return state === undefined ? undefined : join(state, 'trust');
}

function fileOf(workspace: string, env: NodeJS.ProcessEnv): string | undefined {
  const dir = folder(env);
  const name = sealOf('approval', workspace, env);
  return dir === undefined || name === undefined ? undefined : join(dir, `${name}.json`);
}

/** The approval of a workspace. A file that other users could have written does not count. */
export function readApproval(workspace: string, env: NodeJS.ProcessEnv): Approval | undefined {
  const file = fileOf(workspace, env);
  const approval = file === undefined ? undefined : readFile(file);
  return approval?.workspace === workspace ? approval : undefined;
}

/**
 * Records that the content of a workspace is the person's own.
 * @param workspace real path
 * @param at epoch milliseconds
 * @throws ScratchpadError `environment` if it cannot be written
 */
export function approveContent(
  workspace: string,
  content: 'made' | 'approved',
  at: number,
  env: NodeJS.ProcessEnv,
): void {
  const before = readApproval(workspace, env) ?? { workspace, digest: '', approved: '', commands: [] };
  if (before.content === content || before.content === 'approved') return;
  writeApproval({ ...before, approved: new Date(at).toISOString(), content }, env);
}

/** @throws ScratchpadError `environment` if it cannot be written */
export function writeApproval(approval: Approval, env: NodeJS.ProcessEnv): string {
  const file = fileOf(approval.workspace, env);
  if (file === undefined) {
    throw failed('there is no place to keep the approval', {
      expected: 'HOME or XDG_STATE_HOME in the environment',
      found: 'neither',
    });
  }
  ensureFolder(dirname(file), 0o700);
  writeAtomically(file, `${JSON.stringify(approval, null, 2)}\n`, { mode: 0o600 });
  return file;
}

/**
 * @returns whether there was one
 * @throws ScratchpadError `environment` if it cannot be removed
 */
export function removeApproval(workspace: string, env: NodeJS.ProcessEnv): boolean {
  const file = fileOf(workspace, env);
  return file !== undefined && remove(file);
}

function readFile(path: string): Approval | undefined {
  try {
    const { uid, mode } = statOf(path) ?? {};
    const me = process.getuid?.();
    if (uid === undefined || mode === undefined) return undefined;
    if (me !== undefined && (uid !== me || (mode & 0o022) !== 0)) return undefined;
    const found = tryReadJson(path, 'record') as Partial<Approval> | null | undefined;
    const whole = typeof found?.workspace === 'string' && typeof found.digest === 'string';
    return whole ? ({ approved: '', commands: [], ...found } as Approval) : undefined;
  } catch {
    return undefined;
  }
}
