import { basename, delimiter, dirname, join, relative, resolve } from 'node:path';
import { attempt } from '../base/errors.ts';
import { getStats, isExecutable, isInside, readBytes, resolveRealPath, tryStat } from '../base/fs/index.ts';
import { findGitPlace } from '../base/git/place.ts';
import { makeWordSet } from '../base/text/strings.ts';
import { type Approval, hashSha256, readApproval, writeApproval } from '../base/trust/index.ts';
import { type CommandSpec, expandHome } from './command.ts';
import { readConfigFile } from './file.ts';
import { listConfigFiles } from './load.ts';

export interface TrustedCommand {
  spec: CommandSpec;
  files: readonly NamedFile[];
  /** The digest that an approval covers; `undefined` for commands of the user's own config, which need none. */
  digest?: string;
  refused?: string;
}

/**
 * - `nothing`: no command needs approval
 * - `new`: never approved
 * - `changed`: the config or a file that it names is no longer what was approved
 */
type TrustState = 'nothing' | 'new' | 'changed' | 'approved';

export interface Trust {
  /** Real path of the workspace that the approval is for. */
  workspace: string;
  state: TrustState;
  /** The combined digest of all commands that need approval; empty if none does. */
  digest: string;
  approval?: Approval;
  commands: readonly TrustedCommand[];
}

export const NOT_TRUSTED =
  'not run: not trusted; `scratchpad trust --show` shows it, `scratchpad trust` approves it';

/** The commands of the config files as they are now, and whether a person has approved them. */
export function inspectTrust(root: string, env: NodeJS.ProcessEnv): Trust {
  const workspace = resolveRealPath(root) ?? resolve(root);
  const configs = listConfigFiles(root, env);
  const specs = new Map<string, CommandSpec>();

  for (const file of [configs.user, configs.workspace]) {
    if (file === undefined) continue;
    for (const value of readConfigFile(file).values.values())
      if (isCommand(value)) specs.set(value.key, value);
  }

  const approval = readApproval(workspace, env);
  const bytes = attempt(() => readBytes(configs.workspace, 'config'));
  const configDigest = bytes ? hashSha256(bytes) : null;
  const commands = [...specs.values()].map((spec): TrustedCommand => {
    const own = spec.origin === configs.user;
    const files = listProgramFiles(workspace, spec, env);
    const covered = [3, configDigest, own, spec.key, spec.command, spec.args, files];
    const digest = own && files.length === 0 ? undefined : hashSha256(JSON.stringify(covered));
    const isApproved = digest === undefined || digest === approval?.each?.[spec.key];
    const why = approval?.digest ? `${NOT_TRUSTED} (changed since it was approved)` : NOT_TRUSTED;
    const refused = (own ? findUnsafeReason(spec.origin) : undefined) ?? (isApproved ? undefined : why);

    return { spec, files, digest, refused };
  });

  const pending = commands.filter(({ digest }) => digest !== undefined);
  if (pending.length === 0) return { workspace, state: 'nothing', digest: '', approval, commands };

  const digest = hashSha256(JSON.stringify(pending.map((command) => command.digest)));
  const isApproved = pending.every((command) => command.digest === approval?.each?.[command.spec.key]);
  const stateSinceApproval = isApproved ? 'approved' : 'changed';
  return { workspace, state: approval?.digest ? stateSinceApproval : 'new', digest, approval, commands };
}

export function approveCommands(
  { workspace, digest, commands }: Trust,
  at: number,
  env: NodeJS.ProcessEnv,
): void {
  const each = commands.flatMap(({ spec, digest: own }) => (own === undefined ? [] : [[spec.key, own]]));
  const approval: Approval = {
    ...readApproval(workspace, env),
    workspace,
    digest,
    each: Object.fromEntries(each),
    approved: new Date(at).toISOString(),
  };

  writeApproval(approval, env);
}

const isCommand = (value: unknown): value is CommandSpec =>
  value !== null && typeof value === 'object' && 'origin' in value;

function findUnsafeReason(path: string): string | undefined {
  const me = process.getuid?.();
  if (me === undefined) return undefined;

  for (const each of [path, join(path, '..')]) {
    const { uid, mode } = getStats(each) ?? { uid: -1, mode: 0o777 };
    if (uid !== me) return `not run: ${each} belongs to another user`;
    if ((mode & 0o022) !== 0)
      return `not run: others can write to ${each}; prevent that with: chmod go-w ${each}`;
  }

  return undefined;
}

interface NamedFile {
  /** Relative to the workspace. */
  path: string;
  sha256: string;
}

