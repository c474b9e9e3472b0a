import { join } from 'node:path';
import { tryList, tryReadJson, tryReadText } from '../../base/fs/index.ts';
import { isObject } from '../../base/text/json.ts';
import { filesIn, type Home, type Surroundings } from '../home.ts';

const homeOf = ({ env, home }: Surroundings): string => join(env.GEMINI_CLI_HOME || home, '.gemini');

const isSession = (name: string): boolean => /^session-.*\.jsonl?$/.test(name);

/**
 * Gemini CLI keeps chats in a folder per project. Its name is the SHA-256 of the project's path, or since
 * 2026 a short name that `projects.json` and a file in the folder map to the path.
 */
export const geminiHome: Home = {
  async sessions(search) {
    const root = homeOf(search);
    const { match } = search;
    const folders = tryList(join(root, 'tmp'));
    if (folders.length === 0) return [];
    const { createHash } = await import('node:crypto');
    const own = new Set(match.names.map((name) => createHash('sha256').update(name).digest('hex')));
    for (const [path, folder] of registered(join(root, 'projects.json')))
      if (match.owns(path)) own.add(folder);
    return folders
      .filter((folder) => own.has(folder) || match.owns(rootNamedIn(join(root, 'tmp', folder))))
      .flatMap((folder) => filesIn(join(root, 'tmp', folder, 'chats'), isSession, () => true));
  },
  places: (search) => [
    {
      root: join(homeOf(search), 'tmp'),
      folder: (parts) => parts.length === 1 || (parts.length === 2 && parts[1] === 'chats'),
      file: (name, parts) => parts.length === 2 && isSession(name),
    },
  ],
};

function registered(path: string): Array<[string, string]> {
  const file = tryReadJson(path, 'host');
  const projects = isObject(file) && isObject(file.projects) ? file.projects : {};
  return Object.entries(projects).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
}

function rootNamedIn(folder: string): string | undefined {
  return tryReadText(join(folder, '.project_root'), 'host')?.trim() || undefined;
}
