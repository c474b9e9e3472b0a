import { join } from 'node:path';
import { tryList } from '../../base/fs/index.ts';
import { filesIn, type Home, type Surroundings } from '../home.ts';

/** Days to search, newest first: a busy machine has thousands of rollouts. */
const DAYS = 60;
/** A session older than this is watched only if it is the active one. */
const WATCHED_MS = 2 * 86_400_000;

const rolloutsOf = ({ env, home }: Surroundings): string =>
  join(env.CODEX_HOME || join(home, '.codex'), 'sessions');

const isSession = (name: string): boolean => name.startsWith('rollout-') && name.endsWith('.jsonl');

/** Codex keeps the rollouts of all projects by day; archived ones are elsewhere and are left out. */
export const codexHome: Home = {
  sessions(search) {
    const root = rolloutsOf(search);
    const owns = (cwd: string | undefined): boolean => search.match.owns(cwd);
    // Rollouts of the first releases are in the folder itself.
    const found = filesIn(root, isSession, owns);
    let days = 0;
    for (const year of newest(root)) {
      for (const month of newest(join(root, year))) {
        for (const day of newest(join(root, year, month))) {
          if (days++ >= DAYS) return found;
          found.push(...filesIn(join(root, year, month, day), isSession, owns));
        }
      }
    }
    return found;
  },
  places: (search) => [{ root: rolloutsOf(search), folder: isRecentDay, file: isSession }],
};

function newest(directory: string): string[] {
  return tryList(directory)
    .filter((name) => /^\d{2,4}$/.test(name))
    .sort()
    .reverse();
}

function isRecentDay(parts: readonly string[]): boolean {
  if (parts.length > 3 || !parts.every((part) => /^\d{2,4}$/.test(part))) return false;
  const oldest = new Date(Date.now() - WATCHED_MS).toISOString().slice(0, 10).split('-');
  return parts.join('-') >= oldest.slice(0, parts.length).join('-');
}
