import { join } from 'node:path';
import { parseActiveHours } from '../../../assembly/triggers/active-hours.ts';
import type { InstalledTimer } from '../../../assembly/triggers/record.ts';
import { misuse } from '../../../base/errors.ts';
import { homeOf } from '../../../base/fs/index.ts';
import { isObject, type JsonObject, parsedObject, textAt } from '../../../base/text/json.ts';
import { parseDuration } from '../../../pad/freshness.ts';
import type { Installation, InstallContext, TimerOptions } from '../installation.ts';
import { ownFile } from '../marked-block.ts';
import { fixedProgram } from '../program.ts';
import { demand } from '../system.ts';
import { crontabTarget } from './crontab.ts';
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
  const { longestGap } = await import('../../../assembly/triggers/schedule.ts');
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

/** What takes a timer of an earlier version away. */
function formerInstallation(timer: Timer, env: NodeJS.ProcessEnv): Installation {
  return timer.kind === 'launchd' ? launchAgent(timer, env) : automation(timer, env);
}

function launchAgent({ name }: Timer, env: NodeJS.ProcessEnv): Installation {
  const path = join(homeOf(env), 'Library', 'LaunchAgents', `${name}.plist`);
  const stop = [['launchctl', 'bootout', `gui/${process.getuid?.() ?? 0}/${name}`]];
  return {
    targets: [ownFile(path, () => '')],
    notes: [],
    service: { stop },
  };
}

/** An automation of OpenClaw's gateway, found by its declaration key (2026.9). */
function automation({ name }: Timer, env: NodeJS.ProcessEnv): Installation {
  const jobs = (): JsonObject[] => {
    const text = demand(['openclaw', 'automations', 'list', '--all', '--json'], env).toString('utf8');
    const list = parsedObject(text)?.jobs;
    return Array.isArray(list) ? list.filter((job) => isObject(job) && job.declarationKey === name) : [];
  };
  const place = {
    read: () => (jobs().length === 0 ? undefined : `${JSON.stringify(jobs(), null, 2)}\n`),
    write: () => undefined,
    remove() {
      for (const job of jobs()) demand(['openclaw', 'automations', 'rm', textAt(job, 'id') ?? ''], env);
    },
  };
  return {
    targets: [{ path: 'openclaw automations', place, add: (text = '') => text, remove: () => undefined }],
    notes: [],
  };
}
