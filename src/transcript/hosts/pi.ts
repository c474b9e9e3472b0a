import { join } from 'node:path';
import { type Candidate, filesIn, type Home, namesIn, type Search } from './host.ts';

export const piRoot = ({ env, home }: Home): string =>
  join(env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'sessions');

/** Whether a folder may be that of a workspace of these names: `--path-with-dashes--`. */
export function isPiFolder(name: string, workspace: readonly string[]): boolean {
  return workspace
    .map((path) => `--${path.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}`)
    .some((fold) => name.startsWith(`${fold}-`));
}

/** pi keeps a project's sessions in a folder of its name. */
export function piSessions(search: Search): Candidate[] {
  const root = piRoot(search);
  const { match } = search;
  // Paths fold together here too: the `cwd` of the header decides.
  const folders = namesIn(root).filter((name) => isPiFolder(name, match.names));
  return folders.flatMap((folder) =>
    filesIn(
      'pi',
      join(root, folder),
      (name) => name.endsWith('.jsonl'),
      (cwd) => match.owns(cwd),
    ),
  );
}
