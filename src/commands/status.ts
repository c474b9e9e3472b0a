import { join, relative, resolve } from 'node:path';
import { automationIn, type TriggerRun } from '../assembly/triggers/record.ts';
import { exists, PAD_FILE, tryList, tryReadText } from '../base/fs/index.ts';
import { forTerminal } from '../base/safety/index.ts';
import { counted } from '../base/text/strings.ts';
import { namesCommand } from '../config/values.ts';
import { besideInShort } from '../core/scope.ts';
import { hostsIn } from '../hosts/install/hosts.ts';
import { type HookRecord, type HookRun, readRecord, remembered } from '../hosts/session-memory.ts';
import { toldIn } from '../ledger/ledger.ts';
import { describeUsage, type Usage, usageOf } from '../pad/budget.ts';
import { oddities, parsePad } from '../pad/document.ts';
import { freshnessOf, spellAge } from '../pad/freshness.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { stepsOf } from '../pad/steps.ts';
import type { StateRun } from '../session/state-file.ts';
import type { Snapshot } from '../session/store.ts';
import type { Workspace } from '../session/workspace.ts';
import { command } from './command.ts';
import type { Invocation, Lines } from './invocation.ts';
import { openSession } from './open.ts';
import { row } from './print.ts';

/** Whether a host is connected, what the model was told last, what is in the pad, and what is wrong: on one screen. */
export const status = command({
  about: 'show whether an agent is connected, what it was told last, what is in the pad, what is wrong',
  examples: ['scratchpad status', 'scratchpad status --json'],
  run: async (call) => {
    const opened = await openSession(call);
    const { workspace, config, configSources, store } = opened;
    const { paths } = store;
    const { root } = workspace;
    const { now, env } = call;
    const hooks = readRecord(paths.data);
    const { installedHosts } = await import('../hosts/install/doctor.ts');
    const installed = installedHosts(opened.workspace.root, env);
    const pad = await opened.pad.store.read().catch((error: unknown) => {
      // The state of the hooks is known even if the pad is unreadable.
      call.result({ workspace: root, hooks }, [
        row('workspace', root),
        hookRows(hooks, installed, root, now),
      ]);
      throw error;
    });
    const { status: state, updated, ageMs } = freshnessOf(pad.state, now);
    const usage = SPACE_NAMES.map((space) => usageOf(space, pad.spaces[space], config.limits));
    const { run } = pad.state ?? {};
    const kept = { recovered: tryList(paths.recovered).sort(), conflicts: tryList(paths.conflicts).sort() };
    const triggers = automationIn(paths.dir, now);
    const { skipped } = await store.history();
    const problems = [
      ...opened.configProblems,
      ...pad.notices,
      ...oddities(parsePad(tryReadText(paths.pad, 'pad') ?? ''), PAD_FILE),
      ...(skipped > 0 ? [`${counted(skipped, 'unreadable line')} of the journal left out`] : []),
    ];
    const commands = namesCommand(configSources.keys())
      ? (await import('../config/trust.ts')).inspectTrust(root, env).commands
      : [];
    const beside = pad.seen && besideInShort(pad.seen);
    const value = {
      workspace: root,
      session: pad.session,
      pad: paths.pad,
      exists: pad.exists,
      revision: pad.revision,
      origins: originsInJson(pad),
      usage,
      state,
      updated: updated ?? null,
      ageMs: ageMs ?? null,
      lastRun: run === undefined ? null : { updated: pad.state?.updated, ...run },
      commands: commands.map(({ spec, refused }) => ({ key: spec.key, refused: refused ?? null })),
      ...{ hooks, triggers, kept, problems },
    };
    const age = ageMs === undefined ? '' : `, ${spellAge(ageMs)} old`;
    call.result(value, [
      row('workspace', `${root} (${whyHere(workspace, call)})`),
      row('pad', padInShort(pad, root, paths.pad)),
      usage.map((each) => usageRow(each, pad, now)),
      beside !== undefined && row('others', beside),
      row('state', state === 'missing' ? 'none yet; run: scratchpad assemble' : `${state}${age}`),
      run && runRows(run),
      commands.map(({ spec, refused }) => refused !== undefined && row('command', `${spec.key} ${refused}`)),
      hookRows(hooks, installed, root, now),
      toldRow(paths.data, now),
      triggerRows(triggers, now),
      Object.entries(kept).map(
        ([name, files]) =>
          files.length > 0 && row(name, `${files.length} in ${join(relative(root, paths.data), name)}`),
      ),
      problems.map((problem) => row('problem', problem)),
    ]);
  },
});

