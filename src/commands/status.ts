import { join, relative } from 'node:path';
import { automationIn } from '../assembly/triggers/record.ts';
import { exists, PAD_FILE, tryList, tryReadText } from '../base/fs/index.ts';
import { strangeFiles } from '../base/fs/own.ts';
import { counted } from '../base/text/strings.ts';
import { namesCommand } from '../config/values.ts';
import { besideInShort } from '../core/scope.ts';
import { hostsIn } from '../hosts/install/hosts.ts';
import { type HookRecord, readRecord, remembered } from '../hosts/session-memory.ts';
import { toldIn } from '../ledger/ledger.ts';
import { describeUsage, type Usage, usageOf } from '../pad/budget.ts';
import { oddities, parsePad } from '../pad/document.ts';
import { freshnessOf, spellAge } from '../pad/freshness.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { stepsOf } from '../pad/steps.ts';
import type { StateRun } from '../session/state-file.ts';
import type { Snapshot } from '../session/store.ts';
import { command } from './command.ts';
import type { Lines } from './invocation.ts';
import { openSession } from './open.ts';
import { row } from './print.ts';

/** Whether a host is connected, what the model was told last, what is in the pad, and what is wrong: on one screen. */
export const status = command({
  examples: ['scratchpad status', 'scratchpad status --json'],
  run: async (call) => {
    const opened = await openSession(call);
    const { config, configSources, store } = opened;
    const { paths } = store;
    const { root, worktree } = opened.workspace;
    const { now, env } = call;
    const hooks = readRecord(paths.data);
    const { installedHosts } = await import('../hosts/install/doctor.ts');
    const connected = hookRows(hooks, installedHosts(root, env), root, now);
    const pad = await opened.pad.store.read().catch((error: unknown) => {
      // The state of the hooks is known even if the pad is unreadable.
      call.result({ workspace: root, hooks }, [row('workspace', root), connected]);
      throw error;
    });
    const { status: state, updated, ageMs } = freshnessOf(pad.state, now);
    const usage = SPACE_NAMES.map((space) => usageOf(space, pad.spaces[space], config.limits));
    const kept = { recovered: tryList(paths.recovered).sort(), conflicts: tryList(paths.conflicts).sort() };
    const triggers = automationIn(paths.dir);
    const { skipped } = await store.history();
    const problems = [
      ...opened.configProblems,
      ...pad.notices,
      ...strangeFiles(root, paths.data),
      ...oddities(parsePad(tryReadText(paths.pad, 'pad') ?? ''), PAD_FILE),
      ...(skipped > 0 ? [`${counted(skipped, 'unreadable line')} of the journal left out`] : []),
    ];
    const commands = namesCommand(configSources.keys())
      ? (await import('../config/trust.ts')).inspectTrust(root, env).commands
      : [];
    const origins = Object.entries(pad.changed ?? {}).map(([space, each]) => [
      space,
      { ...each, at: new Date(each.at).toISOString() },
    ]);
    const { run } = pad.state ?? {};
    const value = {
      workspace: root,
      session: pad.session,
      pad: paths.pad,
      exists: pad.exists,
      revision: pad.revision,
      origins: Object.fromEntries(origins),
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
      row('workspace', worktree === undefined ? root : `${root}, for the work tree ${worktree}`),
      row('pad', padInShort(pad, root, paths.pad)),
      usage.map((each) => row(each.space, usageInShort(each, pad, now))),
      row('others', pad.seen && besideInShort(pad.seen)),
      row('state', state === 'missing' ? 'none yet; run: scratchpad assemble' : `${state}${age}`),
      run && runRows(run),
      commands.map(({ spec, refused }) => row('command', refused && `${spec.key} ${refused}`)),
      connected,
      toldRow(paths.data, now),
      triggerRows(triggers, now),
      Object.entries(kept).map(([name, files]) =>
        row(name, files.length > 0 && `${files.length} in ${join(relative(root, paths.data), name)}`),
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

/** How full a space is; of the plan also its progress, and who changed it last. */
function usageInShort(usage: Usage, { spaces, seen }: Snapshot, now: number): string {
  const full = describeUsage(usage).slice(usage.space.length + 2);
  const steps = stepsOf(spaces.plan);
  if (usage.space !== 'plan' || steps.length === 0) return full;
  const { branch, session, actor, at = now } = seen?.plan ?? {};
  const by = actor?.agent ?? actor?.user;
  const facts = [
    `${steps.filter(({ done }) => done).length} of ${steps.length} done, ${full}`,
    branch && `branch ${branch}`,
    session && `session ${session}`,
    `changed ${spellAge(Math.max(0, now - at))} ago`,
    by && `by ${by}`,
  ];
  return facts.filter(Boolean).join(', ');
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

/** Something that ran: a hook, or a trigger. */
const ranInShort = (what: string, { at, outcome, ms }: Ran, now: number): string =>
  `${what}, ${spellAge(now - Date.parse(at))} ago: ${outcome} (${ms} ms)`.replace(/\n/g, ' ');

interface Ran {
  at: string;
  outcome: string;
  ms: number;
}

/** Whether a host is connected, when one asked last, and what went wrong the last time something did. */
function hookRows(
  { last, lastFailure }: HookRecord,
  installed: readonly string[],
  root: string,
  now: number,
): Lines {
  const none = `no host; scratchpad install ${hostsIn(root)[0]?.[0] ?? 'claude-code'} shows it to your agent`;
  const silent = 'is installed and has not asked yet: restart it; else scratchpad doctor says why';
  const isOld = lastFailure === undefined || lastFailure.at === last?.at;
  return [
    row('connected', installed.length === 0 ? none : `${installed.join(', ')}${last ? '' : ` ${silent}`}`),
    row('last event', last && ranInShort(`${last.host} ${last.event}`, last, now)),
    row('hook fault', !isOld && ranInShort(`${lastFailure.host} ${lastFailure.event}`, lastFailure, now)),
  ];
}

/** What the newest context window was told. */
function toldRow(data: string, now: number): Lines {
  const { session, memory } = remembered(data).find(({ memory: { ledger } }) => ledger !== undefined) ?? {};
  if (memory?.ledger === undefined) return false;
  const told = toldIn(memory.ledger);
  const last = told.at(-1);
  if (last === undefined) return row('told', `nothing yet in session ${session}`);
  const { tokens } = memory.ledger;
  const kinds = [...new Set(told.map(({ kind }) => kind))].join(', ').replace(/\n/g, ' ');
  const cost = tokens > 0 ? `; about ${counted(tokens, 'token')} in all` : '';
  const age = spellAge(Math.max(0, now - Date.parse(last.at)));
  return row('told', `${kinds}${cost}, the last ${age} ago (session ${session})`);
}

function triggerRows({ watch, schedule, runs }: ReturnType<typeof automationIn>, now: number): Lines {
  return [
    Object.entries({ watch, schedule }).map(([kind, pid]) =>
      row(kind, pid !== undefined && `process ${pid}`),
    ),
    runs.map((run) => row('trigger', ranInShort(run.trigger, run, now))),
  ];
}
