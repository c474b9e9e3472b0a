import { join } from 'node:path';
import { homeOf } from '../../../base/fs/index.ts';
import type { Target } from '../change.ts';
import { ownFile } from '../marked-block.ts';
import type { Service } from '../system.ts';
import { noCron, type Round, roundSpan, type Timer } from './timer.ts';

/** A service that runs once, and the timer that starts it, among the user's own units. */
export function systemdTargets(timer: Timer, env: NodeJS.ProcessEnv): Target[] {
  const dir = join(env.XDG_CONFIG_HOME || join(homeOf(env), '.config'), 'systemd', 'user');
  return [
    ownFile(join(dir, `${timer.name}.service`), () => serviceUnit(timer)),
    ownFile(join(dir, `${timer.name}.timer`), () => timerUnit(timer)),
  ];
}

const systemctl = (...words: string[]): string[] => ['systemctl', '--user', ...words];

export function systemdService({ name }: Timer): Service {
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

export const systemdNotes = ({ name }: Timer): string[] => [
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

function timerUnit({ about, pace, kind }: Timer): string {
  return [
    '[Unit]',
    `Description=Scratchpad: ${specifiers(about)}`,
    '',
    '[Timer]',
    // By calendar time, because an interval does not elapse while the machine sleeps.
    `OnCalendar=${calendar(roundSpan(noCron(pace, kind), kind))}`,
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
