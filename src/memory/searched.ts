import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { EVERGREEN, listSources, shownPath } from './sources.ts';

/** A place of memory that exists: a file, or a folder with so many files. */
export interface Searched {
  path: string;
  files: number;
}

/** Where memory is searched, in order: the workspace's own files, then those of `include`. */
export function searchedPlaces(workspace: string, include: readonly string[] = []): Searched[] {
  const left = new Set(listSources(workspace, include).sources.map(({ path }) => path));
  const names = [...EVERGREEN, 'memory', ...include].map((name) =>
    shownPath(resolve(workspace), resolve(workspace, name)),
  );
  return names.flatMap((name) => {
    const own = [...left].filter((path) => path === name || path.startsWith(`${name}/`));
    for (const path of own) left.delete(path);
    if (own.length === 0) return [];
    return [{ path: own.length === 1 && own[0] === name ? name : `${name}/`, files: own.length }];
  });
}

/** The same in one line for a person; without any memory, where it may be. */
export function spellSearched(places: readonly Searched[]): string {
  if (places.length === 0) return `nothing yet; ${NO_MEMORY}`;
  const home = homedir();
  return places
    .map(({ path, files }) => {
      const shown = path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
      return path.endsWith('/') ? `${shown} (${files} ${files === 1 ? 'file' : 'files'})` : shown;
    })
    .join(', ');
}

/** What to do where there is no memory. */
export const NO_MEMORY =
  'write MEMORY.md, USER.md or memory/*.md, or name other files: scratchpad config set memory.paths docs';
