import { attempt } from '../base/errors.ts';
import { DATA_DIR, PAD_FILE, resolveRealPath, tryList } from '../base/fs/index.ts';
import { excludeFromGit, findExcludeFile, findReadmission, trackWithDriver } from '../base/git/exclude.ts';
import { listTracked } from '../base/git/index-file.ts';
import { findGitPlace, findMainTop } from '../base/git/place.ts';
import { approveContent, claim, judgeProvenance } from '../base/trust/index.ts';
import { FileStore } from '../session/file-store.ts';
import { hasTrackedRecord, isTracked } from '../session/reconcile.ts';

const IS_TRACKED = `git tracks ${PAD_FILE}, so commits will include plan, notes and refs; to keep them out: git rm --cached ${PAD_FILE} && scratchpad init; to share and merge them: scratchpad init --tracked`;

interface NewWorkspace {
  store: FileStore;
  primary: string;
  /** Epoch milliseconds. */
  now: number;
  env: NodeJS.ProcessEnv;
  tracked: boolean;
  /** The shell command that merges two versions of a tracked pad. */
  mergeCommand: string;
}

/**
 * Creates a workspace with a pad, excluded from commits unless it is to be tracked, so that a mood is never
 * committed by accident.
 * @returns the exclude file of this clone, `undefined` outside a work tree; and what a person should know
 */
export async function makeWorkspace(
  root: string,
  { store, primary, now, env, tracked, mergeCommand }: NewWorkspace,
): Promise<{ excluded: string | undefined; notices: readonly string[] }> {
  // A pad that came with a clone is tracked already.
  const asTracked = tracked || isTracked((await store.read()).document) || hasTrackedRecord(store.paths);
  claim(root, env, { adopts: true });
  const pad = new FileStore(root, store.paths.session, { primary, tracked: asTracked });
  const { notices } = await pad.change(() => []);

  if (asTracked) {
    trackWithDriver(store.paths.pad, mergeCommand);
    // Without the approval the person is asked once git has the pad.
    if (judgeProvenance(root, env).spaces === 'own')
      attempt(() => approveContent(resolveRealPath(root) ?? root, now, env, true));
    return { excluded: undefined, notices };
  }

  excludeFromGit(root, [PAD_FILE, `${DATA_DIR}/`]);
  if (listTracked(root, [PAD_FILE]).length > 0)
    return { excluded: undefined, notices: [...notices, IS_TRACKED] };

  const readmission = findReadmission(store.paths.pad);
  if (readmission === undefined) return { excluded: findExcludeFile(root), notices };

  const { file, line } = readmission;
  const notice = `"${line}" in ${file} makes git see ${PAD_FILE}, so commits can include plan, notes and refs; to keep them out: echo /${PAD_FILE} >> ${file}`;
  return { excluded: undefined, notices: [...notices, notice] };
}

/** Warns where a pad in this folder may not be what the person wants. */
export function listPlaceWarnings(root: string, tracked: boolean): string[] {
  const other = tryList(root).find(
    (name) => name !== PAD_FILE && name.toLowerCase() === PAD_FILE.toLowerCase(),
  );
  if (other !== undefined)
    return [`${other} is another file, which is not read; to use it: mv ${other} ${PAD_FILE}`];

  const place = findGitPlace(root);
  const main = place && findMainTop(place);
  if (main !== undefined && !tracked)
    return [
      `this is a linked work tree: its scratchpad goes when it is removed; one in ${main} is shared by all its work trees`,
    ];

  if (place === undefined || place.top === root) return [];

  return [`this folder is inside a repository, ${place.top}: its scratchpad is for this folder alone`];
}
