import { lstatSync } from 'node:fs';
import { hasCode } from '../errors.ts';

/**
 * Whether a path belongs to this user, as git judges the folders of a repository (safe.directory in
 * git-config(1)): to the effective user, or for root to the user who called sudo. Links are judged
 * themselves. A missing path counts as one's own, and so does every path on a system without owners.
 */
export function isOwn(path: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const me = process.geteuid?.();
  if (me === undefined) return true;
  let uid: number | undefined;
  try {
    uid = lstatSync(path, { throwIfNoEntry: false })?.uid;
  } catch (error) {
    return hasCode(error, 'ENOTDIR');
  }
  if (uid === undefined || uid === me) return true;
  return me === 0 && env.SUDO_UID !== undefined && uid === Number(env.SUDO_UID);
}
