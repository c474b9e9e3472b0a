import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { findHome, getLinkStats, readBytes, tryReadText, tryStat } from '../fs/index.ts';
import { hashObject } from './objects.ts';
import { type GitPlace, readGitConfig, readRef } from './place.ts';
import { type GitIndex, type IndexEntry, isSubmodule, readIndex } from './read-index.ts';

export interface Commit {
  sha: string;
  /** Epoch milliseconds. */
  at: number;
  subject: string;
  /** Whether it was made in this work tree, not fetched. */
  here: boolean;
  /** Undefined if it is not known, as without an upstream branch. */
  pushed?: boolean | undefined;
}

const MOST_COMMITS = 40;
const LOG_BYTES = 32 * 1024;
/** A line of HEAD's log: the commit before, the commit after, the author, the time and a message. */
const LOG_LINE = /^([\da-f]{40,64}) ([\da-f]{40,64}) .* (\d+) [-+]\d{4}\t(.*)$/gm;
const COMMITTED = /^(?:commit|cherry-pick|revert|rebase)\b([^:]*): (.*)$/;
/** Steps that put another commit in the place of the one before. */
const REPLACES = /amend|squash|fixup|reword/;
/** Steps that make no commit, so the commit before is not the parent of the one after. */
const MOVES = /^(?:checkout|reset|clone|branch|rebase[^:]*\((?:start|finish|abort))/i;

/** A step of HEAD from one commit to another. */
interface HeadStep {
  before: string;
  sha: string;
  at: number;
  message: string;
}

/** The commits that led to HEAD as far as its log goes, newest first. */
export function listCommits(place: GitPlace): Commit[] {
  const steps = readHeadLog(place);
  const upstream = findUpstream(place);
  const commits: Commit[] = [];
  let sha = steps.at(-1)?.sha;
  let pushed = upstream === undefined ? undefined : false;

  for (const [index, step] of [...steps.entries()].reverse()) {
    if (step.sha !== sha || MOVES.test(step.message)) continue;
    if (sha === upstream) pushed = true;
    const subject = COMMITTED.exec(step.message)?.[2];
    commits.push({ sha, at: step.at, subject: subject ?? step.message, here: subject !== undefined, pushed });
    sha = findParent(steps, index);
  }

  // The log may not go back to the commit that the upstream has.
  const isKnown = sha === upstream || pushed === true;
  return commits.slice(0, MOST_COMMITS).map((each) => (isKnown ? each : { ...each, pushed: undefined }));
}

function readHeadLog({ gitDir }: GitPlace): HeadStep[] {
  const log = attempt(() => readBytes(join(gitDir, 'logs', 'HEAD'), 'gitIndex'))?.subarray(-LOG_BYTES);
  const lines = (log?.toString('utf8') ?? '').matchAll(LOG_LINE);
  return [...lines].map(([, before = '', sha = '', seconds, message = '']) => {
    return { before, sha, at: Number(seconds) * 1000, message };
  });
}

/** The parent of the commit that a step made: of a replaced commit, where the step replaced one. */
function findParent(steps: readonly HeadStep[], index: number): string | undefined {
  const step = steps[index];
  if (step === undefined || !REPLACES.test(COMMITTED.exec(step.message)?.[1] ?? '')) return step?.before;

  const earlier = steps.slice(0, index);
  const replaced = earlier.findLastIndex(({ sha, message }) => sha === step.before && !MOVES.test(message));

  return replaced < 0 ? undefined : findParent(steps, replaced);
}

function findUpstream(place: GitPlace): string | undefined {
  const { branch = '', commonDir } = place;
  const section = readGitConfig(place)
    .split(/^[ \t]*(?=\[)/m)
    .find((each) => each.startsWith(`[branch "${branch}"]`));
  const remote = /^[ \t]*remote[ \t]*=[ \t]*(\S+)/m.exec(section ?? '')?.[1];
  const merged = /^[ \t]*merge[ \t]*=[ \t]*refs\/heads\/(\S+)/m.exec(section ?? '')?.[1];

  if (remote === undefined || merged === undefined) return undefined;

  return readRef(commonDir, `refs/remotes/${remote}/${merged}`);
}

/**
 * The files that are not committed as they are.
 * @param names relative to the top of the work tree, with `/`
 * @returns `undefined` if git's index cannot be read
 */
export async function listUncommittedFiles(
  place: GitPlace,
  names: readonly string[],
): Promise<Set<string> | undefined> {
  const index = readIndex(place);
  const firstLetters = names.map((name) => name.charAt(0).toLowerCase()).join('');
  const entries = attempt(() =>
    index?.find(firstLetters, (name) => names.some((each) => each === name || each.startsWith(`${name}/`))),
  );

  if (index === undefined || entries === undefined) return undefined;

  const uncommitted = new Set<string>();
  const committedAt = readHeadLog(place).findLast(({ message }) => COMMITTED.test(message))?.at ?? 0;

  for (const name of names) {
    if (entries.some((entry) => isSubmodule(entry) && name.startsWith(`${entry.name}/`))) continue;

    const tracked = entries.find((entry) => entry.name === name);
    const isUncommitted =
      tracked === undefined
        ? tryStat(join(place.top, name)) !== undefined && !(await isIgnored(place, name))
        : isChanged(place, index, tracked, committedAt);
    if (isUncommitted) uncommitted.add(name);
  }

  return uncommitted;
}

const MOST_HASHED = 4 * 1024 * 1024;

function isChanged(place: GitPlace, index: GitIndex, entry: IndexEntry, committedAt: number): boolean {
  const path = join(place.top, entry.name);
  const stats = attempt(() => getLinkStats(path));
  if (stats === undefined || entry.stage > 0) return true;

  // The index says only of whole folders that something is staged; the time of the file narrows it down.
  const folder = entry.name.slice(0, Math.max(0, entry.name.lastIndexOf('/')));
  if (stats.mtimeMs >= committedAt + 1000 && index.isStaged(folder)) return true;
  if (Math.abs(stats.mtimeMs - entry.mtimeMs) < 0.01 && stats.size === entry.size) return false;
  // git writes a size of 0 if the file may have changed within the same instant.
  if (stats.size !== entry.size && entry.size !== 0) return true;

  const bytes = stats.size > MOST_HASHED ? undefined : attempt(() => readBytes(path, 'source'));
  if (bytes === undefined) return true;

  const withLineFeeds = Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
  return ![bytes, withLineFeeds].some((content) => hashObject(content, entry.id.length) === entry.id);
}

/** Whether git ignores a file: by the files of its folders, the clone's own list, and the person's. */
async function isIgnored({ top, commonDir }: GitPlace, name: string): Promise<boolean> {
  const { default: ignore } = await import('ignore');
  const folders = name.split('/').map((_, depth, parts) => parts.slice(0, depth).join('/'));
  const lists = [
    { file: findPersonalExcludes(), below: '' },
    { file: join(commonDir, 'info', 'exclude'), below: '' },
    ...folders.map((folder) => ({ file: join(top, folder, '.gitignore'), below: folder })),
  ];

  let isExcluded = false;

  for (const { file, below } of lists) {
    const text = tryReadText(file, 'source');
    if (text === undefined) continue;
    const path = below === '' ? name : name.slice(below.length + 1);
    const { ignored, unignored } = ignore().add(text).test(path);
    if (ignored || unignored) isExcluded = ignored;
  }

  return isExcluded;
}

/** The path of the person's own list: `core.excludesFile`, or git's default. */
function findPersonalExcludes(): string {
  const home = findHome(process.env);
  const config = tryReadText(join(home, '.gitconfig'), 'git') ?? '';
  const setting = /^[ \t]*excludesfile[ \t]*=[ \t]*"?([^"\n]+)/im.exec(config)?.[1];
  const path = setting?.trim().replace(/^~\//, `${home}/`);

  return path ?? join(process.env.XDG_CONFIG_HOME || join(home, '.config'), 'git', 'ignore');
}
