import { join } from 'node:path';
import { tryList } from '../../base/fs/index.ts';
import { filesIn, type Home, type Surroundings } from '../home.ts';

const rootOf = ({ env, home }: Surroundings): string =>
  join(env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'sessions');

const isSession = (name: string): boolean => name.endsWith('.jsonl');

/** pi keeps a project's sessions in a folder named after it. */
export const piHome: Home = {
  sessions(search) {
    const root = rootOf(search);
    // Different paths can have the same folder name here, too: the `cwd` of the header decides.
    const folders = tryList(root).filter((name) => isProject(name, search.match.names));
    return folders.flatMap((folder) =>
      filesIn(join(root, folder), isSession, (cwd) => search.match.owns(cwd)),
    );
  },
  places: (search) => [
    {
      root: rootOf(search),
      folder: (parts) => parts.length === 1 && isProject(parts[0] ?? '', search.match.names),
      file: (name, parts) => parts.length === 1 && isSession(name),
    },
  ],
};

/** Whether a folder may belong to a workspace with these names: `--path-with-dashes--`. */
function isProject(name: string, workspace: readonly string[]): boolean {
  return workspace
    .map((path) => `--${path.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}`)
    .some((fold) => name.startsWith(`${fold}-`));
}
