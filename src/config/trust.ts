import { createHash } from 'node:crypto';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { readBytes, realPathOf, statOf, tryReadBytes } from '../fs/index.ts';
import { type Approval, readApproval } from '../trust/approvals.ts';
import type { CommandSpec } from './command.ts';
import { readConfigFile } from './file.ts';
import { configFiles } from './load.ts';

/** A file of the workspace that a command runs or is given. */
export interface NamedFile {
  /** Relative to the workspace. */
  path: string;
  /** SHA-256 of its bytes, hex. */
  sha256: string;
}

export interface TrustedCommand {
  spec: CommandSpec;
  /** Its files in the workspace. */
  files: readonly NamedFile[];
  /** Why it may not run; `undefined` when it may. */
  refused?: string;
}

/**
 * - `nothing`: no command needs approval
 * - `new`: never approved
 * - `changed`: the config or a file that it names is no longer what was approved
 */
export type TrustState = 'nothing' | 'new' | 'changed' | 'approved';

export interface Trust {
  /** Real path of the workspace: what the approval is for. */
  workspace: string;
  state: TrustState;
  /** What an approval approves: the workspace's config, the commands as read, and their files. */
  digest: string;
  approval?: Approval;
  commands: readonly TrustedCommand[];
}

export const NOT_TRUSTED =
  'not run: not trusted; `scratchpad trust --show` shows it, `scratchpad trust` approves it';
const DATA = /\.(?:md|txt|jsonl?|csv|tsv|ya?ml|toml|ics|log|xml|html)$/i;
const SHEBANG = Buffer.from('#!');

/**
 * Which commands of the config files may run. A config that came with a clone runs nothing
 * until it is approved by digest; the user's own needs no approval, except for what it runs
 * inside the workspace. Reads the files themselves: the cache lies in the workspace.
 */
export function inspectTrust(root: string, env: NodeJS.ProcessEnv): Trust {
  const workspace = realPath(root) ?? resolve(root);
  const files = configFiles(root, env);
  const specs = new Map<string, CommandSpec>();
  for (const file of [files.user, files.workspace]) {
    if (file === undefined) continue;
    for (const value of readConfigFile(file).values.values())
      if (isCommand(value)) specs.set(value.key, value);
  }
  const commands = [...specs.values()].map((spec) => ({ spec, files: namedFiles(workspace, spec, env) }));
  const inWorkspace = commands.filter(
    ({ spec, files: named }) => spec.origin !== files.user || named.length > 0,
  );
  if (inWorkspace.length === 0) {
    return {
      workspace,
      state: 'nothing',
      digest: '',
      commands: commands.map((each) => judged(each, files.user, undefined)),
    };
  }
  const digest = digestOf(files.workspace, inWorkspace, files.user);
  const approval = readApproval(workspace, env);
  const state =
    approval === undefined || approval.digest === ''
      ? 'new'
      : approval.digest === digest
        ? 'approved'
        : 'changed';
  const reason =
    state === 'approved'
      ? undefined
      : state === 'changed'
        ? `${NOT_TRUSTED} (changed since it was approved)`
        : NOT_TRUSTED;
  return {
    workspace,
    state,
    digest,
    ...(approval === undefined ? {} : { approval }),
    commands: commands.map((each) =>
      judged(each, files.user, inWorkspace.includes(each) ? reason : undefined),
    ),
  };
}

type Named = Omit<TrustedCommand, 'refused'>;

function judged(command: Named, user: string | undefined, reason: string | undefined): TrustedCommand {
  const unsafe = command.spec.origin === user ? unsafeFile(command.spec.origin) : undefined;
  const refused = unsafe ?? reason;
  return refused === undefined ? command : { ...command, refused };
}

function isCommand(value: unknown): value is CommandSpec {
  return value !== null && typeof value === 'object' && 'origin' in value;
}

/** Why a file in the user's own folder is not to be taken for the user's word. */
function unsafeFile(path: string): string | undefined {
  for (const each of [path, join(path, '..')]) {
    const { uid, mode } = statOf(each) ?? { uid: -1, mode: 0o777 };
    const me = process.getuid?.();
    if (me !== undefined && uid !== me) return `not run: ${each} belongs to another user`;
    if (me !== undefined && (mode & 0o022) !== 0)
      return `not run: others can write ${each}; take that away with: chmod go-w ${each}`;
  }
  return undefined;
}

/** What the words of a command name inside the workspace, or by a link in it: programs and scripts, no data. */
function namedFiles(workspace: string, { command, args }: CommandSpec, env: NodeJS.ProcessEnv): NamedFile[] {
  const found = new Map<string, NamedFile>();
  // A name without a slash is looked for on the PATH, not here.
  const words = command.includes('/') ? [command, ...args] : args;
  for (const word of words) {
    const path = resolve(workspace, atHome(word, env));
    const real = realPath(path);
    if (real === undefined || ![path, real].some((each) => each.startsWith(workspace + sep))) continue;
    try {
      const bytes = readBytes(real, 'program');
      if (!bytes || (word !== command && isData(real, statOf(real)?.mode ?? 0, bytes))) continue;
      const name = relative(workspace, real);
      found.set(name, { path: name, sha256: sha256(bytes) });
    } catch {
      // What cannot be read cannot be run either.
    }
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A list that a command prints may change every day without being approved again. */
function isData(path: string, mode: number, bytes: Buffer): boolean {
  return DATA.test(path) && (mode & 0o111) === 0 && !bytes.subarray(0, 2).equals(SHEBANG);
}

/** `~/bin/x` -> the path: without a shell nobody else would. */
export function atHome(word: string, env: NodeJS.ProcessEnv): string {
  return word.startsWith('~/') && env.HOME ? join(env.HOME, word.slice(2)) : word;
}

function digestOf(config: string, commands: readonly Named[], user: string | undefined): string {
  return sha256(
    JSON.stringify([
      1,
      fileDigest(config),
      commands.map(({ spec, files }) => [
        spec.key,
        spec.origin === user ? 'user' : 'workspace',
        spec.command,
        spec.args,
        files.map(({ path, sha256: digest }) => [path, digest]),
      ]),
    ]),
  );
}

function fileDigest(path: string): string | null {
  const bytes = tryReadBytes(path, 'config');
  return bytes ? sha256(bytes) : null;
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function realPath(path: string): string | undefined {
  return isAbsolute(path) ? realPathOf(path) : undefined;
}
