import { join, resolve } from 'node:path';
import { DATA_DIR, isOwn, realPathOf, tryStat } from '../fs/index.ts';
import { trackedBelow } from '../git/tracked.ts';
import { approveContent, readApproval } from './approvals.ts';

/** `untrusted`: came with a clone or belongs to another user, and the person has not said yes to it. */
export type Whose = 'own' | 'untrusted';

/** Whose words a workspace holds. */
export interface Provenance {
  /** Plan, notes, refs and state of every session: untrusted ones are not put before a model. */
  spaces: Whose;
  /** `.scratchpad/config.yaml`: where it is untrusted, its settings do not apply. */
  settings: Whose;
  /** Whether the files may be written: those of another user may not. */
  writable: boolean;
  /** For the start of a session: one line that says what is not shown or used, and what the person can do. */
  note?: string;
}

const PAD = 'SCRATCHPAD.md';
const DATA = `${DATA_DIR}/`;
const SETTINGS = `${DATA_DIR}/config.yaml`;
const OWN: Provenance = { spaces: 'own', settings: 'own', writable: true };

/**
 * Whose words the pad and the settings of a workspace are. A file that git tracks may have come with a clone; one of
 * another user was not written by this person either. Both are believed once the person has said so (`scratchpad
 * trust`) or has made the pad here.
 *
 * @param root the folder that holds SCRATCHPAD.md
 */
export function provenanceOf(root: string, env: NodeJS.ProcessEnv = process.env): Provenance {
  const workspace = realPathOf(root) ?? resolve(root);
  const stranger = belongsToAnother(workspace, env);
  const tracked = stranger ? [] : trackedBelow(workspace, [PAD, DATA]);
  if (!stranger && tracked.length === 0) return OWN;
  const approval = readApproval(workspace, env)?.content;
  // Having made a pad here once says nothing for one that another user has put in its place.
  if (approval === 'approved' || (approval === 'made' && !stranger)) return OWN;
  const settings = stranger || tracked.includes(SETTINGS) || tracked.includes(DATA);
  const spaces = stranger || tracked.some((path) => path !== SETTINGS && path !== `${DATA}.gitignore`);
  if (!settings && !spaces) return OWN;
  const what = [...(spaces ? [PAD] : []), ...(settings ? [SETTINGS] : [])].join(' and ');
  const why = stranger ? 'of another user' : 'from the repository';
  return {
    spaces: spaces ? 'untrusted' : 'own',
    settings: settings ? 'untrusted' : 'own',
    writable: !stranger,
    note: `(Not used until the person runs \`scratchpad trust\`: ${what}, ${why}.)`,
  };
}

/** Whether a workspace is this user's to write in: their own, or one they have approved. */
export function mayWrite(root: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const workspace = realPathOf(root) ?? resolve(root);
  return !belongsToAnother(workspace, env) || readApproval(workspace, env)?.content === 'approved';
}

/**
 * Whether a workspace or the scratchpad in it belongs to another user, as git asks it of a repository. A folder that
 * only root can write may hold a scratchpad of one's own, as the working directory of a container does.
 */
function belongsToAnother(workspace: string, env: NodeJS.ProcessEnv): boolean {
  if (![join(workspace, PAD), join(workspace, DATA_DIR)].every((path) => isOwn(path, env))) return true;
  if (isOwn(workspace, env)) return false;
  const stats = tryStat(workspace);
  return stats === undefined || stats.uid !== 0 || (stats.mode & 0o022) !== 0;
}

/**
 * Remembers that a workspace is the person's own: what they made here stays theirs when git comes to track it.
 * Nothing happens where it is untrusted, or where nothing can be remembered.
 * @param now epoch milliseconds
 */
export function claim(root: string, now: number, env: NodeJS.ProcessEnv = process.env): void {
  const workspace = realPathOf(root) ?? resolve(root);
  // Settings that came with a clone are not vouched for by a pad that is made beside them.
  if (belongsToAnother(workspace, env) || trackedBelow(workspace, [PAD, DATA]).length > 0) return;
  try {
    approveContent(workspace, 'made', now, env);
  } catch {
    // Then the person is asked once git tracks it.
  }
}

/**
 * The files of a workspace that git tracks and the person has not approved: they came with a clone.
 * @param paths relative to the workspace; one that ends in `/` stands for all that is below it
 * @returns paths relative to the workspace
 */
export function untrustedFiles(root: string, paths: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const workspace = realPathOf(root) ?? resolve(root);
  const tracked = trackedBelow(workspace, paths);
  return tracked.length === 0 || readApproval(workspace, env)?.content === 'approved' ? [] : tracked;
}
