import { readWithin } from '../assembly/triggers/active-hours.ts';
import { becomeInstance } from '../assembly/triggers/instance.ts';
import { recordTrigger } from '../assembly/triggers/record.ts';
import { MACHINE_TIME, runSchedule, type ScheduleEvent } from '../assembly/triggers/schedule.ts';
import { abortOnSignals } from '../assembly/triggers/signals.ts';
import { cronTimes, everySpan, type Timetable } from '../assembly/triggers/timetable.ts';
import { inShort, misuse } from '../base/errors.ts';
import { parseDuration } from '../pad/freshness.ts';
import type { Clock } from '../stages/clock.ts';
import { type Invocation, inSilence, type Takes } from './invocation.ts';
import { type Opened, openSession } from './open.ts';
import { eventLines } from './terminal.ts';

type ScheduleCommandOptions = Takes<'every' | 'cron' | 'activeHours' | 'timezone', 'stdin' | 'dryRun'>;

const EVERY = '10m';
const SHOWN = 5;

/**
 * Assembles on a schedule until a signal ends it. With `--json` one event per line: `{at, event:
 * scheduled|next|assembled|failed|ended, …}`; with `--dry-run` `{about, runs}`.
 */
export async function schedule(invocation: Invocation, options: ScheduleCommandOptions): Promise<void> {
  const opened = await openSession(invocation);
  opened.mayMake();
  const { timetable, clock } = plan(invocation, options, opened);
  if (options.dryRun) {
    const runs = upcoming(timetable, invocation.now).map((at) => clock(at).iso);
    invocation.result({ about: timetable.about, runs }, [timetable.about, ...runs].join('\n'));
    return;
  }
  const asked = invocation.options.session;
  const { dir, session } = opened.store.paths;
  const silent = inSilence(invocation);
  const instance = becomeInstance(dir, 'schedule', timetable.about);
  const print = eventLines(invocation, inWords);
  const { signal, stop } = abortOnSignals(options.stdin ?? false);
  try {
    await runSchedule({
      timetable,
      signal,
      time: MACHINE_TIME,
      session: asked === session ? undefined : asked,
      check: () => instance.check(),
      spell: (at) => clock(at).iso,
      tell(event) {
        if (event.event === 'next') instance.tell(`${timetable.about}; next: ${event.due}`);
        print(event);
      },
      open: async () => {
        const { pad, store, configProblems } = await openSession(silent);
        return { pad, dir: store.paths.dir, problems: configProblems };
      },
    });
  } finally {
    stop();
    instance.end();
  }
}

/**
 * The requested schedule; an invalid one is recorded for `status`, since nobody sees the output of a service
 * manager.
 */
function plan(
  { now }: Invocation,
  options: ScheduleCommandOptions,
  { config, store }: Opened,
): { timetable: Timetable; clock: Clock } {
  try {
    const { every, cron, activeHours } = options;
    if (every !== undefined && cron !== undefined) {
      throw misuse('two schedules were given', { expected: '--every or --cron, not both' });
    }
    const { zone, ...within } = readWithin(options, config);
    const timetable =
      cron === undefined
        ? everySpan(parseDuration(every ?? EVERY, '--every'), now, within)
        : cronTimes(cron, zone, within);
    const words = [timetable.about, activeHours && `within ${activeHours}`, zone].filter(Boolean);
    return { timetable: { ...timetable, about: words.join(', ') }, clock: within.clock };
  } catch (error) {
    const at = new Date().toISOString();
    recordTrigger(store.paths.dir, { trigger: 'schedule', at, outcome: inShort(error), ms: 0 }, true);
    throw error;
  }
}

function upcoming(timetable: Timetable, now: number): number[] {
  const runs = timetable.atOnce ? [now] : [];
  for (let after: number | undefined = now; runs.length < SHOWN; ) {
    after = timetable.next(after);
    if (after === undefined) break;
    runs.push(after);
  }
  return runs;
}

function inWords(event: ScheduleEvent): string {
  switch (event.event) {
    case 'scheduled':
      return `assembling ${event.about}`;
    case 'next':
      return `next: ${event.due}`;
    case 'assembled': {
      const late = event.lateMs > 60_000 ? ', to catch up on missed runs' : '';
      const from = event.source === null ? 'no session' : `${event.messages} messages of ${event.source}`;
      return [`assembled: ${event.tokens} tokens, ${event.ms} ms, ${from}${late}`, ...event.problems].join(
        '; ',
      );
    }
    case 'failed':
      return `failed: ${event.error}`;
    case 'ended':
      return `ended: ${event.because}`;
  }
}
