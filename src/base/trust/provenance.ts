import { join, resolve } from 'node:path';
import { DATA_DIR, isOwn, PAD_FILE, realPathOf, tryStat } from '../fs/index.ts';
import { trackedBelow } from '../git/index-file.ts';
import { approveContent, readApproval } from './approvals.ts';

/** `untrusted`: it came with a clone or belongs to another user, and the person has not approved it. */
export type Whose = 'own' | 'untrusted';

export interface Provenance {
  /** Plan, notes, refs and state of every session: if untrusted, they are not shown to a model. */
  spaces: Whose;
  /** `.scratchpad/config.yaml`: if untrusted, its settings do not apply. */
  settings: Whose;
  /** Whether the files may be written; those of another user may not. */
  writable: boolean;
  /** For the start of a session: one line that says what is not shown or used, and how to change that. */
  note?: string;
}

const DATA = `${DATA_DIR}/`;
const SETTINGS = `${DATA_DIR}/config.yaml`;
const OWN: Provenance = { spaces: 'own', settings: 'own', writable: true };

/**
 * Who wrote the pad and the settings of a workspace. A file that git tracks may have come with a clone; a
 * file of another user was not written by this person either. Both count as the person's own once they were
 * approved (`scratchpad trust`), or if the pad was created here.
 * @param root the folder that holds SCRATCHPAD.md
 */
export function provenanceOf(root: string, env: NodeJS.ProcessEnv = process.env): Provenance {
  const workspace = realPathOf(root) ?? resolve(root);
  const stranger = belongsToAnother(workspace, env);
  const tracked = stranger ? [] : trackedBelow(workspace, [PAD_FILE, DATA]);
  if (!stranger && tracked.length === 0) return OWN;
  const approval = readApproval(workspace, env)?.content;
  // Having created a pad here once does not vouch for a pad that another user has put in its place.
  if (approval === 'approved' || (approval === 'made' && !stranger)) return OWN;
  const settings = stranger || tracked.includes(SETTINGS) || tracked.includes(DATA);
  const spaces = stranger || tracked.some((path) => path !== SETTINGS && path !== `${DATA}.gitignore`);
  if (!settings && !spaces) return OWN;
  const what = [...(spaces ? [PAD_FILE] : []), ...(settings ? [SETTINGS] : [])].join(' and ');
  const why = stranger ? 'of another user' : 'from the repository';
  return {
    spaces: spaces ? 'untrusted' : 'own',
    settings: settings ? 'untrusted' : 'own',
    writable: !stranger,
    note: `(Not used until the person runs \`scratchpad trust\`: ${what}, ${why}.)`,
  };
}

/** Whether this user may write to a workspace: it is their own, or they have approved it. */
export function mayWrite(root: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const workspace = realPathOf(root) ?? resolve(root);
  return !belongsToAnother(workspace, env) || readApproval(workspace, env)?.content === 'approved';
}

/**
 * Whether a workspace or the scratchpad in it belongs to another user, judged as git does for a repository. A
 * folder that only root can write may hold the user's own scratchpad, like the working directory of a
 * container.
 */
function belongsToAnother(workspace: string, env: NodeJS.ProcessEnv): boolean {
  if (![join(workspace, PAD_FILE), join(workspace, DATA_DIR)].every((path) => isOwn(path, env))) return true;
  if (isOwn(workspace, env)) return false;
  const stats = tryStat(workspace);
  return stats === undefined || stats.uid !== 0 || (stats.mode & 0o022) !== 0;
}

/**
 * Records that a workspace is the person's own, so that their content stays theirs once git tracks it. Does
 * nothing if the workspace is untrusted, or if nothing can be recorded.
 * @param now epoch milliseconds
 */
export function claim(root: string, now: number, env: NodeJS.ProcessEnv = process.env): void {
  const workspace = realPathOf(root) ?? resolve(root);
  // Creating a pad does not vouch for settings beside it that came with a clone.
  if (belongsToAnother(workspace, env) || trackedBelow(workspace, [PAD_FILE, DATA]).length > 0) return;
  try {
    approveContent(workspace, 'made', now, env);
  } catch {
    // Without a record the person is asked once git tracks it.
  }
}

/**
 * The files of a workspace that git tracks and the person has not approved: they came with a clone.
 * @param paths relative to the workspace; a path that ends in `/` covers everything below it
 * @returns paths relative to the workspace
 */
export function untrustedFiles(root: string, paths: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const workspace = realPathOf(root) ?? resolve(root);
  const tracked = trackedBelow(workspace, paths);
  return tracked.length === 0 || readApproval(workspace, env)?.content === 'approved' ? [] : tracked;
}
