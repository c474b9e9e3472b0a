import { basename, join } from 'node:path';
import {
  checkCron,
  type Interval,
  parseInterval,
  type Times,
  toCron,
} from '../../assembly/triggers/times.ts';
import { failure, ScratchpadError, usageError } from '../../base/errors.ts';
import { decodeBytes, encodeBytes, findHome } from '../../base/fs/index.ts';
import { digestText } from '../../base/text/strings.ts';
import { ownFile, type Target, type TextPlace } from './change.ts';
import { findExecutable, getFixedProgram, quoteShellLine, runProgram } from './program.ts';
import type { Installation, InstallContext } from './types.ts';

export const TIMERS = ['cron', 'systemd'] as const;
type TimerKind = (typeof TIMERS)[number];

export const isTimer = (name: string): name is TimerKind => TIMERS.some((timer) => timer === name);

interface Timer {
  /** Unique among all sessions and workspaces, and a safe file name: `scratchpad-agent-1a2b3c4d`. */
  name: string;
  /** For people who find it among their timers. */
  about: string;
  words: readonly string[];
  /** Environment that the command needs to find the same files. */
  env: Readonly<Record<string, string>>;
  interval: Interval;
  /** The times in cron's five fields, if they were given so. */
  cron?: string | undefined;
}

/** Variables that locate the hosts' sessions and our settings. A timer starts without the person's environment. */
const PLACES = [
  ...['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'GEMINI_CLI_HOME', 'OPENCLAW_CONFIG_PATH', 'OPENCLAW_STATE_DIR'],
  ...['PI_CODING_AGENT_DIR', 'TZ', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'],
];

/** @throws ScratchpadError `usage` for invalid times, or a path that timer files cannot hold */
export function buildTimer(kind: TimerKind, context: InstallContext): Installation {
  const { root, env, session, times = {} } = context;
  const { every, cron } = times;
  if (cron !== undefined) checkTimes(kind, times, cron);
  if (context.scope !== 'project')
    throw usageError('a timer belongs to one workspace', { expected: 'no --scope', found: context.scope });

  const interval = parseInterval(every);
  const program = getFixedProgram(process.argv[1] ?? 'scratchpad');
  const words = [
    ...program,
    ...['assemble', '--quiet', '--trigger', kind, '--workspace', root],
    ...(session === undefined ? [] : ['--session', session]),
  ];

  const set = PLACES.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  const wrong = [...words, ...set.map(([, value]) => value)].find((text) =>
    /[\u0000-\u001f\u007f]/.test(text),
  );

  if (wrong !== undefined)
    throw usageError(`${kind} does not support this path`, {
      where: wrong,
      expected: 'paths without line breaks and other control characters',
    });

  const slug = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 24);

  const id = digestText(`${root}\n${session ?? ''}`).slice(0, 8);
  const timer: Timer = {
    name: ['scratchpad', slug, id].filter(Boolean).join('-'),
    about: `keeps the scratchpad of ${root}${session === undefined ? '' : `, session ${session},`} fresh`,
    words,
    env: Object.fromEntries(set),
    ...{ interval, cron },
  };

  return kind === 'cron' ? buildCron(timer, env) : buildSystemd(timer, env);
}

/** @throws ScratchpadError `usage` for a schedule that is none, or that this timer cannot keep */
function checkTimes(kind: TimerKind, { every }: Times, cron: string): void {
  if (every !== undefined)
    throw usageError('two schedules were given', { expected: '--every or --cron, not both' });
  if (kind !== 'cron')
    throw usageError(`${kind} does not read schedules of cron`, { expected: '--every', found: cron });
  checkCron(cron);
}

function buildCron({ name, about, ...timer }: Timer, env: NodeJS.ProcessEnv): Installation {
  const between = new RegExp(`^# >>> ${name}:.*\\n(?:(?!# (?:>>>|<<<) ).*\\n)*# <<< ${name}(?:\\n|$)`, 'm');
  const target: Target = {
    path: 'crontab',
    place: openCrontab(env),
    add(text = '') {
      const block = `# >>> ${name}: ${about}\n${renderCronLine(timer)}\n# <<< ${name}\n`;
      if (between.test(text)) return text.replace(between, () => block);
      return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${block}`;
    },
    remove: (text) => text.replace(between, '') || undefined,
  };

  const lacks = findExecutable('crontab', env) === undefined ? NO_CRONTAB : undefined;
  return { targets: [target], lacks, notes: ['Errors come as mail from cron; status names them too.'] };
}

/** A line of a crontab. Its times are in the system's zone; errors go where cron sends them. */
function renderCronLine({
  words,
  env,
  interval,
  cron = toCron(interval),
}: Omit<Timer, 'name' | 'about'>): string {
  const set = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const all = [...(set.length > 0 ? ['/usr/bin/env', ...set] : []), ...words];
  // cron ends the command at a percent sign, even in quotes (crontab(5)).
  return `${cron} ${`${quoteShellLine(all)} >/dev/null`.replaceAll('%', '\\%')}`;
}

const NO_CRONTAB = failure('the program crontab was not found', {
  expected: 'a program called crontab on the PATH',
  next: 'install cron, or use scratchpad install systemd, or scratchpad schedule',
});

function openCrontab(env: NodeJS.ProcessEnv): TextPlace {
  return {
    read() {
      if (findExecutable('crontab', env) === undefined) return undefined;
      try {
        return decodeBytes(runProgram(['crontab', '-l'], env));
      } catch (error) {
        const { found = '' } = error instanceof ScratchpadError ? error.detail : {};
        if (/no crontab for|can't open|no such file/i.test(found)) return undefined;
        throw error;
      }
    },
    write: (text) => void runProgram(['crontab', '-'], env, encodeBytes(text)),
    remove: () => void runProgram(['crontab', '-r'], env),
  };
}

function buildSystemd(timer: Timer, env: NodeJS.ProcessEnv): Installation {
  const dir = join(env.XDG_CONFIG_HOME || join(findHome(env), '.config'), 'systemd', 'user');
  const { name } = timer;
  const renderSystemctl = (...words: string[]): string[] => ['systemctl', '--user', ...words];

  return {
    targets: [
      ownFile(join(dir, `${name}.service`), () => renderServiceUnit(timer)),
      ownFile(join(dir, `${name}.timer`), () => renderTimerUnit(timer)),
    ],
    notes: [
      `systemctl --user list-timers ${name}.timer shows its next run, journalctl --user -u ${name} its errors.`,
      'User timers stop when you log out, unless you run: loginctl enable-linger',
    ],
    service: {
      start: [renderSystemctl('daemon-reload'), renderSystemctl('enable', '--now', `${name}.timer`)],
      stop: [renderSystemctl('disable', '--now', `${name}.timer`)],
    },
  };
}

function renderServiceUnit({ about, words, env }: Timer): string {
  return [
    '[Unit]',
    `Description=Scratchpad: ${escapeSpecifiers(about)}`,
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

function renderTimerUnit({ about, interval: { every, unit } }: Timer): string {
  // By calendar time, because an interval does not elapse while the machine sleeps; systemd.time(7) has no steps of a
  // whole day.
  const calendar =
    unit === 'minutes' ? `*-*-* *:0/${every}:00` : `*-*-* ${every === 24 ? '00' : `0/${every}`}:00:00`;
  return [
    '[Unit]',
    `Description=Scratchpad: ${escapeSpecifiers(about)}`,
    '',
    '[Timer]',
    `OnCalendar=${calendar}`,
    'Persistent=true',
    '',
    '[Install]',
    'WantedBy=timers.target',
    '',
  ].join('\n');
}

/** A word in the syntax of systemd.syntax(7): quotes and backslashes as in C, `%` starts a specifier. */
const quote = (word: string): string => `"${escapeSpecifiers(word).replace(/["\\]/g, '\\$&')}"`;

const escapeSpecifiers = (text: string): string => text.replaceAll('%', '%%');