/** Programs that never run a file, whatever their arguments. */
const READERS = makeWordSet(
  'cal cat curl cut date df echo free gcalcli grep head jq khal ls printf sleep tail uptime wc who',
);
/** Interpreters: their first argument that is not an option is a program, whatever its ending. */
const INTERPRETER = /^(?:(?:ba|da|k|z)?sh|node|bun|deno|python[\d.]*|perl[\d.]*|ruby)$/;
/** Programs that run what a file of a fixed name says; here or, most of them, in a folder above. */
const RECIPES: readonly [program: RegExp, files: readonly string[]][] = [
  [/^(?:npm|npx|pnpm|yarn|bunx?)$/, ['package.json']],
  [/^g?make$/, ['GNUmakefile', 'makefile', 'Makefile']],
  [/^just$/, ['justfile', 'Justfile', '.justfile']],
  [/^task$/, ['Taskfile.yml', 'Taskfile.yaml']],
  [/^rake$/, ['Rakefile', 'rakefile']],
];
const PYTHON = /^python[\d.]*$/;
/** Data that changes every day. */
const DATA_FILE = /\.(?:csv|ics|jsonl?|log|md|tsv)$/i;
/** The parts of a word that may be file names: `./x.sh` in `sh -c './x.sh | head'`. */
const NAME = /[\w@~.+%-]*(?:\/[\w@~.+%-]+)*\/?/g;

/**
 * The files of a workspace that the words of a command name as programs: the program itself, a script that an
 * interpreter is given, and what `npm run`, `make` and the like read. An approval covers their bytes, not those of
 * files that they run in turn.
 * @param workspace real path
 */
export function listProgramFiles(
  workspace: string,
  { command, args }: Pick<CommandSpec, 'command' | 'args'>,
  env: NodeJS.ProcessEnv,
): NamedFile[] {
  const top = resolveRealPath(findGitPlace(workspace)?.top ?? workspace) ?? workspace;
  const words = [command, ...args];
  const resolveWord = (word: string): string => resolve(workspace, expandHome(word, env));
  const paths = new Set<string>();

  const program = findProgram(command, workspace, env);

  if (program !== undefined) paths.add(program);
  if (!READERS.has(command.replace(/^\/(?:usr\/)?bin\//, '')))
    for (const [k, word] of words.entries())
      for (const path of [word, ...listNames(word)].map(resolveWord))
        if (isInterpreted(words, k) || !DATA_FILE.test(path) || isExecutable(path)) paths.add(path);

  const called = words.flatMap(listNames).map((name) => basename(name));
  const folders = [workspace, ...args.map(resolveWord).filter((path) => tryStat(path)?.isDirectory())];

  for (const [name, files] of RECIPES) {
    if (!called.some((each) => name.test(each))) continue;
    for (const folder of folders)
      for (let up = folder; isInside(top, up); up = dirname(up)) {
        for (const file of files) paths.add(join(up, file));
        if (dirname(up) === up) break;
      }
  }

  const module = called.some((each) => PYTHON.test(each)) ? words[words.indexOf('-m') + 1] : undefined;
  if (module !== undefined) {
    const path = resolveWord(module.replaceAll('.', '/'));
    paths.add(`${path}.py`).add(join(path, '__main__.py'));
  }

  const isInWorkspace = (path: string): boolean =>
    [path, resolveRealPath(path)].some((each) => each !== undefined && isInside(top, each));

  return [...paths]
    .filter((path) => isInWorkspace(path) && tryStat(path)?.isFile())
    .map((path) => ({
      path: relative(workspace, path),
      sha256: hashSha256(attempt(() => readBytes(path, 'program')) ?? ''),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Where a program is found, searching like execvp(3) from the workspace. */
function findProgram(command: string, workspace: string, env: NodeJS.ProcessEnv): string | undefined {
  if (command.includes('/')) return resolve(workspace, expandHome(command, env));
  return (env.PATH ?? '')
    .split(delimiter)
    .map((folder) => resolve(workspace, folder, command))
    .find((path) => tryStat(path)?.isFile() && isExecutable(path));
}

const listNames = (word: string): string[] => [...word.matchAll(NAME)].map(([name]) => name).filter(Boolean);

/** Whether a word is the first argument of an interpreter that is not an option. */
function isInterpreted(words: readonly string[], index: number): boolean {
  const before = words.slice(0, index).findLast((word) => !word.startsWith('-'));
  return INTERPRETER.test(basename(before ?? ''));
}
