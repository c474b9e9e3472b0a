import { join } from 'node:path';
import { type Candidate, filesIn, namesIn, type Search } from './host.ts';

/** Claude Code keeps a project's sessions in a folder named after its path, every other character a dash. */
export function claudeSessions({ env, home, match }: Search): Candidate[] {
  const projects = join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects');
  const folded = match.names.map((name) => name.replace(/[^a-zA-Z0-9]/g, '-'));
  // Two paths can fold to one name, and a very long one is cut: the `cwd` in the lines decides.
  const folders = namesIn(projects).filter((name) =>
    folded.some(
      (fold) =>
        name === fold ||
        name.startsWith(`${fold}-`) ||
        (fold.length > 200 && name.startsWith(fold.slice(0, 200))),
    ),
  );
  const isSession = (name: string): boolean => name.endsWith('.jsonl') && !name.startsWith('agent-');
  return folders.flatMap((folder) =>
    filesIn('claude-code', join(projects, folder), isSession, (cwd) => match.owns(cwd)),
  );
}
