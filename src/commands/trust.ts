import { refused } from '../base/errors.ts';
import { realPathOf } from '../base/fs/index.ts';
import { gitPlace } from '../base/git/place.ts';
import {
  approveContent,
  listApprovals,
  readApproval,
  removeApproval,
  writeApproval,
} from '../base/trust/approvals.ts';
import { provenanceOf } from '../base/trust/provenance.ts';
import { spellCommand } from '../config/command.ts';
import { inspectTrust, type Trust } from '../config/trust.ts';
import { type Invocation, type Takes, workspaceOf } from './invocation.ts';

type TrustOptions = Takes<never, 'show' | 'revoke' | 'list'>;

/**
 * Approves a workspace from elsewhere: use of its pad and settings, and its config's commands in their current form;
 * `--show` only shows them. With a digest it approves only commands, and only if they still have that digest, so
 * that nothing changed since they were shown.
 */
export async function trust(
  invocation: Invocation,
  digest: string | undefined,
  options: TrustOptions,
): Promise<void> {
  const { env } = invocation;
  if (options.list) return list(invocation);
  const { root } = workspaceOf(invocation);
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
    throw refused('the config does not match that digest: nothing was approved', {
      expected: digest,
      found: before.digest.slice(0, 16) || 'nothing that needs approval',
      next: 'see its current state: scratchpad trust --show',
    });
  }
  const comesFromElsewhere = gitPlace(before.workspace) !== undefined || isUntrusted(root, env);
  if (!options.show && digest === undefined && comesFromElsewhere)
    approveContent(before.workspace, 'approved', invocation.now, env);
  if (!options.show && (before.state === 'new' || before.state === 'changed')) approve(before, invocation);
  const after = inspectTrust(root, env);
  // Only what was shown is approved: a change in between leaves it unapproved.
  const shown = after.digest === before.digest ? after : before;
  const content = contentOf(root, env);
  invocation.result(asJson(shown, content), describe(shown, content));
}

/** Approves the result of an inspection. */
export function approve(
  { workspace, digest, commands }: Trust,
  { now, env }: Pick<Invocation, 'now' | 'env'>,
): void {
  const approved = new Date(now).toISOString();
  writeApproval(
    {
      ...readApproval(workspace, env),
      workspace,
      digest,
      each: Object.fromEntries(
        commands.flatMap(({ spec, digest: own }) => (own === undefined ? [] : [[spec.key, own]])),
      ),
      approved,
      commands: commands.map(({ spec }) => spellCommand(spec)),
    },
    env,
  );
}

type Content = 'own' | 'approved' | 'untrusted';

function isUntrusted(root: string, env: NodeJS.ProcessEnv): boolean {
  const { spaces, settings } = provenanceOf(root, env);
  return spaces === 'untrusted' || settings === 'untrusted';
}

function contentOf(root: string, env: NodeJS.ProcessEnv): Content {
  if (isUntrusted(root, env)) return 'untrusted';
  return readApproval(realPathOf(root) ?? root, env)?.content === 'approved' ? 'approved' : 'own';
}

function list(invocation: Invocation): void {
  const approvals = listApprovals(invocation.env).filter(
    ({ content, digest }) => content === 'approved' || digest !== '',
  );
  const text = approvals.map(
    ({ workspace, digest, approved, commands }) =>
      `${workspace}  ${digest.slice(0, 16) || 'content'}  ${approved.slice(0, 10)}${commands.map((line) => `\n    ${line}`).join('')}`,
  );
  invocation.result(approvals, text.join('\n') || 'no workspace is approved');
}

const STATES = new Map<Trust['state'], string>([
  ['nothing', 'nothing here needs approval'],
  ['new', 'not approved: the commands do not run; approve them with: scratchpad trust'],
  ['changed', 'changed since it was approved: the commands do not run; approve them with: scratchpad trust'],
  ['approved', 'approved: the commands run; revoke with: scratchpad trust --revoke'],
]);

const CONTENTS = new Map<Content, string>([
  [
    'untrusted',
    'SCRATCHPAD.md and settings: not used, because they come from elsewhere; approve them with: scratchpad trust',
  ],
  [
    'approved',
    'SCRATCHPAD.md, settings and sessions of the repository: used; revoke with: scratchpad trust --revoke',
  ],
]);

function describe({ workspace, state, digest, commands }: Trust, content: Content): string {
  const about = CONTENTS.get(content);
  const lines = [`workspace: ${workspace}`, ...(about === undefined ? [] : [about])];
  if (commands.length === 0) return [...lines, 'no config file names a command'].join('\n');
  for (const { spec, files, refused } of commands) {
    lines.push(`${spec.key}: ${spellCommand(spec)}`, `    from ${spec.origin}`);
    for (const file of files) lines.push(`    runs ${file.path} (sha256 ${file.sha256.slice(0, 16)})`);
    if (refused !== undefined && state !== 'new' && state !== 'changed') lines.push(`    ${refused}`);
  }
  if (digest !== '') lines.push(`digest: ${digest.slice(0, 16)}`);
  return [...lines, STATES.get(state) ?? state].join('\n');
}

function asJson({ workspace, state, digest, approval, commands }: Trust, content: Content): unknown {
  return {
    workspace,
    content,
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
