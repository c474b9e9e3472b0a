import { join, relative, resolve } from 'node:path';
import { readLastRun } from '../assembly/last-run.ts';
import { installedTimers, missedRuns } from '../assembly/triggers/installed.ts';
import { runningIn } from '../assembly/triggers/instance.ts';
import { readTriggers, type TriggerRun } from '../assembly/triggers/record.ts';
import { exists, PAD_FILE, tryList, tryReadText, tryStat } from '../base/fs/index.ts';
import { leftOut } from '../base/fs/own.ts';
import { forTerminal } from '../base/safety/index.ts';
import { counted } from '../base/text/counts.ts';
import { isObject, parsed } from '../base/text/json.ts';
import { namesCommand } from '../config/build.ts';
import { besideInShort } from '../core/scope.ts';
import { type HookRecord, type HookRun, readRecord } from '../hosts/record.ts';
import { remembered } from '../hosts/session-memory.ts';
import { type Ledger, toldInShort } from '../ledger/ledger.ts';
import { describeUsage, usageOf } from '../pad/budget.ts';
import { textOutside } from '../pad/document.ts';
import { freshnessOf, spellAge } from '../pad/freshness.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import type { Snapshot } from '../session/store.ts';
import type { Workspace } from '../session/workspace.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';

/** Where things are and their state. */
export async function status(invocation: Invocation): Promise<void> {
  const opened = await openSession(invocation);
  const { workspace, config, configProblems, configSources, store } = opened;
  const { paths } = store;
  const hooks = readRecord(paths.data);
  const pad = await opened.pad.store.read().catch((error: unknown) => {
    tellHooks(invocation, workspace.root, hooks);
    throw error;
  });
  const freshness = freshnessOf(pad.state, invocation.now);
  const usage = SPACE_NAMES.map((space) => usageOf(space, pad.spaces[space], config.limits));
  const lastRun = readLastRun(paths.dir);
  const kept = { recovered: filesIn(paths.recovered), conflicts: filesIn(paths.conflicts) };
  const triggers = triggersIn(paths.dir, invocation.now);
  const journal = await store.history();
  const problems = [
    ...configProblems,
    ...pad.notices,
    ...textOutside(pad.document, PAD_FILE),
    ...(journal.skipped > 0
      ? [`${counted(journal.skipped, 'unreadable line')} of the journal left out`]
      : []),
    ...strangeFiles(workspace.root, paths.data),
  ];
  const commands = namesCommand(configSources.keys())
    ? (await import('../config/trust.ts')).inspectTrust(workspace.root, invocation.env).commands
    : [];

  const age = freshness.ageMs === undefined ? '' : `, ${spellAge(freshness.ageMs)} old`;
  const lines = [
    row('workspace', `${workspace.root} (${whyHere(workspace, invocation)})`),
    row('session', pad.session),
    row(
      'pad',
      pad.exists
        ? `${relative(workspace.root, paths.pad)}, revision ${pad.revision}${exists(paths.pad) ? '' : '; the file is missing: its content is in .scratchpad/, and the next change writes it again'}`
        : 'none yet; run: scratchpad init',
    ),
    ...usage.map((each) => row(each.space, describeUsage(each).slice(each.space.length + 2))),
    ...planRows(pad, invocation.now),
    row(
      'state',
      freshness.status === 'missing' ? 'none yet; run: scratchpad assemble' : `${freshness.status}${age}`,
    ),
  ];
  if (lastRun) {
    lines.push(
      row(
        'from',
        lastRun.source === null ? 'no session found' : `${lastRun.messages} messages of ${lastRun.source}`,
      ),
    );
    for (const { reason, count } of lastRun.skipped) lines.push(row('', `skipped: ${count} ${reason}`));
    for (const { id, status: state, reason, dropped } of lastRun.stages) {
      const detail = [
        reason,
        dropped > 0 ? `${counted(dropped, 'line')} left out to fit the budget` : undefined,
      ].filter(Boolean);
      lines.push(row('stage', `${id} ${state}${detail.length > 0 ? ` (${detail.join('; ')})` : ''}`));
    }
  }
  for (const { spec, refused } of commands)
    if (refused !== undefined) lines.push(row('command', `${spec.key} ${refused}`));
  lines.push(...hookRows(hooks, invocation.now), ...windowRows(paths.data));
  for (const [name, text] of triggerRows(triggers, invocation.now)) lines.push(row(name, text));
  if (kept.recovered.length > 0)
    lines.push(
      row('recovered', `${kept.recovered.length} originals in ${relative(workspace.root, paths.recovered)}`),
    );
  if (kept.conflicts.length > 0)
    lines.push(row('conflicts', `${kept.conflicts.length} in ${relative(workspace.root, paths.conflicts)}`));
  for (const problem of problems) lines.push(row('problem', problem));

  invocation.result(
    {
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
      commands: commands.map(({ spec, refused }) => ({ key: spec.key, refused: refused ?? null })),
      hooks,
      triggers,
      kept,
      problems,
    },
    lines.join('\n'),
  );
}

