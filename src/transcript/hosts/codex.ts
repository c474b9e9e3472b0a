import { join } from 'node:path';
import { type Candidate, filesIn, type Home, namesIn, type Search } from './host.ts';

/** Days that are looked through, newest first: a busy machine has thousands of rollouts. */
const DAYS = 60;

export const codexRollouts = ({ env, home }: Home): string =>
  join(env.CODEX_HOME || join(home, '.codex'), 'sessions');

/** Codex keeps rollouts of all projects by day; archived ones lie elsewhere and are left out. */
export function codexSessions(search: Search): Candidate[] {
  const root = codexRollouts(search);
  const { match } = search;
  const isSession = (name: string): boolean => name.startsWith('rollout-') && name.endsWith('.jsonl');
  const owns = (cwd: string | undefined): boolean => match.owns(cwd);
  // Rollouts of the first releases lie in the folder itself.
  const found = filesIn('codex', root, isSession, owns);
  let days = 0;
  for (const year of newest(root)) {
    for (const month of newest(join(root, year))) {
      for (const day of newest(join(root, year, month))) {
        if (days++ >= DAYS) return found;
        found.push(...filesIn('codex', join(root, year, month, day), isSession, owns));
      }
    }
  }
  return found;
}

function newest(directory: string): string[] {
  return namesIn(directory)
    .filter((name) => /^\d{2,4}$/.test(name))
    .sort()
    .reverse();
}
