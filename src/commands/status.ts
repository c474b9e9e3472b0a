import { join, relative, resolve } from 'node:path';
import { type LastRun, readLastRun } from '../assembly/last-run.ts';
import { runningIn } from '../assembly/triggers/instance.ts';
import { installedTimers, missedRuns, readTriggers, type TriggerRun } from '../assembly/triggers/record.ts';
import { exists, PAD_FILE, tryList, tryReadText, tryStat } from '../base/fs/index.ts';
import { leftOut } from '../base/fs/own.ts';
import { forTerminal } from '../base/safety/index.ts';
import { counted } from '../base/text/counts.ts';
import { isObject, parsed } from '../base/text/json.ts';
import { shorten } from '../base/text/shorten.ts';
import { namesCommand } from '../config/values.ts';
import { besideInShort } from '../core/scope.ts';
import { type HookRecord, type HookRun, readRecord } from '../hosts/record.ts';
import { remembered } from '../hosts/session-memory.ts';
import { toldIn } from '../ledger/ledger.ts';
import { describeUsage, type Usage, usageOf } from '../pad/budget.ts';
import { oddities, parsePad } from '../pad/document.ts';
import { freshnessOf, spellAge } from '../pad/freshness.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { stepsOf } from '../pad/steps.ts';
import type { Snapshot } from '../session/store.ts';
import type { Workspace } from '../session/workspace.ts';
import { hostsIn } from './init.ts';
import type { Invocation, Takes } from './invocation.ts';
import { openSession } from './open.ts';
import { row } from './terminal.ts';

/** How many problems fit on one screen. */
const MOST_PROBLEMS = 6;

/**
 * Whether a host is connected, what the model was told last, what is in the pad, and what is wrong: on one screen.
 * With `--verbose` also every stage, window and skipped record.
 */
export async function status(
  invocation: Invocation,
  { verbose = false }: Takes<never, 'verbose'>,
): Promise<void> {
  const opened = await openSession(invocation);
  const { workspace, config, configProblems, configRetired, configSources, store } = opened;
  const { paths } = store;
  const { now } = invocation;
  const hooks = readRecord(paths.data);
  const pad = await opened.pad.store.read().catch((error: unknown) => {
    // The state of the hooks is known even if the pad is unreadable.
    const rows = [row('workspace', workspace.root), ...hookRows(hooks, workspace, now)];
    invocation.result({ workspace: workspace.root, hooks }, rows.join('\n'));
    throw error;
  });
  const freshness = freshnessOf(pad.state, now);
  const usage = SPACE_NAMES.map((space) => usageOf(space, pad.spaces[space], config.limits));
  const lastRun = readLastRun(paths.dir);
  const kept = { recovered: tryList(paths.recovered).sort(), conflicts: tryList(paths.conflicts).sort() };
  const triggers = triggersIn(paths.dir, now);
  const journal = await store.history();
  const problems = [
    ...configProblems,
    ...configRetired,
    ...pad.notices,
    ...oddities(parsePad(tryReadText(store.paths.pad, 'pad') ?? ''), PAD_FILE),
    ...(journal.skipped > 0
      ? [`${counted(journal.skipped, 'unreadable line')} of the journal left out`]
      : []),
    ...strangeFiles(workspace.root, paths.data),
  ];
  const commands = namesCommand(configSources.keys())
    ? (await import('../config/trust.ts')).inspectTrust(workspace.root, invocation.env).commands
    : [];
  const refused = commands.filter((command) => command.refused !== undefined);
  const beside = pad.seen && besideInShort(pad.seen);
  const listed = verbose ? problems : problems.slice(0, MOST_PROBLEMS);
  const away = ([name, files]: readonly [string, readonly string[]]): string[] =>
    files.length === 0
      ? []
      : [row(name, `${files.length} in ${join(relative(workspace.root, paths.data), name)}`)];
  const lines = [
    row('workspace', `${workspace.root} (${whyHere(workspace, invocation)})`),
    row('pad', padInShort(pad, workspace.root, paths.pad)),
    ...usage.map((each) => usageRow(each, pad, now)),
    ...(beside === undefined ? [] : [row('others', beside)]),
    row(
      'state',
      freshness.status === 'missing'
        ? 'none yet; run: scratchpad assemble'
        : `${freshness.status}${freshness.ageMs === undefined ? '' : `, ${spellAge(freshness.ageMs)} old`}`,
    ),
    ...runRows(lastRun, verbose),
    ...refused.map(({ spec, refused: why }) => row('command', `${spec.key} ${why}`)),
    ...hookRows(hooks, workspace, now),
    ...toldRows(paths.data, now, verbose),
    ...triggerRows(triggers, now),
    ...Object.entries(kept).flatMap(away),
    ...listed.map((problem) => row('problem', problem)),
    ...(listed.length < problems.length
      ? [row('', `${problems.length - listed.length} more: scratchpad status --verbose`)]
      : []),
  ];
  const value = {
    workspace: workspace.root,
    session: pad.session,
    pad: paths.pad,
    exists: pad.exists,
    revision: pad.revision,
    origins: originsInJson(pad),
    usage,
    state: freshness.status,
    updated: freshness.updated ?? null,
    ageMs: freshness.ageMs ?? null,
    lastRun: lastRun ?? null,
    commands: commands.map(({ spec, refused: why }) => ({ key: spec.key, refused: why ?? null })),
    hooks,
    triggers,
    kept,
    problems,
  };
  invocation.result(value, lines.join('\n'));
}

