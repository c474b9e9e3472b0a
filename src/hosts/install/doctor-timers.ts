import {
  type InstalledTimer,
  installedTimers,
  missedRuns,
  readTriggers,
} from '../../assembly/triggers/record.ts';
import { inShort } from '../../base/errors.ts';
import { exists } from '../../base/fs/index.ts';
import { spellAge } from '../../pad/freshness.ts';
import { isInstalled } from './change.ts';
import { type Check, type Examined, examine, type Finding } from './doctor.ts';
import type { InstallContext } from './installation.ts';
import { installationOf } from './targets.ts';

/** Where to look for the reason if a timer does not run. */
const REASONS: Readonly<Record<string, string>> = {
  cron: 'is the cron daemon running, and is there mail? crontab -l shows the line',
  systemd: 'systemctl --user list-timers "scratchpad-*"; after a log-out it needs: loginctl enable-linger',
};

/** Installed timers of a session that have disappeared, fail, or do not run. */
export async function diagnoseTimers({ workspace, config, store, env, now }: Examined): Promise<Finding[]> {
  const { dir, session } = store.paths;
  const own = session === config.primarySession ? {} : { session };
  const program = { command: '', args: [] };
  const context: InstallContext = { root: workspace.root, env, scope: 'project', program, ...own };
  const age = (at: string): string => `${spellAge(now - Date.parse(at))} ago`;
  const findings: Finding[] = [];
  for (const timer of installedTimers(dir)) {
    const { kind: about, about: times, since } = timer;
    const last = readTriggers(dir).find((run) => run.last.trigger === about)?.last;
    const ran = last ? `ran ${age(last.at)}` : `has not run since it was installed, ${age(since)}`;
    const former: Check<InstalledTimer> = {
      about,
      wrong: () => `${times}, installed by an earlier version`,
      next: `scratchpad uninstall ${about}; docs/hosts.md has lines to copy`,
      warns: true,
    };
    const lost: Check<InstalledTimer> = {
      about,
      wrong: (at) => whyLost(at, context),
      next: `scratchpad install ${about}`,
    };
    const silent: Check<InstalledTimer> = {
      about,
      wrong: (at) => (missedRuns(at, last?.at, now) ? `${times}, ${ran}` : undefined),
      next: REASONS[about] ?? '',
      warns: true,
      fine: () => `${times}, ${ran}`,
    };
    findings.push(...(await examine(about in REASONS ? [lost, silent] : [former], timer)));
  }
  return findings;
}

/** Why an installed timer no longer exists; `undefined` if it does. */
async function whyLost(timer: InstalledTimer, context: InstallContext): Promise<string | undefined> {
  const missing = timer.program.find((path) => !exists(path));
  if (missing !== undefined) return `it starts ${missing}, which no longer exists`;
  try {
    const { targets } = await installationOf(timer.kind, context);
    const gone = targets.find((target) => !isInstalled(target));
    return gone && `it is no longer in ${gone.path}`;
  } catch (error) {
    return inShort(error);
  }
}
