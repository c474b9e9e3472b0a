import { basename, dirname } from 'node:path';
import { encodeBytes, exists } from '../fs/index.ts';
import { indexEntries } from './index-file.ts';
import { gitPlace } from './place.ts';
import { prefixOf } from './tracked.ts';

/** Whether a file is not there and git knows of none: what is checked out has none, or nobody has added it yet. */
export function isTakenAway(path: string): boolean {
  const place = exists(path) ? undefined : gitPlace(dirname(path));
  return (
    place !== undefined &&
    indexEntries(place, [prefixOf(place, dirname(path)) + basename(path)])?.length === 0
  );
}

/**
 * Whether a file is what git has put there, in a checkout, a merge or a rebase, or what was added to its index.
 * @param text what stands in the file
 */
export async function isCheckedOut(path: string, text: string): Promise<boolean> {
  const place = gitPlace(dirname(path));
  if (place === undefined) return false;
  const entry = indexEntries(place, [prefixOf(place, dirname(path)) + basename(path)])?.[0];
  if (entry === undefined || entry.stage !== 0) return false;
  // Loaded for pads that git tracks only: it takes milliseconds.
  const { createHash } = await import('node:crypto');
  const bytes = encodeBytes(text);
  const algorithm = entry.id.length === 40 ? 'sha1' : 'sha256';
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === entry.id;
}