function padInShort({ exists: there, session, revision }: Snapshot, root: string, path: string): string {
  if (!there) return 'none yet; run: scratchpad init';
  const missing =
    '; the file is missing: its content is in .scratchpad/, and the next change writes it again';
  return `${relative(root, path)}, session ${session}, revision ${revision}${exists(path) ? '' : missing}`;
}

/** Where the state came from, and the sections that need a look. */
function runRows(lastRun: LastRun | undefined, verbose: boolean): string[] {
  if (lastRun === undefined) return [];
  const { source, messages, skipped, stages } = lastRun;
  const shown = stages.filter(
    ({ status, reason }) =>
      verbose || status === 'failed' || status === 'stale' || (status === 'ok' && reason),
  );
  return [
    row('from', source === null ? 'no session found' : `${counted(messages, 'message')} of ${source}`),
    ...(verbose ? skipped.map(({ reason, count }) => row('', `skipped: ${count} ${reason}`)) : []),
    ...shown.map(({ id, status, reason, dropped }) => {
      const left = dropped > 0 ? `${counted(dropped, 'line')} left out to fit the budget` : undefined;
      const detail = [reason, left].filter(Boolean).join('; ');
      return row('section', `${id} ${status}${detail === '' ? '' : ` (${detail})`}`);
    }),
  ];
}

function originsInJson({ changed = {} }: Snapshot): Record<string, object> {
  return Object.fromEntries(
    Object.entries(changed).map(([space, each]) => [space, { ...each, at: new Date(each.at).toISOString() }]),
  );
}

/** Why this directory uses that workspace. */
function whyHere({ root, named, exists, worktree }: Workspace, { options, cwd }: Invocation): string {
  if (worktree !== undefined) return `of the repository whose work tree ${worktree} this is`;
  if (named) return options.workspace === undefined ? 'SCRATCHPAD_WORKSPACE' : '--workspace';
  if (!exists) return 'this directory: none was found here or above';
  return root === resolve(cwd) ? 'this directory' : 'found above this directory';
}

/** How full a space is; of the plan also its progress, and who changed it last. */
function usageRow(usage: Usage, { spaces, seen }: Snapshot, now: number): string {
  const full = describeUsage(usage).slice(usage.space.length + 2);
  if (usage.space !== 'plan') return row(usage.space, full);
  const steps = stepsOf(spaces.plan);
  const { branch, session, actor, at } = seen?.plan ?? {};
  const by = actor?.agent ?? actor?.user;
  const facts = [
    steps.length === 0 ? undefined : `${steps.filter(({ done }) => done).length} of ${steps.length} done`,
    full,
    branch === undefined ? undefined : `branch ${branch}`,
    session === undefined ? undefined : `session ${session}`,
    at === undefined ? undefined : `changed ${spellAge(Math.max(0, now - at))} ago`,
    by === undefined ? undefined : `by ${by}`,
  ];
  return row('plan', facts.filter((fact) => fact !== undefined).join(', '));
}

