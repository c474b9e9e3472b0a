import { findGitPlace, findWorktree, hasBranch, isBranchNewer } from '../base/git/place.ts';
import { detectActor, hasSessionEnded, listForkOrigins } from './actor.ts';
import { type PlanKey, pickKey } from './plan-key.ts';
import type { PlanPlace } from './plans.ts';
import type { FileStoreOptions } from './store.ts';

export interface PlanPlaces {
  caller: PlanPlace;
  file: PlanPlace;
}

/** The key of a plan that is made in a folder; it names no work tree if the pad is in the same one. */
function readPlaceKey(root: string, folder: string): PlanKey {
  const { linked, branch } = findGitPlace(folder) ?? {};
  return pickKey({ branch, worktree: linked === findGitPlace(root)?.linked ? undefined : linked });
}

/** The key of a plan that a caller makes in the pad that sessions share. */
export function readCallerKey(
  root: string,
  { as, cwd = root, env = process.env }: FileStoreOptions,
): PlanKey {
  return { ...readPlaceKey(root, cwd), session: as?.session ?? detectActor(env).session };
}

/**
 * The places at which a caller and the file look plans up.
 * @param data the workspace's `.scratchpad`
 * @param key of a plan that the caller makes; `undefined` in a pad that belongs to one session
 * @param isTracked whether git tracks the file, and so has one for each branch
 */
export function findPlaces(
  root: string,
  data: string,
  options: FileStoreOptions,
  key: PlanKey | undefined,
  isTracked: boolean,
): PlanPlaces {
  const now = (options.now ?? Date.now)();
  const git = findGitPlace(options.cwd ?? root);
  const common = {
    now,
    hasEnded: (id: string, lastSign: number) => hasSessionEnded(data, id, now, lastSign),
    hasBranch: (name: string) => git !== undefined && hasBranch(git, name),
    isBranchNewer: (name: string, at: number) => git !== undefined && isBranchNewer(git, name, at),
    hasWorktree: (name: string) => findWorktree(root, name) !== undefined,
  };
  if (key === undefined) return { caller: common, file: common };

  const withoutBranch = isTracked ? { branch: undefined } : {};
  const forkedFrom = key.session === undefined ? [] : listForkOrigins(data, key.session);

  return {
    caller: { ...common, forkedFrom, ...options.as, ...key, ...withoutBranch },
    file: { ...common, ...readPlaceKey(root, root), ...withoutBranch },
  };
}
