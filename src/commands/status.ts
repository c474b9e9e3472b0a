import { basename, join, relative } from 'node:path';
import { readAutomation } from '../assembly/triggers/record.ts';
import { exists, tryList } from '../base/fs/index.ts';
import { findWorktree } from '../base/git/place.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { formatAge } from '../base/text/durations.ts';
import { formatCount } from '../base/text/strings.ts';
import { summarizeOtherPlans } from '../core/scope.ts';
import { detectHosts } from '../hosts/install/hosts.ts';
import { type HookRecord, listMemories, readRecord } from '../hosts/session-memory.ts';
import { listTold } from '../ledger/ledger.ts';
import { describeUsage, measureUsage, type Usage } from '../pad/budget.ts';
import { judgeFreshness } from '../pad/freshness.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { renderProgress } from '../pad/plan-title.ts';
import { parseSteps } from '../pad/steps.ts';
import { listFaults, type StateRun } from '../session/state-file.ts';
import type { Snapshot } from '../session/store.ts';
import { defineCommand } from './command.ts';
import type { Lines } from './invocation.ts';
import { type OpenPad, openSession, readInStep } from './open.ts';
import { renderRow } from './print.ts';

export const status = defineCommand({
  examples: ['scratchpad status', 'scratchpad status --json'],
  run: async (call) => {
    const opened = await openSession(call);
    const { paths } = opened.store;
    const { root } = opened.workspace;
    const { now, env } = call;
    const hooks = readRecord(paths.data);
    const { checkWorkspace, inspectCommands, listInstalledHosts } = await import(
      '../hosts/install/doctor.ts'
    );
    const hookRows = renderHookRows(hooks, listInstalledHosts(root, env), root, now);
    const pad = await readInStep(opened.pad).catch((error: unknown) => {
      // The state of the hooks is known even if the pad is unreadable.
      call.print({ workspace: root, hooks }, [renderRow('workspace', root), hookRows]);
      throw error;
    });

    const kept = { recovered: tryList(paths.recovered).sort(), conflicts: tryList(paths.conflicts).sort() };
    const triggers = readAutomation(paths.dir);
    const facts = { ...opened, env, now };
    const commands = (await inspectCommands(facts)).map(({ spec, refused = null }) => ({
      key: spec.key,
      refused,
    }));
    const problems: string[] = [];
    for await (const { level, found } of checkWorkspace(facts)) if (level !== 'ok') problems.push(found);

    const value = {
      workspace: root,
      ...describePad(pad, opened, now),
      commands,
      hooks,
      triggers,
      kept,
      problems,
    };
    call.print(value, [
      renderPadRows(pad, opened, now),
      hookRows,
      renderToldRow(paths.data, now),
      renderTriggerRows(triggers, now),
      Object.entries(kept).map(([name, files]) =>
        renderRow(name, files.length > 0 && `${files.length} in ${join(relative(root, paths.data), name)}`),
      ),
      problems.map((problem) => renderRow('problem', problem)),
    ]);
  },
});

function describePad(pad: Snapshot, { store, config }: OpenPad, now: number) {
  const { session, exists, revision, spaces, changed = {} } = pad;
  const { status: state, updated = null, ageMs = null } = judgeFreshness(pad.state, now);
  const origins = Object.entries(changed).map(([space, each]) => [
    space,
    { ...each, at: new Date(each.at).toISOString() },
  ]);
  return {
    ...{ session, pad: store.paths.pad, exists, revision, origins: Object.fromEntries(origins) },
    usage: SPACE_NAMES.map((space) => measureUsage(space, spaces[space], config.limits)),
    ...{ state, updated, ageMs },
    lastRun: pad.state?.run === undefined ? null : { updated: pad.state.updated, ...pad.state.run },
  };
}

function renderPadRows(pad: Snapshot, { workspace, store, config }: OpenPad, now: number): Lines {
  const { root, worktree } = workspace;
  const tree = worktree && (findWorktree(root, worktree) ?? worktree);
  const { status: state, ageMs } = judgeFreshness(pad.state, now);
  const age = ageMs === undefined ? '' : `, ${formatAge(ageMs)} old`;
  const usage = SPACE_NAMES.map((space) => measureUsage(space, pad.spaces[space], config.limits));
  return [
    renderRow('workspace', tree === undefined ? root : `${root}, for the work tree ${basename(tree)}`),
    renderRow('pad', summarizePad(pad, root, store.paths.pad)),
    usage.map((each) => renderRow(each.space, summarizeUsage(each, pad, now))),
    renderRow('others', pad.seen && summarizeOtherPlans(pad.seen)),
    renderRow('state', state === 'missing' ? 'none yet; run: scratchpad assemble' : `${state}${age}`),
    pad.state?.run && renderRunRows(pad.state.run),
  ];
}

