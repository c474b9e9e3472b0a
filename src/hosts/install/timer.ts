import { basename } from 'node:path';
import { misuse } from '../../base/errors.ts';
import { digest } from '../../base/text/strings.ts';
import { spellDuration } from '../../pad/freshness.ts';

export const TIMERS = ['cron', 'systemd'] as const;
/** Timers that earlier versions installed: they are still found, and taken away. */
export const FORMER_TIMERS = ['launchd', 'openclaw-automation'] as const;
export type TimerKind = (typeof TIMERS)[number] | (typeof FORMER_TIMERS)[number];

export const isFormer = (name: string): boolean => FORMER_TIMERS.some((former) => former === name);
export const isTimer = (name: string): name is TimerKind =>
  TIMERS.some((timer) => timer === name) || isFormer(name);

/** A system timer for one session of a workspace. */
export interface Timer {
  kind: TimerKind;
  /** Unique among all sessions and workspaces, and a safe file name: `scratchpad-agent-1a2b3c4d`. */
  name: string;
  /** For people who find it among their timers. */
  about: string;
  root: string;
  /** The command as a list of words; the first is an absolute path. */
  words: readonly string[];
  /** Environment that the command needs to find the same files. */
  env: Readonly<Record<string, string>>;
  everyMs: number;
}

/**
 * Variables that locate the hosts' sessions and our settings. A timer starts without the person's
 * environment.
 */
const PLACES = [
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'GEMINI_CLI_HOME',
  'OPENCLAW_CONFIG_PATH',
  'OPENCLAW_STATE_DIR',
  'PI_CODING_AGENT_DIR',
  'TZ',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
] as const;

/** @throws ScratchpadError `usage` for a path that timer files cannot hold */
export function describeTimer(
  request: Pick<Timer, 'kind' | 'root' | 'everyMs'> & {
    /** Only if it is not the primary one. */
    session: string | undefined;
    /** Node and the file of the program. */
    program: readonly string[];
    activeHours: string | undefined;
    timezone: string | undefined;
    env: NodeJS.ProcessEnv;
  },
): Timer {
  const { kind, root, session, program, everyMs, activeHours, timezone } = request;
  const words = [
    ...program,
    ...['assemble', '--quiet', '--trigger', kind, '--workspace', root],
    ...(session === undefined ? [] : ['--session', session]),
    ...(activeHours === undefined ? [] : ['--active-hours', activeHours]),
    ...(activeHours === undefined || timezone === undefined ? [] : ['--timezone', timezone]),
  ];
  const env = Object.fromEntries(
    PLACES.flatMap((name) => (request.env[name] ? [[name, request.env[name]] as const] : [])),
  );
  for (const text of [...words, ...Object.values(env)]) {
    if (!/[\u0000-\u001f\u007f]/.test(text)) continue;
    throw misuse(`${kind} does not support this path`, {
      where: text,
      expected: 'paths without line breaks and other control characters',
    });
  }
  return { kind, name: nameOf(root, session), about: aboutOf(root, session), root, words, env, everyMs };
}

/** An interval that divides the hour or the day. */
export interface Round {
  minutes?: number;
  hours?: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * An interval that divides the hour or the day, as timers by the calendar need.
 * @throws ScratchpadError `usage` for any other
 */
export function roundSpan({ everyMs, kind }: Timer): Round {
  const [minutes, hours] = [everyMs / MINUTE_MS, everyMs / HOUR_MS];
  if (Number.isInteger(minutes) && minutes < 60 && 60 % minutes === 0) return { minutes };
  if (Number.isInteger(hours) && hours <= 24 && 24 % hours === 0) return { hours };
  throw misuse(`${kind} cannot run every ${spellDuration(everyMs)}`, {
    where: '--every',
    expected: '1m, 2m, 3m, 4m, 5m, 6m, 10m, 12m, 15m, 20m, 30m, 1h, 2h, 3h, 4h, 6h, 8h, 12h or 24h',
    found: spellDuration(everyMs),
    next: { to: 'run it at any interval', command: 'scratchpad schedule' },
  });
}

function nameOf(root: string, session: string | undefined): string {
  const slug = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 24);
  const id = digest(`${root}\n${session ?? ''}`).slice(0, 8);
  return ['scratchpad', slug, id].filter(Boolean).join('-');
}

function aboutOf(root: string, session: string | undefined): string {
  return `keeps the scratchpad of ${root}${session === undefined ? '' : `, session ${session},`} fresh`;
}
