import { isAbsolute, join, resolve } from 'node:path';
import { realPathOf, statOf, tryReadBytes } from '../base/fs/index.ts';
import { type Approval, readApproval } from '../base/trust/approvals.ts';
import type { CommandSpec } from './command.ts';
import { readConfigFile } from './file.ts';
import { configFiles } from './load.ts';
import { type NamedFile, sha256, whatRuns } from './runs.ts';

export interface TrustedCommand {
  spec: CommandSpec;
  /** The files of the workspace that it runs. */
  files: readonly NamedFile[];
  /**
   * The digest that an approval covers; `undefined` for commands of the user's own config, which need none.
   */
  digest?: string;
  /** Why it may not run; `undefined` if it may. */
  refused?: string;
}

/**
 * - `nothing`: no command needs approval
 * - `new`: never approved
 * - `changed`: the config or a file that it names is no longer what was approved
 */
export type TrustState = 'nothing' | 'new' | 'changed' | 'approved';

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

/**
 * Which commands of the config files may run. A config that came with a clone runs nothing until its digest
 * is approved; the user's own config needs no approval, except for files that it runs inside the workspace.
 * Reads the config files themselves, because the cache lies in the workspace.
 */
export function inspectTrust(root: string, env: NodeJS.ProcessEnv): Trust {
  const workspace = realPath(root) ?? resolve(root);
  const configs = configFiles(root, env);
  const specs = new Map<string, CommandSpec>();
  for (const file of [configs.user, configs.workspace]) {
    if (file === undefined) continue;
    for (const value of readConfigFile(file).values.values())
      if (isCommand(value)) specs.set(value.key, value);
  }
  const approval = readApproval(workspace, env);
  const config = fileDigest(configs.workspace);
  const commands = [...specs.values()].map((spec): TrustedCommand => {
    const own = spec.origin === configs.user;
    const files = whatRuns(workspace, spec, own, env);
    const digest = own && files.length === 0 ? undefined : digestOf(config, spec, own, files);
    const refused =
      (own ? unsafeFile(spec.origin) : undefined) ??
      (digest === undefined ? undefined : refusalOf(digest, approval?.each?.[spec.key], approval));
    return { spec, files, digest, refused };
  });
  const asked = commands.filter(({ digest }) => digest !== undefined);
  const approved = asked.every(({ spec, digest }) => digest === approval?.each?.[spec.key]);
  return {
    workspace,
    state: asked.length === 0 ? 'nothing' : !approval?.digest ? 'new' : approved ? 'approved' : 'changed',
    digest: asked.length === 0 ? '' : sha256(JSON.stringify(asked.map(({ digest }) => digest))),
    approval,
    commands,
  };
}

function refusalOf(
  digest: string,
  approved: string | undefined,
  approval: Approval | undefined,
): string | undefined {
  if (digest === approved) return undefined;
  return approval?.digest ? `${NOT_TRUSTED} (changed since it was approved)` : NOT_TRUSTED;
}

function isCommand(value: unknown): value is CommandSpec {
  return value !== null && typeof value === 'object' && 'origin' in value;
}

/** Why a file in the user's config folder cannot be trusted as the user's own. */
function unsafeFile(path: string): string | undefined {
  for (const each of [path, join(path, '..')]) {
    const { uid, mode } = statOf(each) ?? { uid: -1, mode: 0o777 };
    const me = process.getuid?.();
    if (me !== undefined && uid !== me) return `not run: ${each} belongs to another user`;
    if (me !== undefined && (mode & 0o022) !== 0)
      return `not run: others can write to ${each}; prevent that with: chmod go-w ${each}`;
  }
  return undefined;
}

function digestOf(
  config: string | null,
  { key, command, args }: CommandSpec,
  own: boolean,
  files: readonly NamedFile[],
): string {
  // The last place held a digest of the whole workspace for some commands; approvals without one still count.
  return sha256(JSON.stringify([2, config, own, key, command, args, files, null]));
}

function fileDigest(path: string): string | null {
  const bytes = tryReadBytes(path, 'config');
  return bytes ? sha256(bytes) : null;
}

function realPath(path: string): string | undefined {
  return isAbsolute(path) ? realPathOf(path) : undefined;
}
