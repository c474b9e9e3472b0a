import { listApprovals, removeApproval, writeApproval } from '../config/approvals.ts';
import { spellCommand } from '../config/command.ts';
import { inspectTrust, type Trust } from '../config/trust.ts';
import { ScratchpadError } from '../errors.ts';
import { forTerminal } from '../safety/terminal.ts';
import { findWorkspace } from '../session/workspace.ts';
import type { Invocation } from './invocation.ts';

export interface TrustOptions {
  show?: boolean;
  revoke?: boolean;
  list?: boolean;
}

/**
 * Shows which commands the config would run and approves them as they are now; `--show` only
 * shows. With a digest, approves only what has that digest: what was shown, and nothing that
 * came in between. Shape with `--json`: `{workspace, state, digest, approved, commands: [{key,
 * command, args, origin, files, refused}]}`; of `--list`: `[{workspace, digest, approved,
 * commands}]`.
 */
export async function trust(
  invocation: Invocation,
  digest: string | undefined,
  options: TrustOptions,
): Promise<void> {
  const { env, cwd } = invocation;
  if (options.list) return list(invocation);
  const { root } = findWorkspace(invocation.options.workspace, env, cwd);
  const before = inspectTrust(root, env);
  if (options.revoke) {
    const removed = removeApproval(before.workspace, env);
    const text = removed ? 'no longer approved: its commands do not run' : 'it was not approved';
    return invocation.result(
      { workspace: before.workspace, revoked: removed },
      `${before.workspace}: ${text}`,
    );
  }
  if (digest !== undefined && !(digest.length >= 8 && before.digest.startsWith(digest))) {
    throw new ScratchpadError('refused', 'the config is not what that digest says: nothing was approved', {
      expected: digest,
      found: before.digest.slice(0, 16) || 'nothing that needs approval',
      next: 'look at what it is now: scratchpad trust --show',
    });
  }
  if (!options.show && (before.state === 'new' || before.state === 'changed')) approve(before, invocation);
  const after = inspectTrust(root, env);
  // What was shown is what was approved: a change in between leaves it unapproved.
  const shown = after.digest === before.digest ? after : before;
  invocation.result(asJson(shown), forTerminal(describe(shown)));
}

/** Approves what an inspection has found. */
export function approve(
  { workspace, digest, commands }: Trust,
  { now, env }: Pick<Invocation, 'now' | 'env'>,
): void {
  const approved = new Date(now).toISOString();
  writeApproval(
    { workspace, digest, approved, commands: commands.map(({ spec }) => spellCommand(spec)) },
    env,
  );
}

function list(invocation: Invocation): void {
  const approvals = listApprovals(invocation.env);
  const text = approvals.map(
    ({ workspace, digest, approved, commands }) =>
      `${workspace}  ${digest.slice(0, 16)}  ${approved.slice(0, 10)}${commands.map((line) => `\n    ${line}`).join('')}`,
  );
  invocation.result(approvals, forTerminal(text.join('\n')) || 'no workspace is approved');
}

const STATES = new Map<Trust['state'], string>([
  ['nothing', 'nothing here needs approval'],
  ['new', 'not approved: the commands do not run; approve them with: scratchpad trust'],
  ['changed', 'changed since it was approved: the commands do not run; approve them with: scratchpad trust'],
  ['approved', 'approved: the commands run; take it back with: scratchpad trust --revoke'],
]);

function describe({ workspace, state, digest, commands }: Trust): string {
  const lines = [`workspace: ${workspace}`];
  if (commands.length === 0) return `${lines[0]}\nno config file names a command`;
  for (const { spec, files, refused } of commands) {
    lines.push(`${spec.key}: ${spellCommand(spec)}`, `    from ${spec.origin}`);
    for (const file of files) lines.push(`    runs ${file.path} (sha256 ${file.sha256.slice(0, 16)})`);
    if (refused !== undefined && state !== 'new' && state !== 'changed') lines.push(`    ${refused}`);
  }
  if (digest !== '') lines.push(`digest: ${digest.slice(0, 16)}`);
  return [...lines, STATES.get(state) ?? state].join('\n');
}

function asJson({ workspace, state, digest, approval, commands }: Trust): unknown {
  return {
    workspace,
    state,
    digest,
    approved: approval?.approved ?? null,
    commands: commands.map(({ spec: { key, command, args, origin }, files, refused }) => ({
      key,
      command,
      args,
      origin,
      files,
      refused: refused ?? null,
    })),
  };
}
