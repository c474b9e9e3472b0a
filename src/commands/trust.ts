import { refusal } from '../base/errors.ts';
import { resolveRealPath } from '../base/fs/index.ts';
import { findGitPlace } from '../base/git/place.ts';
import { approveContent, judgeProvenance, readApproval, removeApproval } from '../base/trust/index.ts';
import { formatCommand } from '../config/command.ts';
import { approveCommands, inspectTrust, type Trust } from '../config/trust.ts';
import { defineCommand } from './command.ts';
import { type Lines, refuseAgent, resolveWorkspace } from './invocation.ts';

/** A digest approves commands only, and only if nothing has changed since they were shown. */
export const trust = defineCommand({
  takes: {
    '[digest]': 'approve only if the digest, as printed by --show, is still this',
    '--show': 'show the commands without approving them',
    '--revoke': 'withdraw the approval',
  },
  examples: ['scratchpad trust --show', 'scratchpad trust'],
  run: (call, { digest, show, revoke }) => {
    const { env } = call;
    const { root } = resolveWorkspace(call);
    const before = inspectTrust(root, env);
    const { workspace } = before;

    // An agent's commands run unasked, and the model is told what is not approved.
    if (!show && !revoke) refuseAgent(call, 'trust is for a person: nothing was approved');

    if (revoke) {
      const revoked = removeApproval(workspace, env);
      const text = revoked ? 'no longer approved: its commands do not run' : 'it was not approved';
      return call.print({ workspace, revoked }, `${workspace}: ${text}`);
    }

    if (digest !== undefined && !(digest.length >= 8 && before.digest.startsWith(digest)))
      throw refusal('the config does not match that digest: nothing was approved', {
        expected: digest,
        found: before.digest.slice(0, 16) || 'nothing that needs approval',
        next: 'see its current state: scratchpad trust --show',
      });

    if (!show) {
      const comesFromElsewhere = findGitPlace(workspace) !== undefined || isUntrusted(root, env);
      if (digest === undefined && comesFromElsewhere) approveContent(workspace, call.now, env);
      if (before.state === 'new' || before.state === 'changed') approveCommands(before, call.now, env);
    }

    const after = inspectTrust(root, env);
    // Only what was shown is approved: a change in between leaves it unapproved.
    const current = after.digest === before.digest ? after : before;
    const content = readContent(root, env);
    call.print(toJson(current, content), renderTrust(current, content));
  },
});

type Content = 'own' | 'approved' | 'untrusted';

function isUntrusted(root: string, env: NodeJS.ProcessEnv): boolean {
  const { spaces, settings } = judgeProvenance(root, env);
  return spaces === 'untrusted' || settings === 'untrusted';
}

function readContent(root: string, env: NodeJS.ProcessEnv): Content {
  if (isUntrusted(root, env)) return 'untrusted';
  return readApproval(resolveRealPath(root) ?? root, env)?.content === 'approved' ? 'approved' : 'own';
}

const APPROVE = 'approve them with: scratchpad trust';
const REVOKE = 'revoke with: scratchpad trust --revoke';
const STATES: Record<Trust['state'], string> = {
  nothing: 'nothing here needs approval',
  new: `not approved: the commands do not run; ${APPROVE}`,
  changed: `changed since it was approved: the commands do not run; ${APPROVE}`,
  approved: `approved: the commands run; ${REVOKE}`,
};
const CONTENTS: Record<Content, string | false> = {
  own: false,
  untrusted: `SCRATCHPAD.md and settings: not used, because they come from elsewhere; ${APPROVE}`,
  approved: `SCRATCHPAD.md, settings and sessions of the repository: used; ${REVOKE}`,
};

const renderTrust = ({ workspace, state, digest, commands }: Trust, content: Content): Lines => [
  `workspace: ${workspace}`,
  CONTENTS[content],
  commands.map(({ spec, files, refused: why }) => [
    `${spec.key}: ${formatCommand(spec)}`,
    `    from ${spec.origin}`,
    files.map(({ path, sha256 }) => `    runs ${path} (sha256 ${sha256.slice(0, 16)})`),
    why !== undefined && !['new', 'changed'].includes(state) && `    ${why}`,
  ]),
  commands.length === 0 && 'no config file names a command',
  commands.length > 0 && [digest !== '' && `digest: ${digest.slice(0, 16)}`, STATES[state]],
];

const toJson = ({ workspace, state, digest, approval, commands }: Trust, content: Content): unknown => ({
  workspace,
  content,
  state,
  digest,
  approved: approval?.approved ?? null,
  commands: commands.map(({ spec: { key, command: program, args, origin }, files, refused = null }) => {
    return { key, command: program, args, origin, files, refused };
  }),
});
