import { relative, sep } from 'node:path';
import { indexEntries } from './index-file.ts';
import { type GitPlace, gitPlace } from './place.ts';

/**
 * Which of these paths git tracks, according to its index: tracked files may have come with a clone.
 * @param folder absolute
 * @param paths relative to it; a path that ends in `/` covers everything below it
 * @returns paths relative to the folder; all of `paths` if the index cannot be read
 */
export function trackedBelow(folder: string, paths: readonly string[]): string[] {
  const place = gitPlace(folder);
  if (place === undefined) return [];
  const above = prefixOf(place, folder);
  const entries = indexEntries(
    place,
    paths.map((path) => above + path),
  );
  return entries?.map(({ name }) => name.slice(above.length)) ?? [...paths];
}

/** The path from the top of the work tree to a folder: `docs/`, or empty for the top itself. */
export function prefixOf({ top }: Pick<GitPlace, 'top'>, folder: string): string {
  const inner = relative(top, folder).split(sep).join('/');
  return inner === '' ? '' : `${inner}/`;
}
