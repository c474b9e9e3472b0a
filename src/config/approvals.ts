import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, ScratchpadError } from '../errors.ts';

/** One workspace's approval, in a file of its own outside the workspace. */
export interface Approval {
  /** Real path. */
  workspace: string;
  /** `Trust.digest` as it was approved. */
  digest: string;
  /** ISO 8601. */
  approved: string;
  /** The commands as they were shown. */
  commands: string[];
}

/** The user's own state folder (XDG base directory specification); `undefined` without a home. */
function folder(env: NodeJS.ProcessEnv): string | undefined {
  const home = env.HOME || env.USERPROFILE;
  const state = env.XDG_STATE_HOME || (home ? join(home, '.local', 'state') : undefined);
  return state === undefined ? undefined : join(state, 'scratchpad', 'trust');
}

function fileOf(workspace: string, env: NodeJS.ProcessEnv): string | undefined {
  const dir = folder(env);
  const name = createHash('sha256').update(workspace).digest('hex').slice(0, 32);
  return dir === undefined ? undefined : join(dir, `${name}.json`);
}

/** The approval of a workspace; one that others could have written is none. */
export function readApproval(workspace: string, env: NodeJS.ProcessEnv): Approval | undefined {
  const file = fileOf(workspace, env);
  const approval = file === undefined ? undefined : readFile(file);
  return approval?.workspace === workspace ? approval : undefined;
}

export function listApprovals(env: NodeJS.ProcessEnv): Approval[] {
  const dir = folder(env);
  try {
    const names = dir === undefined ? [] : readdirSync(dir).filter((name) => name.endsWith('.json'));
    const all = names.flatMap((name) => readFile(join(dir ?? '', name)) ?? []);
    return all.sort((a, b) => (a.workspace < b.workspace ? -1 : 1));
  } catch {
    return [];
  }
}

/** @throws ScratchpadError `environment` when it cannot be kept */
export function writeApproval(approval: Approval, env: NodeJS.ProcessEnv): string {
  const file = fileOf(approval.workspace, env);
  if (file === undefined) {
    throw new ScratchpadError('environment', 'there is no place to keep the approval', {
      expected: 'HOME or XDG_STATE_HOME in the environment',
      found: 'neither',
    });
  }
  try {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}.tmp`;
    writeFileSync(draft, `${JSON.stringify(approval, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
    return file;
  } catch (cause) {
    throw new ScratchpadError('environment', 'the approval cannot be kept', {
      where: file,
      found: String(cause),
      cause,
    });
  }
}

/** @returns whether there was one */
export function removeApproval(workspace: string, env: NodeJS.ProcessEnv): boolean {
  const file = fileOf(workspace, env);
  if (file === undefined) return false;
  try {
    rmSync(file);
    return true;
  } catch (cause) {
    if (hasCode(cause, 'ENOENT', 'ENOTDIR')) return false;
    throw new ScratchpadError('environment', 'the approval cannot be taken back', {
      where: file,
      found: String(cause),
      cause,
    });
  }
}

function readFile(path: string): Approval | undefined {
  try {
    const { uid, mode } = statSync(path);
    const me = process.getuid?.();
    if (me !== undefined && (uid !== me || (mode & 0o022) !== 0)) return undefined;
    const found = JSON.parse(readFileSync(path, 'utf8')) as Partial<Approval> | null;
    const whole = typeof found?.workspace === 'string' && typeof found.digest === 'string';
    return whole ? ({ approved: '', commands: [], ...found } as Approval) : undefined;
  } catch {
    return undefined;
  }
}
