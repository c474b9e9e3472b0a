import { join } from 'node:path';
import { parseActiveHours } from '../../assembly/triggers/active-hours.ts';
import { failed, misuse } from '../../base/errors.ts';
import { decodeBytes, encodeBytes, homeOf } from '../../base/fs/index.ts';
import { isObject, type JsonObject, parsedObject, textAt } from '../../base/text/json.ts';
import { parseDuration } from '../../pad/freshness.ts';
import { ownFile, type Target, type TextPlace } from './change.ts';
import type { Installation, InstallContext } from './installation.ts';
import { fixedProgram, shellLine } from './program.ts';
import { call, demand, type Service } from './system.ts';
import { describeTimer, type Round, roundSpan, type Timer, type TimerKind } from './timer.ts';

const EVERY = '10m';

/** @throws ScratchpadError `usage` for invalid times */
export function timerInstallation(kind: TimerKind, context: InstallContext): Installation {
  const { root, env, session, times = {} } = context;
  const { every = EVERY, activeHours, timezone } = times;
  if (context.scope !== 'project') {
    throw misuse('a timer belongs to one workspace', { expected: 'no --scope', found: context.scope });
  }
  if (activeHours !== undefined) parseActiveHours(activeHours);
  const everyMs = parseDuration(every, '--every');
  const program = fixedProgram(process.argv[1] ?? 'scratchpad');
  const timer = describeTimer({ kind, root, session, program, everyMs, activeHours, timezone, env });
  const since = new Date().toISOString();
  const installed = { kind, since, about: `every ${every}`, gapMs: everyMs, program };
  return { ...partsOf(timer, env), installed };
}

function partsOf(timer: Timer, env: NodeJS.ProcessEnv): Installation {
  switch (timer.kind) {
    case 'cron':
      return {
        targets: [crontabTarget(timer, env)],
        notes: ['Errors come as mail from cron; status names them too.'],
      };
    case 'systemd':
      return {
        targets: systemdTargets(timer, env),
        notes: systemdNotes(timer),
        service: systemdService(timer),
      };
    case 'launchd':
      return launchAgent(timer, env);
    case 'openclaw-automation':
      return automation(timer, env);
  }
}

/** A marked block in the user's crontab; everything else stays as it is. */
function crontabTarget(timer: Timer, env: NodeJS.ProcessEnv): Target {
  const { name, about } = timer;
  const between = new RegExp(`^# >>> ${name}:.*\\n(?:(?!# (?:>>>|<<<) ).*\\n)*# <<< ${name}(?:\\n|$)`, 'm');
  return {
    path: 'crontab',
    place: crontab(env),
    add(text = '') {
      const block = `# >>> ${name}: ${about}\n${cronLine(timer)}\n# <<< ${name}\n`;
      if (between.test(text)) return text.replace(between, () => block);
      return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${block}`;
    },
    remove: (text) => text.replace(between, '') || undefined,
  };
}

/**
 * A line of a crontab. Its times are in the system's zone; errors go where cron sends them.
 * @throws ScratchpadError `usage` if it cannot be expressed
 */
function cronLine(timer: Timer): string {
  const set = Object.entries(timer.env).map(([key, value]) => `${key}=${value}`);
  const words = [...(set.length > 0 ? ['/usr/bin/env', ...set] : []), ...timer.words];
  // cron ends the command at a percent sign, even in quotes (crontab(5)).
  const command = `${shellLine(words)} >/dev/null`.replaceAll('%', '\\%');
  return `${timesOf(timer)} ${command}`;
}

function timesOf(timer: Timer): string {
  const { minutes, hours } = roundSpan(timer);
  if (minutes !== undefined) return `${minutes === 1 ? '*' : `*/${minutes}`} * * * *`;
  return hours === 24 ? '0 0 * * *' : `0 ${hours === 1 ? '*' : `*/${hours}`} * * *`;
}

function crontab(env: NodeJS.ProcessEnv): TextPlace {
  const read = (): string | undefined => {
    const { code, stdout, stderr } = call(['crontab', '-l'], env);
    if (code === 0) return decodeBytes(stdout);
    if (/no crontab for|can't open|no such file/i.test(stderr)) return undefined;
    throw failed('the crontab cannot be read', { found: stderr });
  };
  return {
    read,
    write: (text) => void demand(['crontab', '-'], env, encodeBytes(text)),
    remove: () => void demand(['crontab', '-r'], env),
  };
}

/** A service that runs once, and the timer that starts it, among the user's own units. */
function systemdTargets(timer: Timer, env: NodeJS.ProcessEnv): Target[] {
  const dir = join(env.XDG_CONFIG_HOME || join(homeOf(env), '.config'), 'systemd', 'user');
  return [
    ownFile(join(dir, `${timer.name}.service`), () => serviceUnit(timer)),
    ownFile(join(dir, `${timer.name}.timer`), () => timerUnit(timer)),
  ];
}

const systemctl = (...words: string[]): string[] => ['systemctl', '--user', ...words];

function systemdService({ name }: Timer): Service {
  const unit = `${name}.timer`;
  return {
    // Fails if nobody is logged in, and in containers.
    check: [systemctl('show-environment')],
    instead: 'scratchpad install cron, or scratchpad schedule',
    start: [systemctl('daemon-reload'), systemctl('enable', '--now', unit)],
    stop: [systemctl('disable', '--now', unit)],
    gone: [systemctl('daemon-reload')],
  };
}

const systemdNotes = ({ name }: Timer): string[] => [
  `systemctl --user list-timers ${name}.timer shows its next run, journalctl --user -u ${name} its errors.`,
  'User timers stop when you log out, unless you run: loginctl enable-linger',
];

function serviceUnit({ about, words, env }: Timer): string {
  return [
    '[Unit]',
    `Description=Scratchpad: ${specifiers(about)}`,
    '',
    '[Service]',
    'Type=oneshot',
    ...Object.entries(env).map(([key, value]) => `Environment=${quote(`${key}=${value}`)}`),
    `ExecStart=${words.map((word) => quote(word).replaceAll('$', '$$$$')).join(' ')}`,
    'TimeoutStartSec=5min',
    'Nice=10',
    '',
  ].join('\n');
}

function timerUnit(timer: Timer): string {
  return [
    '[Unit]',
    `Description=Scratchpad: ${specifiers(timer.about)}`,
    '',
    '[Timer]',
    // By calendar time, because an interval does not elapse while the machine sleeps.
    `OnCalendar=${calendar(roundSpan(timer))}`,
    'Persistent=true',
    '',
    '[Install]',
    'WantedBy=timers.target',
    '',
  ].join('\n');
}

/** systemd.time(7), which has no steps of a whole day. */
function calendar({ minutes, hours }: Round): string {
  if (minutes !== undefined) return `*-*-* *:0/${minutes}:00`;
  return `*-*-* ${hours === 24 ? '00' : `0/${hours}`}:00:00`;
}

/** A word in the syntax of systemd.syntax(7): quotes and backslashes as in C, `%` starts a specifier. */
function quote(word: string): string {
  return `"${specifiers(word).replace(/["\\]/g, '\\$&')}"`;
}

const specifiers = (text: string): string => text.replaceAll('%', '%%');

/* What takes a timer of an earlier version away. */

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
