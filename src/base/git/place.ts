import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import {
  encodeBytes,
  exists,
  readBytes,
  realPathOf,
  tryList,
  tryReadText,
  tryStat,
  upward,
} from '../fs/index.ts';

/**
 * Where a folder lies in git, read from git's own files without starting a process (gitrepository-layout(5)).
 * Only this module knows how work trees, linked worktrees and submodules are laid out.
 */
export interface GitPlace {
  top: string;
  gitDir: string;
  /** The git directory that all work trees of the repository share. */
  commonDir: string;
  /** The branch, or `detached at 1a2b3c4`. During a rebase or a bisection, the branch that it started on. */
  branch?: string | undefined;
  /** Git's name for a linked worktree; none for the main one. */
  linked?: string | undefined;
}

/** The work tree that contains a folder; `undefined` if there is none. */
export function gitPlace(folder: string): GitPlace | undefined {
  for (const top of upward(folder)) {
    const place = workTreeAt(top);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** The work tree whose top is exactly this folder; `undefined` for any other folder. */
function workTreeAt(top: string): GitPlace | undefined {
  const git = join(top, '.git');
  const stats = tryStat(git);
  if (stats === undefined) return undefined;
  const gitDir = stats.isDirectory() ? git : namedDirectory(git, top);
  if (gitDir === undefined) return undefined;
  const head = tryReadText(join(gitDir, 'HEAD'), 'git');
  if (head === undefined) return undefined;
  const common = tryReadText(join(gitDir, 'commondir'), 'git')?.trim();
  return {
    top,
    gitDir,
    commonDir: common ? resolve(gitDir, common) : gitDir,
    branch: branchIn(head, gitDir),
    linked: common ? basename(gitDir) : undefined,
  };
}

/**
 * The folder that holds a repository's common directory: the main work tree, or for a bare repository called
 * `.bare` the folder that usually holds its worktrees. Only for a worktree that the repository itself lists
 * under this path, because a `.git` file from an archive may name any repository.
 */
export function mainTopOf({ top, gitDir, commonDir, linked }: GitPlace): string | undefined {
  if (linked === undefined || !['.git', '.bare'].includes(basename(commonDir))) return undefined;
  const known = tryReadText(join(gitDir, 'gitdir'), 'git')?.trim();
  if (known === undefined) return undefined;
  const back = realPathOf(dirname(resolve(gitDir, known)));
  return back !== undefined && back === realPathOf(top) ? dirname(commonDir) : undefined;
}

/** Whether a repository still lists a linked worktree of that name, and its folder exists. */
export function hasWorktree(folder: string, name: string): boolean {
  const place = gitPlace(folder);
  if (place === undefined) return false;
  const gitDir = join(place.commonDir, 'worktrees', name);
  const known = tryReadText(join(gitDir, 'gitdir'), 'git')?.trim();
  return known !== undefined && tryStat(resolve(gitDir, known)) !== undefined;
}

/** Whether a repository has a branch; what cannot be told counts as yes. */
export function hasBranch(folder: string, branch: string): boolean {
  const place = gitPlace(folder);
  if (place === undefined || branch.startsWith(DETACHED) || place.branch === branch) return true;
  const { commonDir } = place;
  if (tryStat(join(commonDir, 'reftable')) || tryStat(join(commonDir, 'refs/heads', branch))) return true;
  return (tryReadText(join(commonDir, 'packed-refs'), 'git') ?? '').includes(` refs/heads/${branch}\n`);
}

const DETACHED = 'detached at ';

/** Whether two names are of commits instead of branches. */
export function bothDetached(a: string, b: string): boolean {
  return a.startsWith(DETACHED) && b.startsWith(DETACHED);
}

/** The directory that a `.git` file names, as in a linked worktree or a submodule. */
function namedDirectory(git: string, top: string): string | undefined {
  const named = /^gitdir: (.*)$/m.exec(tryReadText(git, 'git') ?? '')?.[1]?.trim();
  return named ? resolve(top, named) : undefined;
}

function branchIn(head: string, gitDir: string): string | undefined {
  const branch = /^ref: refs\/heads\/(\S+)/.exec(head)?.[1];
  if (branch !== undefined) return branch;
  const commit = /^[\da-f]{40,64}$/.exec(head.trim())?.[0];
  if (commit === undefined) return undefined;
  return underWay(gitDir) ?? `${DETACHED}${commit.slice(0, 7)}`;
}

/** The branch that a rebase or a bisection started on and will return to. */
function underWay(gitDir: string): string | undefined {
  for (const name of ['rebase-merge/head-name', 'rebase-apply/head-name']) {
    const branch = /^refs\/heads\/(\S+)/.exec(tryReadText(join(gitDir, name), 'git') ?? '')?.[1];
    if (branch !== undefined) return branch;
  }
  const start = tryReadText(join(gitDir, 'BISECT_START'), 'git')?.trim();
  return start !== undefined && !/^[\da-f]{40,64}$/.test(start) && start !== '' ? start : undefined;
}

export function configOf({ commonDir }: GitPlace): string {
  return tryReadText(join(commonDir, 'config'), 'git') ?? '';
}

/**
 * Identifies a repository across machines and moves: by the address of its origin, else by its first commit,
 * if the log has it.
 */
export function repositoryIdentity(place: GitPlace): string | undefined {
  return originOf(place) ?? firstCommit(place);
}

/** `git@github.com:a/b.git` and `https://user:token@github.com/a/b` are both `github.com/a/b`. */
export function originOf(place: GitPlace): string | undefined {
  const section = /^\s*\[remote "origin"\]([^[]*)/m.exec(configOf(place))?.[1] ?? '';
  const url = /^\s*url\s*=\s*"?(.+?)"?\s*$/m.exec(section)?.[1];
  if (url === undefined) return undefined;
  const [, host, path] =
    /^[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(url) ??
    /^(?:[^@/]*@)?([\w.-]+):(?!\\)(.+)$/.exec(url) ??
    [];
  // A local path means nothing on another machine.
  if (host === undefined || path === undefined) return undefined;
  return `${host.toLowerCase()}/${path.replace(/^\/+|(?:\.git)?\/*$/g, '')}`;
}

/**
 * The log of a repository that was created here starts with its first commit; that of a clone with the commit
 * it was cloned at.
 */
function firstCommit({ commonDir }: GitPlace): string | undefined {
  const log = tryReadText(join(commonDir, 'logs', 'HEAD'), 'git') ?? '';
  return /^0+ ([\da-f]{40,64}) [^\n]*\tcommit \(initial\)/.exec(log)?.[1];
}

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
