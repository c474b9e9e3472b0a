import { relative, sep } from 'node:path';
import { indexEntries } from './index-file.ts';
import { type GitPlace, gitPlace } from './place.ts';

/**
 * What git tracks of these paths, as its index says: it may have come with a clone.
 * @param folder absolute
 * @param paths relative to it; one that ends in `/` stands for all that is below it
 * @returns paths relative to the folder; those that were asked for where the index is there and cannot be read
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

/** What git puts before a name in a folder: `docs/`, or nothing at the top of the work tree. */
export function prefixOf({ top }: Pick<GitPlace, 'top'>, folder: string): string {
  const inner = relative(top, folder).split(sep).join('/');
  return inner === '' ? '' : `${inner}/`;
}
