import { isAbsolute, relative, resolve, sep } from 'node:path';

/** Whether a path of a config leads out of a workspace by its spelling. Links are held to the workspace by who reads them. */
export function liesOutside(root: string, path: string): boolean {
  if (path.startsWith('~')) return true;
  const way = relative(resolve(root), resolve(root, path));
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}
