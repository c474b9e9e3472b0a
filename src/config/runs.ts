import { createHash } from 'node:crypto';
import { basename, join, relative } from 'node:path';
import { DATA_DIR, isInside, linkTarget, type Stats, tryList, tryStat } from '../fs/index.ts';
import { gitPlace } from '../git/place.ts';
import type { CommandSpec } from './command.ts';
import { type NamedFile, NamedFiles, namesIn } from './named-files.ts';

/** What a command can run of a workspace: it may run as long as all of this is as it was approved. */
export interface Watched {
  files: readonly NamedFile[];
  /** Where files cannot be told one by one: a digest of what there is in the whole workspace. */
  everything?: string;
  /** Why they cannot be told, in plain words. */
  because?: string;
}

/** Files at which a whole workspace is too large to be looked at in a hook. */
const MOST_FILES = 20_000;

/** Programs that run what the folder they start in says, though no word names it. */
const RUNNERS =
  /^(?:g?make|ninja|just|task|rake|npm|npx|pnpm|yarn|bunx?|deno|cargo|go|mvn|gradlew?|tox|nox|pytest|uvx?|poetry|pipenv|hatch|php|composer|dotnet|swift|bazel|mix|sbt|lein|nix(?:-shell)?|docker(?:-compose)?|podman|direnv|python[\d.]*|find|xargs|parallel|\.\.?)$/;
const CODE = /\.(?:[cm]?[jt]s|sh|bash|mk|php|pl|pyw?|rb)$/;

/**
 * What a command runs of a workspace. Words are resolved as the shell and the interpreters would where that is
 * certain: a script, or a common interpreter and a script; the files that a script names are followed. For all else
 * (`make`, `sh -c`, wrappers, programs that are not known) any change in the workspace counts.
 *
 * @param workspace real path
 * @param own whether the user's own config names the command: what it is called outside of the workspace is their word
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
 * A digest of all that there is in a folder: names, sizes, modes and times of change, which nobody can set back. Links
 * are followed. Of the scratchpad's own data, which changes all the time, only what is code counts. What lies beyond
 * the most that is looked at counts by its folder's own time and by git's commit.
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
      if (name === '.git' || name === '__pycache__' || (folder === top && name === 'SCRATCHPAD.md')) continue;
      left -= 1;
      const path = join(folder, name);
      const stats = tryStat(path);
      const isData = isInside(join(top, DATA_DIR), path);
      if (stats?.isDirectory()) folders.push(path);
      if (isData && !(stats?.isFile() && (CODE.test(name) || (stats.mode & 0o111) !== 0))) continue;
      // The time of a folder changes with any file in it, also with one that does not count.
      tell(path, stats?.isDirectory() ? 'folder' : marksOf(stats));
    }
  }
  return hash.digest('hex');
}

function marksOf(stats: Stats | undefined): unknown {
  return stats && [stats.size, stats.mode, stats.mtimeMs, stats.ctimeMs, stats.ino];
}
