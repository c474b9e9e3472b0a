import { abortOnSignals, becomeInstance, type Resident } from '../assembly/triggers/record.ts';
import type { TriggerOptions } from '../assembly/triggers/run.ts';
import { runSchedule, type ScheduleEvent } from '../assembly/triggers/schedule.ts';
import { parseTimetable } from '../assembly/triggers/times.ts';
import { type WatchEvent, watchWorkspace } from '../assembly/triggers/watch.ts';
import { describeError } from '../base/errors.ts';
import { withTimeout } from '../base/fs/process.ts';
import { parseDuration } from '../base/text/durations.ts';
import { isStoreSet } from '../config/load.ts';
import { defineCommand } from './command.ts';
import { type Invocation, resolveFile, silence } from './invocation.ts';
import { type OpenPad, openSession } from './open.ts';
import { makeEventPrinter } from './print.ts';

/** Longest wait for the shared store at the end. */
const ENDING_MS = 5000;

/** With `--json` one event per line: `{at, event, …}`; the events are those of `WatchEvent`. */
export const watch = defineCommand({
  takes: {
    '-t, --transcript <file>': 'watch this session file; one that does not exist yet is waited for',
    '--debounce <duration>': 'how long to wait for more changes after the first (default 1s)',
    '--interval <duration>': 'shortest time between two runs (default 10s)',
    '--poll <duration>': 'poll the files this often, for network drives without change events',
    '--once': 'end after the first change',
  },
  examples: ['scratchpad watch', 'scratchpad watch --interval 1m --quiet &'],
  run: async (call, { transcript, debounce = '1s', interval = '10s', poll, once = false }) => {
    const times = {
      quietMs: parseDuration(debounce, '--debounce'),
      intervalMs: parseDuration(interval, '--interval'),
      pollMs: poll === undefined ? undefined : parseDuration(poll, '--poll'),
    };
    const opened = await openSession(call);

    opened.assertCanCreate();
    const file = transcript === undefined ? undefined : resolveFile(transcript, call);
    const request = file === undefined ? { session: getHostSession(call, opened) } : { transcript: file };
    await runAlone(call, opened, 'watch', async (trigger) => {
      const ending = new AbortController();
      const print = makeEventPrinter<WatchEvent>(call);
      const listening = listen(call, opened, AbortSignal.any([trigger.signal, ending.signal]), print).catch(
        (error: unknown) => print({ event: 'problem', problem: describeError(error) }),
      );

      try {
        await watchWorkspace({ ...trigger, ...times, once, request, tell: print });
      } finally {
        ending.abort();
        const closed = listening.then(() => true);
        // A store that does not answer must not keep the process.
        if (!(await withTimeout(closed, ENDING_MS, () => false))) process.exit(call.exitCode);
      }
    });
  },
});

/** The session of a host that `--session` names, if it is not that of the pad. */
const getHostSession = ({ options }: Invocation, { store }: OpenPad): string | undefined =>
  options.session === store.paths.session ? undefined : options.session;

async function runAlone(
  call: Invocation,
  opened: OpenPad,
  kind: Resident,
  work: (trigger: Omit<TriggerOptions<never>, 'tell'>) => Promise<void>,
): Promise<void> {
  const instance = becomeInstance(opened.store.paths.dir, kind);
  const signal = abortOnSignals();
  const open = async () => {
    const { pad, store, configProblems } = await openSession(silence(call));
    return { pad, paths: store.paths, problems: configProblems };
  };

  try {
    await work({ open, signal, check: () => instance.check() });
  } finally {
    instance.end();
  }
}

/** Takes in changes of other machines as soon as the shared store reports them, if one is set. */
async function listen(
  { env }: Invocation,
  { workspace: { root }, config }: OpenPad,
  signal: AbortSignal,
  print: (event: WatchEvent) => void,
): Promise<void> {
  if (!isStoreSet(config, env)) return;

  const { follow, openExchange } = await import('../shared-store/index.ts');
  const { isMember } = await import('../shared-store/background-sync.ts');
  const member = { root, config, env };
  const exchange = isMember(member) ? openExchange(member, { isRequested: true }) : undefined;
  if (exchange === undefined) return;

  await follow({
    exchange,
    listens: true,
    onExchange: ({ sent, received, notices }) => print({ event: 'shared', sent, received, notices }),
    onProblem: (error) => print({ event: 'problem', problem: describeError(error) }),
    signal,
  });
}

/** With `--json` one event per line: `{at, event, …}`; the events are those of `ScheduleEvent`. */
export const schedule = defineCommand({
  takes: {
    '--every <duration>': 'how often (default 10m, unless --cron is given)',
    '--cron <expression>': 'at these times, in the configured zone: minute hour day month weekday',
  },
  examples: ['scratchpad schedule --every 10m', 'scratchpad schedule --cron "*/15 8-18 * * MON-FRI"'],
  run: async (call, times) => {
    const opened = await openSession(call);
    opened.assertCanCreate();
    const timetable = parseTimetable(times, opened.config.timezone);
    const session = getHostSession(call, opened);
    const tell = makeEventPrinter<ScheduleEvent>(call);
    await runAlone(call, opened, 'schedule', (trigger) =>
      runSchedule({ ...trigger, timetable, session, tell }),
    );
  },
});