function summarizePad({ exists: hasPad, session, revision }: Snapshot, root: string, path: string): string {
  if (!hasPad) return 'none yet; run: scratchpad init';
  const missing =
    '; the file is missing: its content is in .scratchpad/, and the next change writes it again';
  return `${relative(root, path)}, session ${session}, revision ${revision}${exists(path) ? '' : missing}`;
}

function summarizeUsage(usage: Usage, { spaces, seen }: Snapshot, now: number): string {
  const size = describeUsage(usage).slice(usage.space.length + 2);
  if (usage.space !== 'plan' || parseSteps(spaces.plan).length === 0) return size;

  const { branch, session, actor, at = now } = seen?.plan ?? {};
  const origin = seen?.origin ?? (branch && `branch ${branch}`);
  const author = actor?.agent ?? actor?.user;
  const facts = [
    `${renderProgress(spaces.plan)}, ${size}`,
    origin && redactSecrets(origin),
    session && `session ${session}`,
    `changed ${formatAge(Math.max(0, now - at))} ago`,
    author && `by ${author}`,
  ];

  return facts.filter(Boolean).join(', ');
}

function renderRunRows({ source, messages, stages }: StateRun): Lines {
  const from = messages === 0 ? 'before the first message' : formatCount(messages, 'message');
  return [
    renderRow('from', source === null ? 'no session found' : `${from} of ${source}`),
    listFaults(stages).map(({ fault, reason }) =>
      renderRow('section', reason ? `${fault} (${reason})` : fault),
    ),
  ];
}

interface LastRun {
  at: string;
  outcome: string;
  ms: number;
}

const summarizeRun = (name: string, { at, outcome, ms }: LastRun, now: number): string =>
  `${name}, ${formatAge(now - Date.parse(at))} ago: ${outcome} (${ms} ms)`.replace(/\n/g, ' ');

function renderHookRows(
  { last, lastFailure }: HookRecord,
  installed: readonly string[],
  root: string,
  now: number,
): Lines {
  const none = `no host; scratchpad install ${detectHosts(root)[0]?.[0] ?? 'claude-code'} shows it to your agent`;
  const silent = 'is installed, but has not called the scratchpad yet: restart it, or run scratchpad doctor';
  const isOld = lastFailure === undefined || lastFailure.at === last?.at;

  return [
    renderRow(
      'connected',
      installed.length === 0 ? none : `${installed.join(', ')}${last ? '' : ` ${silent}`}`,
    ),
    renderRow('last event', last && summarizeRun(`${last.host} ${last.event}`, last, now)),
    renderRow(
      'hook fault',
      !isOld && summarizeRun(`${lastFailure.host} ${lastFailure.event}`, lastFailure, now),
    ),
  ];
}

function renderToldRow(data: string, now: number): Lines {
  const { session, memory } = listMemories(data).find(({ memory: { ledger } }) => ledger !== undefined) ?? {};
  if (memory?.ledger === undefined) return false;

  const lines = listTold(memory.ledger);
  const last = lines.at(-1);

  if (last === undefined) return renderRow('told', `nothing yet in session ${session}`);

  const { tokens } = memory.ledger;
  const kinds = [...new Set(lines.map(({ kind }) => kind))].join(', ').replace(/\n/g, ' ');
  const cost = tokens > 0 ? `; about ${formatCount(tokens, 'token')} in all` : '';
  const age = formatAge(Math.max(0, now - Date.parse(last.at)));

  return renderRow('told', `${kinds}${cost}, the last ${age} ago (session ${session})`);
}

function renderTriggerRows({ watch, schedule, runs }: ReturnType<typeof readAutomation>, now: number): Lines {
  return [
    Object.entries({ watch, schedule }).map(([kind, pid]) =>
      renderRow(kind, pid !== undefined && `process ${pid}`),
    ),
    runs.map((run) => renderRow('trigger', summarizeRun(run.trigger, run, now))),
  ];
}
