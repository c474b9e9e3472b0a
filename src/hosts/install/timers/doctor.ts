import {
  type InstalledTimer,
  installedTimers,
  missedRuns,
  readTriggers,
} from '../../../assembly/triggers/record.ts';
import { messageOf } from '../../../base/errors.ts';
import { exists } from '../../../base/fs/index.ts';
import { spellAge } from '../../../pad/freshness.ts';
import { isInstalled } from '../change.ts';
import { type Examined, type Finding, fail, ok, warn } from '../doctor.ts';
import type { InstallContext } from '../installation.ts';
import { installationOf } from '../targets.ts';
import { isFormer } from './timer.ts';

/** Where to look for the reason if a timer does not run. */
const REASONS: Readonly<Record<string, string>> = {
  cron: 'is the cron daemon running, and is there mail? crontab -l shows the line',
  systemd: 'systemctl --user list-timers "scratchpad-*"; after a log-out it needs: loginctl enable-linger',
};

/** Installed timers of a session that have disappeared, fail, or do not run. */
export async function timers({ workspace, config, store, env, now }: Examined): Promise<Finding[]> {
  const { dir, session } = store.paths;
  const own = session === config.primarySession ? {} : { session };
  const program = { command: '', args: [] };
  const context: InstallContext = { root: workspace.root, env, scope: 'project', program, ...own };
  const runs = readTriggers(dir);
  const age = (at: string): string => `${spellAge(now - Date.parse(at))} ago`;
  const findings: Finding[] = [];
  for (const timer of installedTimers(dir)) {
    const { kind, about, since } = timer;
    if (isFormer(kind)) {
      const next = `scratchpad uninstall ${kind}; docs/hosts.md has lines to copy`;
      findings.push(warn(kind, `${about}, installed by an earlier version`, next));
      continue;
    }
    const lost = await whyLost(timer, context);
    if (lost !== undefined) {
      findings.push(fail(kind, lost, `scratchpad install ${kind}`));
      continue;
    }
    const { last, lastFailure } = runs.find((run) => run.last.trigger === kind) ?? {};
    const ran = last ? `ran ${age(last.at)}` : `has not run since it was installed, ${age(since)}`;
    const found = `${about}, ${ran}`;
    const isSilent = missedRuns(timer, last?.at, now);
    findings.push(isSilent ? warn(kind, found, REASONS[kind] ?? 'scratchpad status') : ok(kind, found));
    if (last && lastFailure?.at === last.at)
      findings.push(warn(kind, `its last run: ${last.outcome}`, 'scratchpad status'));
  }
  return findings;
}

/** Why an installed timer no longer exists; `undefined` if it does. */
async function whyLost(
  { kind, program }: InstalledTimer,
  context: InstallContext,
): Promise<string | undefined> {
  const missing = program.find((path) => !exists(path));
  if (missing !== undefined) return `it starts ${missing}, which no longer exists`;
  try {
    const { targets } = await installationOf(kind, context);
    const gone = targets.find((target) => !isInstalled(target));
    return gone && `it is no longer in ${gone.path}`;
  } catch (error) {
    return messageOf(error);
  }
}
