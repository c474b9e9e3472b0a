import { abortOnSignals, becomeInstance, type Instance, type Resident } from '../assembly/triggers/record.ts';
import { runSchedule, type ScheduleEvent, timetableOf } from '../assembly/triggers/schedule.ts';
import { type WatchEvent, watchWorkspace } from '../assembly/triggers/watch.ts';
import { inShort } from '../base/errors.ts';
import { inTime } from '../base/fs/process.ts';
import { storeIsSet } from '../config/load.ts';
import { parseDuration } from '../pad/freshness.ts';
import { command } from './command.ts';
import { fileArgument, type Invocation, inSilence } from './invocation.ts';
import { type Opened, openSession } from './open.ts';
import { eventLines } from './print.ts';

/** Longest wait for the shared store at the end. */
const ENDING_MS = 5000;

/**
 * With `--json` one event per line: `{at, event: watching|assembled|unchanged|failed|session|shared|problem|ended,
 * …}`.
 */
export const watch = command({
  takes: {
    '-t, --transcript <file>': 'watch this session file; it need not exist yet',
    '--debounce <duration>': 'how long to wait for more changes after the first (default 1s)',
    '--interval <duration>': 'shortest time between two runs (default 10s)',
    '--poll <duration>': 'poll the files this often, for network drives without change events',
    '--once': 'end after the first change',
  },
  examples: ['scratchpad watch', 'scratchpad watch --interval 1m --quiet &'],
  run: async (call, { transcript, debounce = '1s', interval = '10s', poll, once = false }) => {
    const quietMs = parseDuration(debounce, '--debounce');
    const intervalMs = parseDuration(interval, '--interval');
    const pollMs = poll === undefined ? undefined : parseDuration(poll, '--poll');
    const opened = await openSession(call);
    opened.mayMake();
    const file = transcript === undefined ? undefined : fileArgument(transcript, call);
    const request = file === undefined ? { session: otherSession(call, opened) } : { transcript: file };
    await whileRunning(call, opened, 'watch', async ({ signal, instance, open }) => {
      const ending = new AbortController();
      const tell = eventLines<WatchEvent>(call);
      const listening = listen(call, opened, AbortSignal.any([signal, ending.signal]), tell).catch(
        (error: unknown) => tell({ event: 'problem', problem: inShort(error) }),
      );
      try {
        await watchWorkspace({
          ...{ quietMs, intervalMs, pollMs },
          ...{ once, request, signal, tell, open },
          check: () => instance.check(),
        });
      } finally {
        ending.abort();
        const closed = listening.then(() => true);
        // A store that does not answer must not keep the process.
        if (!(await inTime(closed, ENDING_MS, () => false))) process.exit(call.exitCode);
      }
    });
  },
});

/** The session that `--session` names, if it is a host's. */
function otherSession({ options }: Invocation, { store }: Opened): string | undefined {
  return options.session === store.paths.session ? undefined : options.session;
}

interface Running {
  instance: Instance;
  signal: AbortSignal;
  /** Reads the settings and the pad anew, for one run. */
  open: Parameters<typeof watchWorkspace>[0]['open'];
}

/** Does work as the only one of its kind in a session, until a signal ends it. */
async function whileRunning(
  call: Invocation,
  opened: Opened,
  kind: Resident,
  work: (running: Running) => Promise<void>,
): Promise<void> {
  const instance = becomeInstance(opened.store.paths.dir, kind);
  const signal = abortOnSignals();
  const open: Running['open'] = async () => {
    const { pad, store, configProblems } = await openSession(inSilence(call));
    return { pad, dir: store.paths.dir, problems: configProblems };
  };
  try {
    await work({ instance, signal, open });
  } finally {
    instance.end();
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
  const { Exchange, follow, storeSettings } = await import('../shared-store/index.ts');
  const { takesPart } = await import('../shared-store/around.ts');
  const settings = storeSettings(root, config, env);
  if (settings === undefined || !takesPart({ root, config, env })) return;
  await follow({
    exchange: new Exchange({ root, config, env, settings, asked: true }),
    listens: true,
    onExchange: ({ sent, received, notices }) => tell({ event: 'shared', sent, received, notices }),
    onProblem: (error) => tell({ event: 'problem', problem: inShort(error) }),
    signal,
  });
}

/** With `--json` one event per line: `{at, event: scheduled|assembled|failed|ended, …}`. */
export const schedule = command({
  takes: {
    '--every <duration>': 'how often (default 10m, unless --cron is given)',
    '--cron <expression>': 'at these times, in the configured zone: minute hour day month weekday',
  },
  examples: ['scratchpad schedule --every 10m', 'scratchpad schedule --cron "*/15 8-18 * * MON-FRI"'],
  run: async (call, times) => {
    const opened = await openSession(call);
    opened.mayMake();
    const timetable = timetableOf(times, opened.config);
    const session = otherSession(call, opened);
    const tell = eventLines<ScheduleEvent>(call);
    await whileRunning(call, opened, 'schedule', ({ instance, signal, open }) =>
      runSchedule({ timetable, signal, session, open, tell, check: () => instance.check() }),
    );
  },
});
