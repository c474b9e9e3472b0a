import { inTime } from '../assembly/in-time.ts';
import { readWithin } from '../assembly/triggers/active-hours.ts';
import { abortOnSignals, becomeInstance } from '../assembly/triggers/instance.ts';
import { recordTrigger } from '../assembly/triggers/record.ts';
import {
  cronTimes,
  everySpan,
  MACHINE_TIME,
  runSchedule,
  type ScheduleEvent,
  type Timetable,
} from '../assembly/triggers/schedule.ts';
import { type WatchEvent, watchWorkspace } from '../assembly/triggers/watch.ts';
import { inShort, misuse } from '../base/errors.ts';
import { parseDuration } from '../pad/freshness.ts';
import { storeIsSet } from '../shared-store/wanted.ts';
import type { Clock } from '../stages/clock.ts';
import { fileArgument, type Invocation, inSilence, type Takes } from './invocation.ts';
import { type Opened, openSession } from './open.ts';
import { eventLines } from './terminal.ts';

/** Longest wait for the shared store at the end. */
const ENDING_MS = 5000;

export interface WatchCommandOptions {
  transcript?: string;
  debounce: string;
  interval: string;
  /** True without a duration. */
  poll?: string | boolean;
  once?: boolean;
  stdin?: boolean;
}

/** Assembles after this many debounce times if changes never pause. */
const PATIENCE = 5;
const POLL = '5s';

/**
 * Assembles whenever a transcript, a memory file or a setting changes, until a signal ends it. With `--json` one
 * event per line: `{at, event: watching|assembled|unchanged|waiting|failed|session|shared|problem|ended, …}`.
 */
export async function watch(invocation: Invocation, options: WatchCommandOptions): Promise<void> {
  const quietMs = span(options.debounce, '--debounce');
  const intervalMs = span(options.interval, '--interval');
  const pollMs =
    options.poll === undefined
      ? undefined
      : span(options.poll === true ? POLL : String(options.poll), '--poll');
  const opened = await openSession(invocation);
  opened.mayMake();
  const request = requestOf(invocation, options, opened);
  const silent = inSilence(invocation);
  const { dir } = opened.store.paths;
  const instance = becomeInstance(dir, 'watch', pollMs === undefined ? 'changes' : 'changes, by polling');
  const { signal, stop } = abortOnSignals(options.stdin ?? false);
  const ending = new AbortController();
  const tell = eventLines(invocation, inWords);
  const listening = listen(invocation, opened, AbortSignal.any([signal, ending.signal]), tell).catch(
    (error: unknown) => tell({ event: 'problem', problem: inShort(error) }),
  );
  try {
    await watchWorkspace({
      quietMs,
      intervalMs,
      patienceMs: quietMs * PATIENCE,
      once: options.once ?? false,
      request,
      signal,
      check: () => instance.check(),
      tell,
      open: async () => {
        const { pad, store, configProblems } = await openSession(silent);
        return { pad, dir: store.paths.dir, problems: configProblems };
      },
      pollMs,
    });
  } finally {
    ending.abort();
    const isOver = await inTime(
      listening.then(() => true),
      ENDING_MS,
      () => false,
    );
    stop();
    instance.end();
    // A store that does not answer must not keep the process.
    if (!isOver) process.exit(invocation.exitCode);
  }
}

/** Takes in changes of other machines as soon as the shared store, if one is set, reports them. */
async function listen(
  { env }: Invocation,
  { workspace: { root }, config }: Opened,
  signal: AbortSignal,
  tell: (event: WatchEvent) => void,
): Promise<void> {
  if (!storeIsSet(config, env)) return;
  const { Exchange, listenToStore, storeSettings } = await import('../shared-store/index.ts');
  const { takesPart } = await import('../shared-store/afterwards.ts');
  const settings = storeSettings(root, config, env);
  if (settings === undefined || !takesPart({ root, config, env })) return;
  await listenToStore({
    exchange: new Exchange({ root, config, env, now: Date.now, settings, asked: true }),
    onExchange: ({ sent, received, notices }) => tell({ event: 'shared', sent, received, notices }),
    onProblem: (error) => tell({ event: 'problem', problem: inShort(error) }),
    signal,
  });
}

function requestOf(
  invocation: Invocation,
  { transcript }: WatchCommandOptions,
  { store }: Opened,
): { transcript?: string; session?: string } {
  if (transcript !== undefined) return { transcript: fileArgument(transcript, invocation) };
  const asked = invocation.options.session;
  return asked === undefined || asked === store.paths.session ? {} : { session: asked };
}

function inWords(event: WatchEvent): string {
  switch (event.event) {
    case 'watching':
      return `watching ${event.workspace} (${event.session ?? 'no session yet'})`;
    case 'assembled': {
      const from = event.source === null ? 'no session' : `${event.messages} messages of ${event.source}`;
      const told = `assembled (${event.reasons.join(', ')}): ${event.tokens} tokens, ${event.ms} ms, ${from}`;
      return [told, ...event.problems].join('; ');
    }
    case 'unchanged':
      return 'nothing new in the session';
    case 'waiting':
      return `waiting for ${event.for}`;
    case 'failed':
      return `failed (${event.reasons.join(', ')}): ${event.error}`;
    case 'session':
      return `the session is now ${event.session ?? 'none'}`;
    case 'shared':
      return [`other machines: received ${event.received}, sent ${event.sent}`, ...event.notices].join('; ');
    case 'problem':
      return `problem: ${event.problem}`;
    case 'ended':
      return `ended: ${event.because}`;
  }
}

function span(text: string, option: string): number {
  if (/^0(?:m?s)?$/.test(text)) return 0;
  const ms = /^(\d{1,6})ms$/.exec(text)?.[1];
  if (ms !== undefined) return Number(ms);
  try {
    return parseDuration(text);
  } catch {
    throw misuse(`${option} is not valid`, {
      where: option,
      expected: 'a duration such as 500ms, 2s, 1m',
      found: text,
    });
  }
}

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
  const print = eventLines(invocation, spellRun);
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

function spellRun(event: ScheduleEvent): string {
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
