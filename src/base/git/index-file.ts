import { basename, dirname, join, relative, sep } from 'node:path';
import { attempt } from '../errors.ts';
import { encodeBytes, exists, tryReadText, tryStat } from '../fs/index.ts';
import { hashObject, isInRepository } from './objects.ts';
import { findGitPlace, type GitPlace } from './place.ts';
import { type IndexEntry, isSubmodule, readIndex } from './read-index.ts';

interface TrackedPath extends IndexEntry {
  /** The name in the spelling of the requested path: file systems may ignore case. */
  path: string;
}

/**
 * The index entries of some paths.
 * @param paths relative to the top of the work tree, with `/`; a path that ends in `/` covers everything below it
 * @returns `undefined` if there is an index that cannot be read
 */
export function findIndexEntries(place: GitPlace, paths: readonly string[]): TrackedPath[] | undefined {
  const requested = paths.map((path) => ({ path: path.replace(/\/$/, ''), foldedPath: foldName(path) }));
  const matchPath = (name: string): string | undefined => {
    const folded = foldName(name);
    for (const { path, foldedPath } of requested) {
      if (folded === foldedPath || folded.startsWith(`${foldedPath}/`)) {
        // Folding dropped characters, so lengths do not say where the path ends in the name.
        if (folded.length < name.replace(/\/$/, '').length) return path;
        const spelled = path + name.slice(path.length);
        return name === spelled || isSameFile(place.top, name, spelled) ? spelled : undefined;
      }

      // The path lies in a submodule, a link, or a folder that is not checked out.
      if (foldedPath.startsWith(`${folded}/`)) return path;
    }

    return undefined;
  };

  const firstLetters = requested.map(({ foldedPath }) => foldedPath.charAt(0)).join('');
  const entries = attempt(() =>
    readIndex(place)?.find(firstLetters, (name) => matchPath(name) !== undefined),
  );
  return entries?.map((entry) => ({ ...entry, path: matchPath(entry.name) ?? entry.name }));
}

/** A name as file systems compare it: macOS and Windows ignore case, macOS some characters, Windows final dots. */
const foldName = (name: string): string =>
  name
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|(?<!\/)\/+$/g, '')
    .replace(/(?<![. ])[. ]+(?=\/|$)/g, '')
    .toLowerCase();

function isSameFile(top: string, one: string, other: string): boolean {
  const [a, b] = [tryStat(join(top, one)), tryStat(join(top, other))];
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}

/** A path that git tracks. It has no id if it is a nested repository, or the index cannot be read. */
export interface Tracked {
  path: string;
  id?: string;
}

export const listTracked = (folder: string, paths: readonly string[]): string[] =>
  listTrackedPaths(folder, paths).map(({ path }) => path);

/**
 * Which of these paths git tracks, according to its index: tracked files may have come with a clone.
 * @param folder absolute
 * @param paths relative to it; a path that ends in `/` covers everything below it
 * @returns paths relative to the folder; all of `paths` if the index cannot be read
 */
export function listTrackedPaths(folder: string, paths: readonly string[]): Tracked[] {
  const nested = paths.filter((path) => path.endsWith('/') && exists(join(folder, path, '.git')));
  const place = findGitPlace(folder);
  if (place === undefined) return nested.map((path) => ({ path }));

  const prefix = getPrefix(place, folder);
  const prefixed = paths.map((path) => prefix + path);
  const tracked = findIndexEntries(place, prefixed)?.map((entry): Tracked => {
    const path = entry.path.slice(prefix.length);
    return isSubmodule(entry) ? { path: `${path}/` } : { path, id: entry.id };
  });
  const all: Tracked[] = [
    ...(tracked ?? paths.map((path) => ({ path }))),
    ...nested.map((path) => ({ path })),
  ];

  return [...new Map(all.map((each) => [each.path, each])).values()];
}

/** Whether git wrote a file that it no longer tracks, as after `git reset` on a branch that has it. */
export function isLeftByGit(path: string, bytes: Buffer): boolean {
  const folder = dirname(path);
  return listTracked(folder, [basename(path)]).length === 0 && isInRepository(folder, bytes);
}

function getPrefix({ top }: Pick<GitPlace, 'top'>, folder: string): string {
  const inner = relative(top, folder).split(sep).join('/');
  return inner === '' ? '' : `${inner}/`;
}

/** What git knew about a file when we wrote it; the differences since then show whether git changed the file. */
export interface GitMoment {
  branch?: string | undefined;
  index?: string | undefined;
  blob: string;
  stash?: string | undefined;
}

export function readGitMoment(path: string, text: string): GitMoment | undefined {
  const place = findGitPlace(dirname(path));
  if (place === undefined) return undefined;
  const index = readEntries(place, path)?.find(({ stage }) => stage === 0)?.id;
  const blob = hashObject(encodeBytes(text), index?.length);
  return { branch: place.branch, index, stash: readNewestStash(place), blob };
}

/**
 * Whether git wrote a text into a file, in a checkout, a merge or a rebase, or may have done so before
 * somebody else changed it again.
 * @param text the current content of the file
 * @param written git's state when we last wrote the file
 */
export function isCheckedOut(path: string, text: string, written?: GitMoment): boolean {
  const place = findGitPlace(dirname(path));
  if (place === undefined) return false;

  const index = readEntries(place, path)?.[0];
  if (index === undefined || index.stage !== 0) return false;
  if (hashObject(encodeBytes(text), index.id.length) === index.id) return true;
  if (written === undefined) return false;

  const moved = written.branch !== place.branch || written.stash !== readNewestStash(place);
  return moved || ![written.index, written.blob].includes(index.id);
}

/** Whether our side of an unmerged file is the text that we wrote; `undefined` if it is not unmerged. */
export function readUnmerged(path: string, written: GitMoment | undefined): { isOurs: boolean } | undefined {
  const place = findGitPlace(dirname(path));
  const sides = (place && readEntries(place, path))?.filter(({ stage }) => stage > 0) ?? [];
  if (sides.length === 0) return undefined;
  const ours = sides.find(({ stage }) => stage === 2);
  return { isOurs: ours === undefined || ours.id === written?.blob };
}

/** Whether a file is missing, and the checked-out commit does not have it either. */
export function isMissingInGit(path: string): boolean {
  const place = exists(path) ? undefined : findGitPlace(dirname(path));
  return place !== undefined && readEntries(place, path)?.length === 0;
}

const readEntries = (place: GitPlace, path: string): TrackedPath[] | undefined =>
  findIndexEntries(place, [getPrefix(place, dirname(path)) + basename(path)]);

const readNewestStash = ({ commonDir }: GitPlace): string | undefined =>
  tryReadText(join(commonDir, 'refs/stash'), 'git')?.trim();