/** Whether a host asks here, and what went wrong the last time something did. */
function hookRows({ last, lastFailure }: HookRecord, { root }: Workspace, now: number): string[] {
  if (last === undefined) {
    const host = hostsIn(root)[0]?.[0] ?? 'claude-code';
    return [
      row(
        'connected',
        `no host has asked yet; scratchpad doctor says whether it is installed, scratchpad install ${host} does it`,
      ),
    ];
  }
  const told = ({ host, event, at, outcome, ms }: HookRun): string =>
    onOneLine(`${host} ${event}, ${spellAge(now - Date.parse(at))} ago: ${outcome} (${ms} ms)`);
  const isOver = lastFailure === undefined || lastFailure.at === last.at;
  return [row('connected', told(last)), ...(isOver ? [] : [row('hook fault', told(lastFailure))])];
}

const onOneLine = (text: string): string => forTerminal(text).replace(/\n/g, ' ');

const WINDOWS = 3;
/** How much of a line that was told fits on a line here. */
const TOLD = 48;

/** What the newest context windows were told last. */
function toldRows(data: string, now: number, verbose: boolean): string[] {
  return remembered(data)
    .flatMap(({ session, memory: { ledger } }) => (ledger === undefined ? [] : [{ session, ledger }]))
    .slice(0, verbose ? WINDOWS : 1)
    .map(({ session, ledger }) => {
      const told = toldIn(ledger);
      const last = told.at(-1);
      if (last === undefined) return row('told', `nothing yet in session ${session}`);
      const age = spellAge(Math.max(0, now - Date.parse(last.at)));
      const more = verbose
        ? `, ${counted(told.length, 'thing')} since ${new Date(ledger.began).toISOString()}`
        : '';
      return row('told', onOneLine(`${age} ago: "${shorten(last.text, TOLD)}" (session ${session}${more})`));
    });
}

/** Files of our own that are not, or not in all, as this version writes them: what it does not know is left out. */
function strangeFiles(root: string, data: string): string[] {
  const known = leftOut();
  const inPart = known
    .filter(({ places }) => places.length > 0)
    .map(
      ({ path, places }) =>
        `${relative(root, path)}: left out, because not as expected: ${places.slice(0, 3).join(', ')}`,
    );
  const unreadable = ownFiles(data).filter((path) => {
    const text = tryReadText(path, 'record');
    return text !== undefined && !isObject(parsed(text)) && !Array.isArray(parsed(text));
  });
  const whole = new Set([
    ...unreadable,
    ...known.filter(({ places }) => places.length === 0).map(({ path }) => path),
  ]);
  return [
    ...[...whole].map((path) => `${relative(root, path)}: left out, because not as expected`),
    ...inPart,
  ];
}

/** The JSON files that commands keep, apart from what is computed again. */
function ownFiles(folder: string, depth = 4): string[] {
  return tryList(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name.endsWith('.json')) return [path];
    return depth > 0 && !NOT_LOOKED_AT.test(name) && tryStat(path)?.isDirectory()
      ? ownFiles(path, depth - 1)
      : [];
  });
}

const NOT_LOOKED_AT = /^(?:archive|cache|conflicts|index|recovered)$/;

/** Automatic assembly of a session: running processes, installed timers, results of the last runs. */
function triggersIn(dir: string, now: number) {
  const runs = readTriggers(dir);
  const failures = runs.flatMap(({ lastFailure }) => lastFailure ?? []);
  const timers = installedTimers(dir).map((timer) => {
    const last = runs.find((run) => run.last.trigger === timer.kind)?.last;
    return { ...timer, last: last?.at ?? null, silent: missedRuns(timer, last?.at, now) };
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
function triggerRows(triggers: ReturnType<typeof triggersIn>, now: number): string[] {
  const age = (at: string): string => spellAge(now - Date.parse(at));
  const told = ({ trigger, at, outcome, ms }: TriggerRun): string =>
    onOneLine(`${trigger}, ${age(at)} ago: ${outcome} (${ms} ms)`);
  const rows: string[] = [];
  for (const kind of ['watch', 'schedule'] as const) {
    const running = triggers[kind];
    if (running) rows.push(row(kind, `process ${running.pid}, since ${running.since} (${running.about})`));
  }
  for (const { kind, about, since, last, silent } of triggers.timers) {
    const ran =
      last === null ? `has not run since it was installed ${age(since)} ago` : `ran ${age(last)} ago`;
    rows.push(row('timer', `${kind}, ${about}: ${ran}${silent ? '; find out why: scratchpad doctor' : ''}`));
  }
  for (const { last, lastFailure } of triggers.runs) {
    rows.push(row('trigger', told(last)));
    if (lastFailure && lastFailure.at !== last.at) rows.push(row('its fault', told(lastFailure)));
  }
  return rows;
}
