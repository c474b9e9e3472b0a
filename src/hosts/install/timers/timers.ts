import { parseActiveHours } from '../../../assembly/triggers/active-hours.ts';
import type { InstalledTimer } from '../../../assembly/triggers/installed.ts';
import { misuse } from '../../../base/errors.ts';
import { parseDuration } from '../../../pad/freshness.ts';
import type { Installation, InstallContext, TimerOptions } from '../installation.ts';
import { fixedProgram } from '../program.ts';
import { crontabTarget } from './crontab.ts';
import { formerInstallation } from './former.ts';
import { systemdNotes, systemdService, systemdTargets } from './systemd.ts';
import { describeTimer, type Timer, type TimerKind, type TimerPace } from './timer.ts';

const EVERY = '10m';

/** @throws ScratchpadError `usage` for invalid times */
export async function timerInstallation(kind: TimerKind, context: InstallContext): Promise<Installation> {
  const { root, env, session, times = {} } = context;
  const { activeHours, timezone } = times;
  if (context.scope !== 'project') {
    throw misuse('a timer belongs to one workspace', { expected: 'no --scope', found: context.scope });
  }
  if (activeHours !== undefined) parseActiveHours(activeHours);
  const pace = paceOf(times);
  const program = fixedProgram(process.argv[1] ?? 'scratchpad');
  const timer = describeTimer({ kind, root, session, program, pace, activeHours, timezone, env });
  const installed: InstalledTimer = {
    kind,
    since: new Date().toISOString(),
    about: 'cron' in pace ? `at ${pace.cron}` : `every ${times.every ?? EVERY}`,
    gapMs: await gapOf(pace),
    program,
  };
  return { ...partsOf(timer, env), installed };
}

function partsOf(timer: Timer, env: NodeJS.ProcessEnv): Installation {
  switch (timer.kind) {
    case 'cron':
      return {
        targets: [crontabTarget(timer, env)],
        notes: ['Errors come as mail from cron; status names them too.'],
      };
    case 'systemd': {
      const service = systemdService(timer);
      return { targets: systemdTargets(timer, env), notes: systemdNotes(timer), service };
    }
    default:
      return formerInstallation(timer, env);
  }
}

async function gapOf(pace: TimerPace): Promise<number> {
  if ('everyMs' in pace) return pace.everyMs;
  const { longestGap } = await import('../../../assembly/triggers/timetable.ts');
  return longestGap(pace.cron, pace.zone);
}

function paceOf({ every, cron, timezone }: TimerOptions): TimerPace {
  if (every !== undefined && cron !== undefined) {
    throw misuse('two schedules were given', { expected: '--every or --cron, not both' });
  }
  return cron === undefined
    ? { everyMs: parseDuration(every ?? EVERY, '--every') }
    : { cron: cron.trim(), zone: timezone };
}
