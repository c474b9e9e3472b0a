import { ScratchpadError } from '../../errors.ts';
import { isObject, type JsonObject, membersOf, objectAt, parsedObject, textAt } from '../../text/json.ts';
import type { Target, TextPlace } from '../change.ts';
import { demand } from '../system.ts';
import type { Timer } from './timer.ts';

const TIMEOUT_S = 120;

/**
 * An automation of OpenClaw's gateway that runs a command: no model is called, and the answer `NO_REPLY` is
 * sent to nobody. Shown as our part of its JSON.
 */
export function automationTarget(timer: Timer, env: NodeJS.ProcessEnv): Target {
  return {
    path: 'openclaw automations',
    place: automation(timer, env),
    add: () => spell(wanted(timer)),
    remove: () => undefined,
  };
}

/** With the declaration key a second `create` is an update (OpenClaw 2026.9). */
function automation(timer: Timer, env: NodeJS.ProcessEnv): TextPlace {
  const jobs = (): JsonObject[] => {
    const text = demand(['openclaw', 'automations', 'list', '--all', '--json'], env).toString('utf8');
    const list = parsedObject(text)?.jobs;
    if (!Array.isArray(list)) {
      throw new ScratchpadError('environment', 'openclaw answered in an unknown format', {
        expected: '{"jobs": […]} from: openclaw automations list --all --json',
        found: text,
      });
    }
    return list.filter((job) => isObject(job) && job.declarationKey === timer.name) as JsonObject[];
  };
  return {
    read() {
      const [job] = jobs();
      return job === undefined ? undefined : spell(known(job));
    },
    write: () => void demand(createCommand(timer), env),
    remove() {
      for (const job of jobs()) demand(['openclaw', 'automations', 'rm', textAt(job, 'id') ?? ''], env);
    },
  };
}

function createCommand(timer: Timer): string[] {
  const { pace } = timer;
  const times =
    'cron' in pace
      ? ['--cron', pace.cron, ...(pace.zone === undefined ? [] : ['--tz', pace.zone])]
      : ['--every', `${Math.max(1, Math.round(pace.everyMs / 1000))}s`];
  return [
    ...['openclaw', 'automations', 'create', '--declaration-key', timer.name, '--name', timer.name],
    ...['--description', timer.about, ...times],
    ...['--command-argv', JSON.stringify(timer.words), '--command-cwd', timer.root],
    ...Object.entries(timer.env).flatMap(([key, value]) => ['--command-env', `${key}=${value}`]),
    ...['--timeout-seconds', String(TIMEOUT_S), '--no-deliver'],
  ];
}

/** What `create` makes of the command above. */
function wanted({ about, words, root, env, pace }: Timer): JsonObject {
  const schedule =
    'cron' in pace
      ? { kind: 'cron', expr: pace.cron, ...(pace.zone === undefined ? {} : { tz: pace.zone }) }
      : { kind: 'every', everyMs: Math.max(1, Math.round(pace.everyMs / 1000)) * 1000 };
  return { description: about, enabled: true, schedule, argv: [...words], cwd: root, env };
}

/** The same part of an existing automation; the rest is OpenClaw's. */
function known(job: JsonObject): JsonObject {
  const payload = objectAt(job, 'payload');
  const { kind, expr, tz, everyMs } = membersOf(job.schedule);
  return {
    description: job.description ?? '',
    enabled: job.enabled ?? true,
    schedule: kind === 'cron' ? { kind, expr, ...(tz === undefined ? {} : { tz }) } : { kind, everyMs },
    argv: payload?.argv ?? null,
    cwd: payload?.cwd ?? '',
    env: payload?.env ?? {},
  };
}

const spell = (value: JsonObject): string => `${JSON.stringify(value, null, 2)}\n`;
