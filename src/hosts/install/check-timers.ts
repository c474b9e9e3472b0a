import { type InstalledTimer, installedTimers, missedRuns } from '../../assembly/triggers/installed.ts';
import { readTriggers, type TriggerRecord } from '../../assembly/triggers/record.ts';
import { messageOf } from '../../base/errors.ts';
import { exists } from '../../base/fs/index.ts';
import { spellAge } from '../../pad/freshness.ts';
import { isInstalled } from './change.ts';
import { type Check, type Finding, fail, ok, warn } from './check.ts';
import type { InstallContext } from './installation.ts';
import { installationOf } from './targets.ts';
import { isFormer } from './timers/timer.ts';

/** Where to look for the reason if a timer does not run. */
const REASONS: Readonly<Record<string, string>> = {
  cron: 'is the cron daemon running, and is there mail? crontab -l shows the line',
  systemd: 'systemctl --user list-timers "scratchpad-*"; after a log-out it needs: loginctl enable-linger',
};

/** Installed timers of a session that have disappeared, fail, or do not run. */
export const timers: Check = async ({ workspace, config, store, env, now }) => {
  const { dir, session } = store.paths;
  const own = session === config.primarySession ? {} : { session };
  const program = { command: '', args: [] };
  const context: InstallContext = { root: workspace.root, env, scope: 'project', program, ...own };
  const runs = readTriggers(dir);
  const findings: Finding[] = [];
  for (const timer of installedTimers(dir)) {
    if (isFormer(timer.kind)) {
      const found = `${timer.about}, installed by an earlier version`;
      findings.push(
        warn(timer.kind, found, `scratchpad uninstall ${timer.kind}; docs/hosts.md has lines to copy`),
      );
      continue;
    }
    const lost = await whyLost(timer, context);
    const record = runs.find(({ last }) => last.trigger === timer.kind);
    if (lost === undefined) findings.push(...runsOf(timer, record, now));
    else findings.push(fail(timer.kind, lost, `scratchpad install ${timer.kind}`));
  }
  return findings;
};

function runsOf(timer: InstalledTimer, record: TriggerRecord | undefined, now: number): Finding[] {
  const { kind: about, since } = timer;
  const { last, lastFailure } = record ?? {};
  const age = (at: string): string => spellAge(now - Date.parse(at));
  const ran = last ? `ran ${age(last.at)} ago` : `has not run since it was installed, ${age(since)} ago`;
  const found = `${timer.about}, ${ran}`;
  const silent = missedRuns(timer, last?.at, now);
  const findings = [silent ? warn(about, found, REASONS[about] ?? 'scratchpad status') : ok(about, found)];
  if (last && lastFailure?.at === last.at) {
    findings.push(warn(about, `its last run: ${last.outcome}`, 'scratchpad status'));
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
