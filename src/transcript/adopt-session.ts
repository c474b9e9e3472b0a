import { join } from 'node:path';
import { attempt, describeError } from '../base/errors.ts';
import { DATA_DIR, exists } from '../base/fs/index.ts';
import { claim, judgeProvenance } from '../base/trust/index.ts';
import type { Config } from '../config/settings.ts';
import { renderRefs } from '../pad/budget.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { cleanText } from '../pad/spaces.ts';
import { beginJournal } from '../session/journal.ts';
import type { SessionStore } from '../session/store.ts';
import { getSessionPaths } from '../session/workspace.ts';

/**
 * Loads the scratchpad that an agent kept in its session of pi or OpenClaw by an earlier tool into an empty pad, on the
 * first use of a workspace. The journal begins with it, so that it is loaded once.
 * @param recordsAbsence begins the journal even if there was nothing to load, so that no later call searches again
 * @returns notices for the person
 */
export async function adoptHostSession(
  { root, store, config, env }: { root: string; store: SessionStore; config: Config; env: NodeJS.ProcessEnv },
  { recordsAbsence = false } = {},
): Promise<string[]> {
  const { primarySession: primary } = config;
  const paths = getSessionPaths(root, primary, primary);
  if (exists(paths.journal) || !exists(join(root, DATA_DIR))) return [];
  if (judgeProvenance(root, env).spaces !== 'own') return [];

  try {
    const found = await findKeptSpaces(root, env);
    let loaded: string[] = [];

    if (found !== undefined)
      await store.change(({ spaces, revision }) => {
        if (revision > 0 || SPACE_NAMES.some((space) => spaces[space].trim() !== '')) return [];

        const { notes = '', plan = '', refs = [] } = found.spaces;
        const adopted = { plan: cleanText(plan), notes: cleanText(notes), refs: renderRefs(refs) };
        const changes = SPACE_NAMES.filter((space) => adopted[space].trim() !== '').map((space) => {
          return { space, content: adopted[space], op: 'restore' as const };
        });

        loaded = changes.map(({ space }) => space);

        return changes;
      }, 'restore');

    if (found !== undefined || recordsAbsence) {
      claim(root, env);
      attempt(() => beginJournal(paths, root));
    }

    if (found === undefined) return [];

    const source = `the ${found.host} session ${found.path}`;
    const notices = (found.spaces.invalid ?? []).map(
      (key) => `not loaded from ${source}: the entry ${key}, whose form is unknown`,
    );
    if (loaded.length > 0)
      notices.unshift(`loaded ${loaded.join(', ')} from ${source}; scratchpad undo takes it back`);

    return notices;
  } catch (error) {
    return [`a session of pi or OpenClaw could not be searched for a scratchpad: ${describeError(error)}`];
  }
}

async function findKeptSpaces(root: string, env: NodeJS.ProcessEnv) {
  const { discoverSessions } = await import('./discover.ts');
  const { PAD_HOMES } = await import('./homes.ts');
  const { readScratchpadEntries } = await import('./entries.ts');

  for (const home of PAD_HOMES) {
    const [newest] = await discoverSessions({ workspace: root, env, homes: [home], limit: 1 });
    if (newest === undefined) continue;
    const spaces = await readScratchpadEntries(newest.path, newest.id);
    if (Object.keys(spaces).length > 0) return { host: newest.host, path: newest.path, spaces };
  }

  return undefined;
}
