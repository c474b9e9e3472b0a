import { basename, join, relative } from 'node:path';
import { readAutomation } from '../assembly/triggers/record.ts';
import { exists, tryList } from '../base/fs/index.ts';
import { findWorktree } from '../base/git/place.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { formatCount } from '../base/text/strings.ts';
import { summarizeOtherPlans } from '../core/scope.ts';
import { detectHosts } from '../hosts/install/hosts.ts';
import { type HookRecord, listMemories, readRecord } from '../hosts/session-memory.ts';
import { listTold } from '../ledger/ledger.ts';
import { describeUsage, measureUsage, type Usage } from '../pad/budget.ts';
import { formatAge, judgeFreshness } from '../pad/freshness.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { parseSteps } from '../pad/steps.ts';
import type { StateRun } from '../session/state-file.ts';
import type { Snapshot } from '../session/store.ts';
import { defineCommand } from './command.ts';
import type { Lines } from './invocation.ts';
import { openSession, readInStep } from './open.ts';
import { renderRow } from './print.ts';

export const status = defineCommand({
  examples: ['scratchpad status', 'scratchpad status --json'],
  run: async (call) => {
    const opened = await openSession(call);
    const { config, store } = opened;
    const { paths } = store;
    const { root, worktree } = opened.workspace;
    const { now, env } = call;
    const hooks = readRecord(paths.data);
    const { checkWorkspace, inspectCommands, listInstalledHosts } = await import(
      '../hosts/install/doctor.ts'
    );
    const connected = renderHookRows(hooks, listInstalledHosts(root, env), root, now);
    const pad = await readInStep(opened.pad).catch((error: unknown) => {
      // The state of the hooks is known even if the pad is unreadable.
      call.printResult({ workspace: root, hooks }, [renderRow('workspace', root), connected]);
      throw error;
    });

    const { status: state, updated, ageMs } = judgeFreshness(pad.state, now);
    const usage = SPACE_NAMES.map((space) => measureUsage(space, pad.spaces[space], config.limits));
    const copies = { recovered: tryList(paths.recovered).sort(), conflicts: tryList(paths.conflicts).sort() };
    const triggers = readAutomation(paths.dir);
    const facts = { ...opened, env, now };
    const commands = await inspectCommands(facts);
    const problems: string[] = [];
    for await (const { level, found } of checkWorkspace(facts)) if (level !== 'ok') problems.push(found);

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
      ...{ hooks, triggers, kept: copies, problems },
    };

    const tree = worktree && (findWorktree(root, worktree) ?? worktree);
    const age = ageMs === undefined ? '' : `, ${formatAge(ageMs)} old`;
    call.printResult(value, [
      renderRow('workspace', tree === undefined ? root : `${root}, for the work tree ${basename(tree)}`),
      renderRow('pad', padInShort(pad, root, paths.pad)),
      usage.map((each) => renderRow(each.space, summarizeUsage(each, pad, now))),
      renderRow('others', pad.seen && summarizeOtherPlans(pad.seen)),
      renderRow('state', state === 'missing' ? 'none yet; run: scratchpad assemble' : `${state}${age}`),
      run && runRows(run),
      connected,
      renderToldRow(paths.data, now),
      triggerRows(triggers, now),
      Object.entries(copies).map(([name, files]) =>
        renderRow(name, files.length > 0 && `${files.length} in ${join(relative(root, paths.data), name)}`),
      ),
      problems.map((problem) => renderRow('problem', problem)),
    ]);
  },
});

function padInShort({ exists: there, session, revision }: Snapshot, root: string, path: string): string {
  if (!there) return 'none yet; run: scratchpad init';
  const missing =
    '; the file is missing: its content is in .scratchpad/, and the next change writes it again';
  return `${relative(root, path)}, session ${session}, revision ${revision}${exists(path) ? '' : missing}`;
}

function summarizeUsage(usage: Usage, { spaces, seen }: Snapshot, now: number): string {
  const full = describeUsage(usage).slice(usage.space.length + 2);
  const steps = parseSteps(spaces.plan);
  if (usage.space !== 'plan' || steps.length === 0) return full;

  const { branch, session, actor, at = now } = seen?.plan ?? {};
  const origin = seen?.origin ?? (branch && `branch ${branch}`);
  const by = actor?.agent ?? actor?.user;
  const facts = [
    `${steps.filter(({ done }) => done).length} of ${steps.length} done, ${full}`,
    origin && redactSecrets(origin),
    session && `session ${session}`,
    `changed ${formatAge(Math.max(0, now - at))} ago`,
    by && `by ${by}`,
  ];

  return facts.filter(Boolean).join(', ');
}

function runRows({ source, messages, stages }: StateRun): Lines {
  const from = messages === 0 ? 'before the first message' : formatCount(messages, 'message');
  return [
    renderRow('from', source === null ? 'no session found' : `${from} of ${source}`),
    stages
      .filter(({ status: how, reason }) => how === 'failed' || how === 'stale' || (how === 'ok' && reason))
      .map(({ id, status: how, reason }) =>
        renderRow('section', `${id} ${how}${reason ? ` (${reason})` : ''}`),
      ),
  ];
}

const summarizeRun = (what: string, { at, outcome, ms }: LastRun, now: number): string =>
  `${what}, ${formatAge(now - Date.parse(at))} ago: ${outcome} (${ms} ms)`.replace(/\n/g, ' ');

interface LastRun {
  at: string;
  outcome: string;
  ms: number;
}

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

function triggerRows({ watch, schedule, runs }: ReturnType<typeof readAutomation>, now: number): Lines {
  return [
    Object.entries({ watch, schedule }).map(([kind, pid]) =>
      renderRow(kind, pid !== undefined && `process ${pid}`),
    ),
    runs.map((run) => renderRow('trigger', summarizeRun(run.trigger, run, now))),
  ];
}
