import { join } from 'node:path';
import { type Candidate, filesIn, type Home, namesIn, type Search } from './host.ts';

export const claudeProjects = ({ env, home }: Home): string =>
  join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects');

/** Claude Code keeps a project's sessions in a folder named after its path, every other character a dash. */
export function claudeSessions(search: Search): Candidate[] {
  const projects = claudeProjects(search);
  const { match } = search;
  // Two paths can fold to one name, and a very long one is cut: the `cwd` in the lines decides.
  const folders = namesIn(projects).filter((name) => isClaudeFolder(name, match.names));
  const isSession = (name: string): boolean => name.endsWith('.jsonl') && !name.startsWith('agent-');
  return folders.flatMap((folder) =>
    filesIn('claude-code', join(projects, folder), isSession, (cwd) => match.owns(cwd)),
  );
}

/** Whether a project's folder may be that of a workspace of these names. */
export function isClaudeFolder(name: string, workspace: readonly string[]): boolean {
  return workspace
    .map((path) => path.replace(/[^a-zA-Z0-9]/g, '-'))
    .some(
      (fold) =>
        name === fold ||
        name.startsWith(`${fold}-`) ||
        (fold.length > 200 && name.startsWith(fold.slice(0, 200))),
    );
}
