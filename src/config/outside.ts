import { isAbsolute, relative, resolve, sep } from 'node:path';

/**
 * Whether a configured path leads out of a workspace by its spelling. Links are checked when the file is
 * opened.
 */
export function liesOutside(root: string, path: string): boolean {
  if (path.startsWith('~')) return true;
  const way = relative(resolve(root), resolve(root, path));
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}
