import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { findHome, getLinkStats, readBytes, tryReadText, tryStat } from '../fs/index.ts';
import { hashObject } from './objects.ts';
import { type GitPlace, readGitConfig, readRef } from './place.ts';
import { type GitIndex, type IndexEntry, isSubmodule, readIndex } from './read-index.ts';

/* What git would say of the work under way, read from its files: a hook never runs git (`read-index.ts` says why). */

export interface Commit {
  sha: string;
  /** Epoch milliseconds. */
  at: number;
  subject: string;
  here: boolean;
  /** Undefined if it is not known, as without an upstream branch. */
  pushed?: boolean | undefined;
}

const MOST_COMMITS = 40;
/** Each step of HEAD adds a line to its log. */
const LOG_BYTES = 32 * 1024;
const STEP = /^([\da-f]{40,64}) ([\da-f]{40,64}) .* (\d+) [-+]\d{4}\t(.*)$/gm;
const MADE = /^(?:commit|cherry-pick|revert|rebase)\b([^:]*): (.*)$/;
/** Steps after which HEAD has another commit in the place of the one before. */
const REPLACES = /amend|squash|fixup|reword/;
/** Steps that make no commit, and say nothing of the parents of where they lead. */
const MOVES = /^(?:checkout|reset|clone|branch|rebase[^:]*\((?:start|finish|abort))/i;

interface Step {
  old: string;
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

  for (const [k, step] of [...steps.entries()].reverse()) {
    if (step.sha !== sha || MOVES.test(step.message)) continue;
    if (sha === upstream) pushed = true;
    const subject = MADE.exec(step.message)?.[2];
    commits.push({ sha, at: step.at, subject: subject ?? step.message, here: subject !== undefined, pushed });
    sha = findParent(steps, k);
  }

  // Where the log does not go back to what the upstream has, nothing is known.
  const isKnown = sha === upstream || pushed === true;
  return commits.slice(0, MOST_COMMITS).map((each) => (isKnown ? each : { ...each, pushed: undefined }));
}

function readHeadLog({ gitDir }: GitPlace): Step[] {
  const log = attempt(() => readBytes(join(gitDir, 'logs', 'HEAD'), 'gitIndex'))?.subarray(-LOG_BYTES);
  return [...(log?.toString('utf8') ?? '').matchAll(STEP)].map(([, old = '', sha = '', at, message = '']) => {
    return { old, sha, at: Number(at) * 1000, message };
  });
}

/** The parent of the commit that a step made; of one that replaced another, the parent of that one. */
function findParent(steps: readonly Step[], k: number): string | undefined {
  const step = steps[k];
  if (step === undefined || !REPLACES.test(MADE.exec(step.message)?.[1] ?? '')) return step?.old;

  const before = steps.findLastIndex(
    ({ sha, message }, j) => j < k && sha === step.old && !MOVES.test(message),
  );

  return before < 0 ? undefined : findParent(steps, before);
}

function findUpstream(place: GitPlace): string | undefined {
  const { branch = '', commonDir } = place;
  const section = readGitConfig(place)
    .split(/^\s*(?=\[)/m)
    .find((each) => each.startsWith(`[branch "${branch}"]`));
  const remote = /^\s*remote\s*=\s*(\S+)/m.exec(section ?? '')?.[1];
  const merged = /^\s*merge\s*=\s*refs\/heads\/(\S+)/m.exec(section ?? '')?.[1];

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
  const firsts = names.map((name) => name.slice(0, 1).toLowerCase()).join('');
  const entries = attempt(() =>
    index?.find(firsts, (name) => names.some((each) => each === name || each.startsWith(`${name}/`))),
  );

  if (index === undefined || entries === undefined) return undefined;

  const uncommitted = new Set<string>();
  const committed = readHeadLog(place).findLast(({ message }) => MADE.test(message))?.at ?? 0;

  for (const name of names) {
    if (entries.some((entry) => isSubmodule(entry) && name.startsWith(`${entry.name}/`))) continue;

    const own = entries.filter((entry) => entry.name === name);
    const isOpen =
      own.length === 0
        ? tryStat(join(place.top, name)) !== undefined && !(await isIgnored(place, name))
        : await isChanged(place, index, own[0] as IndexEntry, committed);
    if (isOpen) uncommitted.add(name);
  }

  return uncommitted;
}

const MOST_HASHED = 4 * 1024 * 1024;

async function isChanged(
  place: GitPlace,
  index: GitIndex,
  entry: IndexEntry,
  committed: number,
): Promise<boolean> {
  const path = join(place.top, entry.name);
  const stats = attempt(() => getLinkStats(path));
  if (stats === undefined || entry.stage > 0) return true;

  // The index says of a folder that something was added; the file's time, whether it can be this one.
  const folder = entry.name.slice(0, Math.max(0, entry.name.lastIndexOf('/')));
  if (stats.mtimeMs >= committed + 1000 && index.isStaged(folder)) return true;
  if (Math.abs(stats.mtimeMs - entry.mtimeMs) < 0.01 && stats.size === entry.size) return false;
  // git writes no size where the file may have changed within the same instant.
  if (stats.size !== entry.size && entry.size !== 0) return true;

  const bytes = stats.size > MOST_HASHED ? undefined : attempt(() => readBytes(path, 'source'));
  if (bytes === undefined) return true;

  const ids = [bytes, Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')];
  return !ids.some((each) => hashObject(each, entry.id.length) === entry.id);
}

/** Whether git ignores a file: by the files of its folders, the clone's own list, and the person's. */
async function isIgnored({ top, commonDir }: GitPlace, name: string): Promise<boolean> {
  const { default: ignore } = await import('ignore');
  const folders = name.split('/').map((_, k, parts) => parts.slice(0, k).join('/'));
  const lists = [
    { file: readPersonalExcludes(), below: '' },
    { file: join(commonDir, 'info', 'exclude'), below: '' },
    ...folders.map((folder) => ({ file: join(top, folder, '.gitignore'), below: folder })),
  ];

  let isOut = false;

  for (const { file, below } of lists) {
    const text = tryReadText(file, 'source');
    if (text === undefined) continue;
    const path = below === '' ? name : name.slice(below.length + 1);
    const { ignored, unignored } = ignore().add(text).test(path);
    if (ignored || unignored) isOut = ignored;
  }

  return isOut;
}

/** `core.excludesFile` of the person, or where it is by default. */
function readPersonalExcludes(): string {
  const home = findHome(process.env);
  const named = /^\s*excludesfile\s*=\s*"?([^"\n]+)/im.exec(
    tryReadText(join(home, '.gitconfig'), 'git') ?? '',
  );
  const path = named?.[1]?.trim().replace(/^~\//, `${home}/`);

  return path ?? join(process.env.XDG_CONFIG_HOME || join(home, '.config'), 'git', 'ignore');
}
