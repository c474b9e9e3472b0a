import { basename, dirname, join, relative, sep } from 'node:path';
import { tried } from '../errors.ts';
import { encodeBytes, exists, ofProcess, readBytes, tryList, tryReadText, tryStat } from '../fs/index.ts';
import { type GitPlace, gitPlace } from './place.ts';

/* What git's index says of some files: whether they are tracked, unmerged, or written by git itself. */

interface IndexEntry {
  /** Relative to the top of the work tree, with `/`. */
  name: string;
  /** 0; in an unresolved conflict 1 for the common ancestor, 2 for ours, 3 for theirs. */
  stage: number;
  id: string;
}

const TIMEOUT_MS = 2000;
const MOST_BYTES = 4 * 1024 * 1024;

/** The last answers of git, each with the index that it is of. */
const answers = ofProcess(new Map<string, { mark: string; entries: IndexEntry[] | undefined }>());

/**
 * The index entries of some paths. Git is asked only if the index may name one of them: starting a process takes longer
 * than a write.
 * @param paths relative to the top of the work tree, with `/`; a path that ends in `/` covers everything below it
 * @returns `undefined` if there is an index that cannot be read
 */
export function indexEntries(place: GitPlace, paths: readonly string[]): IndexEntry[] | undefined {
  const file = join(place.gitDir, 'index');
  const stats = tryStat(file);
  if (stats === undefined) return [];
  const question = [place.gitDir, ...paths].join('\0');
  const mark = `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
  const known = answers.get(question);
  if (known?.mark === mark) return known.entries;
  const entries = tried(() => (mayName(file, place, paths) ? asked(place, paths) : []));
  answers.set(question, { mark, entries });
  return entries;
}

/** Whether names of the index contain one of the paths. Version 4 shortens names; a split index keeps most elsewhere. */
function mayName(file: string, { gitDir }: GitPlace, paths: readonly string[]): boolean {
  const index = readBytes(file, 'gitIndex') ?? Buffer.alloc(0);
  const isSplit = index.includes('link') && tryList(gitDir).some((name) => name.startsWith('sharedindex.'));
  return isSplit || (index[7] ?? 0) >= 4 || paths.some((path) => index.includes(path));
}

/** @throws if git is not there, fails or takes too long */
function asked({ top, gitDir }: GitPlace, paths: readonly string[]): IndexEntry[] {
  const args = [
    '--literal-pathspecs',
    '-c',
    'core.fsmonitor=false',
    'ls-files',
    '-z',
    '--stage',
    '--',
    ...paths,
  ];
  const here = { GIT_DIR: gitDir, GIT_WORK_TREE: top, GIT_INDEX_FILE: join(gitDir, 'index') };
  const listed = process.getBuiltinModule('node:child_process').execFileSync('git', args, {
    cwd: top,
    env: { ...process.env, ...here, GIT_OPTIONAL_LOCKS: '0' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: TIMEOUT_MS,
    maxBuffer: MOST_BYTES,
  });
  return [...listed.matchAll(/\d+ ([\da-f]+) (\d)\t([^\0]+)\0/g)].map(([, id = '', stage, name = '']) => ({
    name,
    stage: Number(stage),
    id,
  }));
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
