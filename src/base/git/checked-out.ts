import { basename, dirname, join } from 'node:path';
import { encodeBytes, exists, tryReadText } from '../fs/index.ts';
import { indexEntries, prefixOf } from './index-file.ts';
import { type GitPlace, gitPlace } from './place.ts';

/**
 * What git knew about a file when it was written; the differences since then show whether git changed the
 * file.
 */
export interface GitMoment {
  branch?: string;
  index?: string;
  /** The object id of the text as it was written. */
  blob: string;
  stash?: string;
}

export async function gitMoment(path: string, text: string): Promise<GitMoment | undefined> {
  const place = gitPlace(dirname(path));
  if (place === undefined) return undefined;
  const index = entriesOf(place, path)?.find(({ stage }) => stage === 0)?.id;
  const { branch } = place;
  const stash = newestStash(place);
  return {
    ...(branch === undefined ? {} : { branch }),
    ...(index === undefined ? {} : { index }),
    ...(stash === undefined ? {} : { stash }),
    blob: await objectId(text, index?.length),
  };
}

/**
 * Whether git wrote a text into a file, in a checkout, a merge or a rebase, or may have done so before
 * somebody else changed it again.
 * @param text the current content of the file
 * @param written git's state when we last wrote the file
 */
export async function isCheckedOut(path: string, text: string, written?: GitMoment): Promise<boolean> {
  const place = gitPlace(dirname(path));
  if (place === undefined) return false;
  const index = entriesOf(place, path)?.[0];
  if (index === undefined || index.stage !== 0) return false;
  if ((await objectId(text, index.id.length)) === index.id) return true;
  if (written === undefined) return false;
  const moved = written.branch !== place.branch || written.stash !== newestStash(place);
  return moved || ![written.index, written.blob].includes(index.id);
}

/** Whether git says that a file is unmerged, and then whether our side is the text that we wrote. */
export function unmerged(path: string, written: GitMoment | undefined): { isOurs: boolean } | undefined {
  const place = gitPlace(dirname(path));
  const sides = (place && entriesOf(place, path))?.filter(({ stage }) => stage > 0) ?? [];
  if (sides.length === 0) return undefined;
  const ours = sides.find(({ stage }) => stage === 2);
  return { isOurs: ours === undefined || ours.id === written?.blob };
}

/**
 * Whether a file is missing and git does not know it either: the checked-out commit has none, and nobody has
 * added it.
 */
export function isTakenAway(path: string): boolean {
  const place = exists(path) ? undefined : gitPlace(dirname(path));
  return place !== undefined && entriesOf(place, path)?.length === 0;
}

function entriesOf(place: GitPlace, path: string): ReturnType<typeof indexEntries> {
  return indexEntries(place, [prefixOf(place, dirname(path)) + basename(path)]);
}

function newestStash({ commonDir }: GitPlace): string | undefined {
  return tryReadText(join(commonDir, 'refs/stash'), 'git')?.trim();
}

/** @param digits length of the repository's object ids: 64 for SHA-256 */
async function objectId(text: string, digits = 40): Promise<string> {
  // Loaded only for pads that git tracks: it takes milliseconds.
  const { createHash } = await import('node:crypto');
  const bytes = encodeBytes(text);
  const hash = createHash(digits === 64 ? 'sha256' : 'sha1').update(`blob ${bytes.length}\0`);
  return hash.update(bytes).digest('hex');
}
