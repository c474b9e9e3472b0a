import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../json.ts';
import { type Candidate, filesIn, type Home, namesIn, type Search } from './host.ts';

export const geminiHome = ({ env, home }: Home): string => join(env.GEMINI_CLI_HOME || home, '.gemini');

/**
 * Gemini CLI keeps chats in a folder per project. Its name is the SHA-256 of the project's path, or since
 * 2026 a short name that `projects.json` and a file in the folder translate.
 */
export async function geminiSessions(search: Search): Promise<Candidate[]> {
  const root = geminiHome(search);
  const { match } = search;
  const folders = namesIn(join(root, 'tmp'));
  if (folders.length === 0) return [];
  const { createHash } = await import('node:crypto');
  const own = new Set(match.names.map((name) => createHash('sha256').update(name).digest('hex')));
  for (const [path, folder] of registered(join(root, 'projects.json'))) if (match.owns(path)) own.add(folder);
  const isOwn = (folder: string): boolean =>
    own.has(folder) || match.owns(rootNamedIn(join(root, 'tmp', folder)));
  const isSession = (name: string): boolean => /^session-.*\.jsonl?$/.test(name);
  return folders
    .filter(isOwn)
    .flatMap((folder) => filesIn('gemini', join(root, 'tmp', folder, 'chats'), isSession, () => true));
}

function registered(path: string): Array<[string, string]> {
  try {
    const file: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const projects = isObject(file) && isObject(file.projects) ? file.projects : {};
    return Object.entries(projects).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  } catch {
    return [];
  }
}

function rootNamedIn(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, '.project_root'), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
