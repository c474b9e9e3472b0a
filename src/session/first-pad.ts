import { DATA_DIR, ensureFolder, PAD_FILE } from '../base/fs/index.ts';
import { claim } from '../base/trust/index.ts';
import { hasTrackedRecord } from './reconcile.ts';
import type { FileStoreOptions } from './store.ts';
import { DEFAULT_PRIMARY, getSessionPaths } from './workspace.ts';

/**
 * Makes the folder of a workspace's first pad, and marks it as made here.
 * @returns keeps the files out of commits, once they are there
 */
export async function beginPad(
  root: string,
  { primary = DEFAULT_PRIMARY, tracked }: FileStoreOptions,
  env: NodeJS.ProcessEnv,
): Promise<() => void> {
  // Loaded before anything is written: what fails after the change is there must not be said to have failed.
  const { excludeFromGit } = await import('../base/git/exclude.ts');
  const main = getSessionPaths(root, primary, primary);
  ensureFolder(main.data);
  // The caller's environment need not be that of the process.
  claim(root, env, { creates: true });

  return () => {
    // A checkout overwrites ignored files: never a pad that git tracks elsewhere.
    if (!tracked && !hasTrackedRecord(main)) excludeFromGit(root, [PAD_FILE, `${DATA_DIR}/`]);
  };
}
