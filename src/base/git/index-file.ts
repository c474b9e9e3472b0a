import { basename, dirname, join, relative, sep } from 'node:path';
import { encodeBytes, exists, readBytes, tryList, tryReadText } from '../fs/index.ts';
import { configOf, type GitPlace, gitPlace } from './place.ts';

/* What git's index says of some files: whether they are tracked, unmerged, or written by git itself. */

interface IndexEntry {
  /** Relative to the top of the work tree, with `/`. */
  name: string;
  /** 0; in an unresolved conflict 1 for the common ancestor, 2 for ours, 3 for theirs. */
  stage: number;
  id: string;
}

const MOST = 1000;
/** The bits of an entry's flags with the length of its name, and the bit for extended flags. */
const NAME_LENGTH = 0x0fff;
const EXTENDED = 0x4000;
/** Bytes of an entry before its object id: times, device, inode, mode, owner and size. */
const STAT_BYTES = 40;

/**
 * The index entries of some paths. The index of a large repository has many megabytes, so names are searched for
 * instead of parsing it all.
 * @param paths relative to the top of the work tree, with `/`; a path that ends in `/` covers everything below it
 * @returns `undefined` if there is an index that cannot be read
 */
export function indexEntries(place: GitPlace, paths: readonly string[]): IndexEntry[] | undefined {
  try {
    const index = readBytes(join(place.gitDir, 'index'), 'gitIndex');
    if (index === undefined) return [];
    // A split index keeps most of its entries in another file.
    const shared = index.includes('link')
      ? tryList(place.gitDir).filter((name) => name.startsWith('sharedindex.'))
      : [];
    const files = [index, ...shared.flatMap((name) => readBytes(join(place.gitDir, name), 'gitIndex') ?? [])];
    return files.flatMap((bytes) => paths.flatMap((path) => entriesIn(bytes, path, place)));
  } catch {
    return undefined;
  }
}

function entriesIn(index: Buffer, path: string, place: GitPlace): IndexEntry[] {
  if (index.readUInt32BE(4) >= 4) return compressedEntries(index, path, idBytes(place));
  const wanted = Buffer.from(path);
  const entries: IndexEntry[] = [];
  let ids: number | undefined;
  for (let at = index.indexOf(wanted); at >= 0 && entries.length < MOST; at = index.indexOf(wanted, at + 1)) {
    const end = index.indexOf(0, at);
    const length = Math.min(end - at, NAME_LENGTH);
    // The flags before the name hold its length; version 3 may have extended flags in between.
    const [near, far] = [index.readUInt16BE(at - 2), index.readUInt16BE(at - 4)];
    const extended = (far & NAME_LENGTH) === length && (far & EXTENDED) !== 0;
    if ((near & NAME_LENGTH) !== length && !extended) continue;
    if (!path.endsWith('/') && end !== at + wanted.length) continue;
    ids ??= idBytes(place);
    const start = at - (extended ? 4 : 2) - ids - STAT_BYTES;
    if (start >= 0) entries.push(entryAt(index, start, ids, index.toString('utf8', at, end)));
  }
  return entries;
}

/** Version 4: a name is stored as the number of bytes to cut off the previous name, and a suffix. */
function compressedEntries(index: Buffer, path: string, ids: number): IndexEntry[] {
  const entries: IndexEntry[] = [];
  let name = Buffer.alloc(0);
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0 && at + STAT_BYTES + ids < index.length; left -= 1) {
    const start = at;
    at += STAT_BYTES + ids;
    at += (index.readUInt16BE(at) & EXTENDED) === 0 ? 2 : 4;
    let byte = index[at++] ?? 0;
    let dropped = byte & 0x7f;
    while ((byte & 0x80) !== 0) {
      byte = index[at++] ?? 0;
      dropped = ((dropped + 1) << 7) | (byte & 0x7f);
    }
    const end = index.indexOf(0, at);
    if (end < 0) break;
    name = Buffer.concat([name.subarray(0, Math.max(0, name.length - dropped)), index.subarray(at, end)]);
    at = end + 1;
    const text = name.toString();
    if (path.endsWith('/') ? text.startsWith(path) : text === path)
      entries.push(entryAt(index, start, ids, text));
  }
  return entries;
}

function entryAt(index: Buffer, start: number, ids: number, name: string): IndexEntry {
  const id = start + STAT_BYTES;
  return {
    name,
    stage: (index.readUInt16BE(id + ids) >> 12) & 3,
    id: index.toString('hex', id, id + ids),
  };
}

/** Bytes of an object id: 20 for SHA-1, 32 for SHA-256, which the repository's config declares. */
function idBytes(place: GitPlace): number {
  const config = configOf(place);
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? 32 : 20;
}

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

/** What git knew about a file when it was written; the differences since then show whether git changed the file. */
export interface GitMoment {
  branch?: string | undefined;
  index?: string | undefined;
  /** The object id of the text as it was written. */
  blob: string;
  stash?: string | undefined;
}

export async function gitMoment(path: string, text: string): Promise<GitMoment | undefined> {
  const place = gitPlace(dirname(path));
  if (place === undefined) return undefined;
  const index = entriesOf(place, path)?.find(({ stage }) => stage === 0)?.id;
  const blob = await objectId(text, index?.length);
  return { branch: place.branch, index, stash: newestStash(place), blob };
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
 * Whether a file is missing and git does not know it either: the checked-out commit has none, and nobody has added it.
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
