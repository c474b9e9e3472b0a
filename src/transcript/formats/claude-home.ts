import { join } from 'node:path';
import { tryList } from '../../fs/index.ts';
import { filesIn, type Home, type Surroundings } from '../home.ts';

const projectsOf = ({ env, home }: Surroundings): string =>
  join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects');

const isSession = (name: string): boolean => name.endsWith('.jsonl') && !name.startsWith('agent-');

/**
 * Claude Code keeps a project's sessions in a folder named after its path, with every other character
 * replaced by a dash.
 */
export const claudeHome: Home = {
  sessions(search) {
    const projects = projectsOf(search);
    const { match } = search;
    // Two paths can have the same folder name, and a very long one is cut: the `cwd` in the lines decides.
    const folders = tryList(projects).filter((name) => isProject(name, match.names));
    return folders.flatMap((folder) => filesIn(join(projects, folder), isSession, (cwd) => match.owns(cwd)));
  },
  places: (search) => [
    {
      root: projectsOf(search),
      folder: (parts) => parts.length === 1 && isProject(parts[0] ?? '', search.match.names),
      file: (name, parts) => parts.length === 1 && isSession(name),
    },
  ],
};

/** Whether a project's folder may belong to a workspace with these names. */
function isProject(name: string, workspace: readonly string[]): boolean {
  return workspace
    .map((path) => path.replace(/[^a-zA-Z0-9]/g, '-'))
    .some(
      (fold) =>
        name === fold ||
        name.startsWith(`${fold}-`) ||
        (fold.length > 200 && name.startsWith(fold.slice(0, 200))),
    );
}
