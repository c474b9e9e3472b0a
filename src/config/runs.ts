import { createHash } from 'node:crypto';
import { basename, join, relative } from 'node:path';
import { DATA_DIR, isInside, linkTarget, PAD_FILE, type Stats, tryList, tryStat } from '../fs/index.ts';
import { gitPlace } from '../git/place.ts';
import type { CommandSpec } from './command.ts';
import { namesIn } from './command-words.ts';
import { type NamedFile, NamedFiles } from './named-files.ts';

/** The files of a workspace that a command may run. It stays approved while all of them are unchanged. */
export interface Watched {
  files: readonly NamedFile[];
  /** A digest of the whole workspace, if the files cannot be determined one by one. */
  everything?: string;
  /** Why they cannot be determined, in plain words. */
  because?: string;
}

/** Most files of a workspace to digest in a hook. */
const MOST_FILES = 20_000;

/** Programs that run code from their working directory although no argument names it. */
const RUNNERS =
  /^(?:g?make|ninja|just|task|rake|npm|npx|pnpm|yarn|bunx?|deno|cargo|go|mvn|gradlew?|tox|nox|pytest|uvx?|poetry|pipenv|hatch|php|composer|dotnet|swift|bazel|mix|sbt|lein|nix(?:-shell)?|docker(?:-compose)?|podman|direnv|python[\d.]*|find|xargs|parallel|\.\.?)$/;
const CODE = /\.(?:[cm]?[jt]s|sh|bash|mk|php|pl|pyw?|rb)$/;

/**
 * Determines which files of a workspace a command runs. Words are resolved as the shell and the interpreters
 * would, where that is certain: a script, or a common interpreter with a script; files that a script names
 * are followed. For anything else (`make`, `sh -c`, wrappers, unknown programs) any change in the workspace
 * counts.
 * @param workspace real path
 * @param own whether the user's own config names the command: the program outside the workspace is then
 * trusted
 */
export function whatRuns(
  workspace: string,
  spec: CommandSpec,
  own: boolean,
  env: NodeJS.ProcessEnv,
): Watched {
  const named = new NamedFiles(workspace, env);
  const unsure = named.command(spec, own);
  const files = named.files();
  const words = [spec.command, ...spec.args].join('\n');
  const touches =
    files.length > 0 ||
    /[*?[]/.test(words) ||
    namesIn(words).some(({ name }) => RUNNERS.test(basename(name)));
  if (unsure === undefined || (own && !touches)) return { files };
  const top = words.includes('..') ? (gitPlace(workspace)?.top ?? workspace) : workspace;
  return { files, everything: stateOf(top), because: unsure };
}

/**
 * A digest of everything in a folder: names, sizes, modes and change times (ctime, which nobody can set
 * back). Links are followed. Of the scratchpad's own data, which changes all the time, only code counts.
 * Beyond the limit, a folder counts by its own change time and by git's commit.
 */
function stateOf(top: string): string {
  const hash = createHash('sha256');
  const tell = (path: string, what: unknown): void => {
    hash.update(JSON.stringify([relative(top, path), linkTarget(path) ?? '', what]));
  };
  const git = gitPlace(top);
  for (const name of git === undefined ? [] : ['logs/HEAD', 'config', 'hooks'])
    tell(name, marksOf(tryStat(join(git?.commonDir ?? top, name))));
  const seen = new Set<string>();
  const folders = [top];
  let left = MOST_FILES;
  for (let k = 0; k < folders.length; k += 1) {
    const folder = folders[k] ?? top;
    const at = tryStat(folder);
    const id = `${at?.dev}:${at?.ino}`;
    if (seen.has(id)) continue;
    seen.add(id);
    if (left <= 0) tell(folder, marksOf(at));
    for (const name of left > 0 ? tryList(folder).sort() : []) {
      if (name === '.git' || name === '__pycache__' || (folder === top && name === PAD_FILE)) continue;
      left -= 1;
      const path = join(folder, name);
      const stats = tryStat(path);
      const isData = isInside(join(top, DATA_DIR), path);
      if (stats?.isDirectory()) folders.push(path);
      if (isData && !(stats?.isFile() && (CODE.test(name) || (stats.mode & 0o111) !== 0))) continue;
      // A folder's time changes with any file in it, even with one that does not count.
      tell(path, stats?.isDirectory() ? 'folder' : marksOf(stats));
    }
  }
  return hash.digest('hex');
}

function marksOf(stats: Stats | undefined): unknown {
  return stats && [stats.size, stats.mode, stats.mtimeMs, stats.ctimeMs, stats.ino];
}