function originsInJson({ changed = {} }: Snapshot): Record<string, object> {
  return Object.fromEntries(
    Object.entries(changed).map(([space, each]) => [space, { ...each, at: new Date(each.at).toISOString() }]),
  );
}

const row = (name: string, text: string): string => `${`${name}:`.padEnd(12)}${text}`;

/** Why this directory uses that workspace. */
function whyHere({ root, named, exists, worktree }: Workspace, { options, cwd }: Invocation): string {
  if (worktree !== undefined) return `of the repository whose work tree ${worktree} this is`;
  if (named) return options.workspace === undefined ? 'SCRATCHPAD_WORKSPACE' : '--workspace';
  if (!exists) return 'this directory: none was found here or above';
  return root === resolve(cwd) ? 'this directory' : 'found above this directory';
}

/** Whose the plan is, and the others beside it. */
function planRows({ seen = { others: [] } }: Snapshot, now: number): string[] {
  const { plan } = seen;
  const beside = besideInShort(seen);
  const rows = beside === undefined ? [] : [row('others', beside)];
  if (plan === undefined) return rows;
  const { branch, session, actor, at } = plan;
  const by = actor?.agent ?? actor?.user;
  const facts = [
    branch === undefined ? undefined : `branch ${branch}`,
    session === undefined ? undefined : `session ${session}`,
    `changed ${spellAge(Math.max(0, now - at))} ago`,
    by === undefined ? undefined : `by ${by}`,
  ].filter((fact) => fact !== undefined);
  return [row('plan of', facts.join(', ')), ...rows];
}

/** The state of the hooks is known even if the pad is unreadable. */
function tellHooks(invocation: Invocation, root: string, hooks: HookRecord): void {
  const rows = hookRows(hooks, invocation.now);
  invocation.result({ workspace: root, hooks }, [row('workspace', root), ...rows].join('\n'));
}

function hookRows({ last, lastFailure }: HookRecord, now: number): string[] {
  return [
    ...(last ? [row('hook', describeHook(last, now))] : []),
    ...(lastFailure && lastFailure.at !== last?.at
      ? [row('hook fault', describeHook(lastFailure, now))]
      : []),
  ];
}

const WINDOWS = 3;

/** The contents shown to the newest context windows. */
function windowRows(data: string): string[] {
  return remembered(data)
    .filter(({ memory }) => memory.ledger !== undefined)
    .slice(0, WINDOWS)
    .map(({ session, memory: { ledger } }) => row('told', toldInShort(session, ledger as Ledger)));
}

function describeHook({ host, event, at, outcome, ms }: HookRun, now: number): string {
  const age = spellAge(now - Date.parse(at));
  return forTerminal(`${host} ${event}, ${age} ago: ${outcome} (${ms} ms)`).replace(/\n/g, ' ');
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

function filesIn(dir: string): string[] {
  return tryList(dir).sort();
}

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
function triggerRows(triggers: ReturnType<typeof triggersIn>, now: number): [string, string][] {
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
