import { spellAge } from '../pad/freshness.ts';
import { forTerminal } from '../safety/index.ts';
import { installedTimers, isSilent } from '../triggers/installed.ts';
import { runningIn } from '../triggers/instance.ts';
import { readTriggers, type TriggerRun } from '../triggers/record.ts';

/** Automatic assembly of a session: running processes, installed timers, results of the last runs. */
export function triggersIn(dir: string, now: number) {
  const runs = readTriggers(dir);
  const failures = runs.flatMap(({ lastFailure }) => lastFailure ?? []);
  const timers = installedTimers(dir).map((timer) => {
    const last = runs.find((run) => run.last.trigger === timer.kind)?.last;
    return { ...timer, last: last?.at ?? null, silent: isSilent(timer, last?.at, now) };
  });
  return {
    last: runs[0]?.last,
    lastFailure: failures.sort((a, b) => (a.at < b.at ? 1 : -1))[0],
    runs,
    timers,
    watch: runningIn(dir, 'watch'),
    schedule: runningIn(dir, 'schedule'),
  };
}

/** The same as rows of name and text. */
export function triggerRows(triggers: ReturnType<typeof triggersIn>, now: number): [string, string][] {
  const age = (at: string): string => spellAge(now - Date.parse(at));
  const told = ({ trigger, at, outcome, ms }: TriggerRun): string =>
    forTerminal(`${trigger}, ${age(at)} ago: ${outcome} (${ms} ms)`).replace(/\n/g, ' ');
  const rows: [string, string][] = [];
  for (const kind of ['watch', 'schedule'] as const) {
    const running = triggers[kind];
    if (running) rows.push([kind, `process ${running.pid}, since ${running.since} (${running.about})`]);
  }
  for (const { kind, about, since, last, silent } of triggers.timers) {
    const ran =
      last === null ? `has not run since it was installed ${age(since)} ago` : `ran ${age(last)} ago`;
    rows.push(['timer', `${kind}, ${about}: ${ran}${silent ? '; find out why: scratchpad doctor' : ''}`]);
  }
  for (const { last, lastFailure } of triggers.runs) {
    rows.push(['trigger', told(last)]);
    if (lastFailure && lastFailure.at !== last.at) rows.push(['its fault', told(lastFailure)]);
  }
  return rows;
}
