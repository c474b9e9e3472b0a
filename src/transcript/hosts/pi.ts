import { join } from 'node:path';
import { type Candidate, filesIn, namesIn, type Search } from './host.ts';

/** pi keeps a project's sessions in a folder named `--path-with-dashes--`. */
export function piSessions({ env, home, match }: Search): Candidate[] {
  const root = join(env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'sessions');
  const folded = match.names.map((name) => `--${name.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}`);
  // Paths fold together here too: the `cwd` of the header decides.
  const folders = namesIn(root).filter((name) => folded.some((fold) => name.startsWith(`${fold}-`)));
  return folders.flatMap((folder) =>
    filesIn(
      'pi',
      join(root, folder),
      (name) => name.endsWith('.jsonl'),
      (cwd) => match.owns(cwd),
    ),
  );
}