function padInShort({ exists: there, session, revision }: Snapshot, root: string, path: string): string {
  if (!there) return 'none yet; run: scratchpad init';
  const missing =
    '; the file is missing: its content is in .scratchpad/, and the next change writes it again';
  return `${relative(root, path)}, session ${session}, revision ${revision}${exists(path) ? '' : missing}`;
}

/** What the state was made from, and the sections that need a look. */
function runRows({ source, messages, stages }: StateRun): Lines {
  const from = messages === 0 ? 'before the first message' : counted(messages, 'message');
  return [
    row('from', source === null ? 'no session found' : `${from} of ${source}`),
    stages
      .filter(({ status: how, reason }) => how === 'failed' || how === 'stale' || (how === 'ok' && reason))
      .map(({ id, status: how, reason }) => row('section', `${id} ${how}${reason ? ` (${reason})` : ''}`)),
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
    steps.length > 0 && `${steps.filter(({ done }) => done).length} of ${steps.length} done`,
    full,
    branch !== undefined && `branch ${branch}`,
    session !== undefined && `session ${session}`,
    at !== undefined && `changed ${spellAge(Math.max(0, now - at))} ago`,
    by !== undefined && `by ${by}`,
  ];
  return row('plan', facts.filter(Boolean).join(', '));
}

/** Whether a host is connected, when one asked last, and what went wrong the last time something did. */
function hookRows(
  { last, lastFailure }: HookRecord,
  installed: readonly string[],
  root: string,
  now: number,
): Lines {
  const told = ({ host, event, at, outcome, ms }: HookRun): string =>
    onOneLine(`${host} ${event}, ${spellAge(now - Date.parse(at))} ago: ${outcome} (${ms} ms)`);
  const fault = lastFailure !== undefined && lastFailure.at !== last?.at && told(lastFailure);
  const none = `no host; scratchpad install ${hostsIn(root)[0]?.[0] ?? 'claude-code'} shows it to your agent`;
  const silent = 'is installed and has not asked yet: restart it; else scratchpad doctor says why';
  return [
    row('connected', installed.length === 0 ? none : `${installed.join(', ')}${last ? '' : ` ${silent}`}`),
    last && row('last event', told(last)),
    fault && row('hook fault', fault),
  ];
}

const onOneLine = (text: string): string => forTerminal(text).replace(/\n/g, ' ');

/** What the newest context window was told. */
function toldRow(data: string, now: number): Lines {
  const { session, memory } = remembered(data).find(({ memory: { ledger } }) => ledger !== undefined) ?? {};
  if (memory?.ledger === undefined) return false;
  const told = toldIn(memory.ledger);
  const last = told.at(-1);
  if (last === undefined) return row('told', `nothing yet in session ${session}`);
  const { tokens } = memory.ledger;
  const cost = tokens > 0 ? `; about ${counted(tokens, 'token')} in all` : '';
  const age = spellAge(Math.max(0, now - Date.parse(last.at)));
  return row(
    'told',
    onOneLine(
      `${[...new Set(told.map(({ kind }) => kind))].join(', ')}${cost}, the last ${age} ago (session ${session})`,
    ),
  );
}

function triggerRows({ watch, schedule, timers, runs }: ReturnType<typeof automationIn>, now: number): Lines {
  const age = (at: string): string => spellAge(now - Date.parse(at));
  const told = ({ trigger, at, outcome, ms }: TriggerRun): string =>
    onOneLine(`${trigger}, ${age(at)} ago: ${outcome} (${ms} ms)`);
  return [
    Object.entries({ watch, schedule }).map(
      ([kind, pid]) => pid !== undefined && row(kind, `process ${pid}`),
    ),
    timers.map(({ kind, about, since, last, silent }) => {
      const never = `has not run since it was installed ${age(since)} ago`;
      const ran = last === null ? never : `ran ${age(last)} ago`;
      return row('timer', `${kind}, ${about}: ${ran}${silent ? '; find out why: scratchpad doctor' : ''}`);
    }),
    runs.map(({ last, lastFailure }) => [
      row('trigger', told(last)),
      lastFailure && lastFailure.at !== last.at && row('its fault', told(lastFailure)),
    ]),
  ];
}
