import { join } from 'node:path';
import { tryList } from '../base/fs/index.ts';
import { hasWorktree } from '../base/git/place.ts';
import { stepsOf } from '../pad/steps.ts';
import { FileStore } from '../session/file-store.ts';
import { worktreeOf } from '../session/worktree-store.ts';
import { plainId } from './protocol.ts';
import type { Session } from './session.ts';

/** Longer ago it is nobody's work of now; `doctor` still finds it. */
const OFFERED_MS = 7 * 86_400_000;

/** The open plan of a linked work tree that is gone, offered to a session that begins in the main one. */
export async function leftBehind({ root, data, now, env, worktree, provenance }: Session): Promise<string[]> {
  if (worktree !== undefined || provenance.spaces === 'untrusted') return [];
  for (const session of tryList(join(data, 'sessions'))) {
    const tree = worktreeOf(session);
    if (tree === undefined || plainId(session) === undefined || hasWorktree(root, tree)) continue;
    const { spaces, origins } = await new FileStore(root, session, { env }).read();
    const steps = stepsOf(spaces.plan);
    const done = steps.filter((step) => step.done).length;
    if (done === steps.length || now - (origins?.plan?.at ?? 0) > OFFERED_MS) continue;
    return [
      `The work tree ${tree} is gone and its plan is kept, ${done} of ${steps.length} done: ` +
        `\`scratchpad session adopt ${session}\` takes it over, \`scratchpad session archive ${session}\` puts it away.`,
    ];
  }
  return [];
}
