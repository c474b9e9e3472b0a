import { join } from 'node:path';
import { attempt, describeError } from '../base/errors.ts';
import { DATA_DIR, exists, type HeldLock, tryStat } from '../base/fs/index.ts';
import { withTimeout } from '../base/fs/process.ts';
import { withGitPlaces } from '../base/git/place.ts';
import { getString, type JsonObject, toJsonText } from '../base/text/json.ts';
import { digestText, formatThousands } from '../base/text/strings.ts';
import { judgeProvenance, listCopies, mayWrite } from '../base/trust/index.ts';
import { loadConfig, storeIsSet } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import { openStore } from '../session/file-store.ts';
import { readSessionStart, recordStart, resolveWorkspaceFrom } from '../session/host-session.ts';
import { findWorkspace, getSessionPaths, type Workspace } from '../session/workspace.ts';
import { readStartFolder } from '../transcript/started-in.ts';
import { chooseClaudeHost, claudeMod } from './claude-code/mod.ts';
import { claudeCode } from './claude-code/protocol.ts';
import { codex } from './codex/protocol.ts';
import { copilot, findCopilotHome, isFromCopilot } from './copilot/protocol.ts';
import { EVENTS, OF_SUBAGENTS } from './events.ts';
import { geminiCli } from './gemini-cli/protocol.ts';
import { droid, qwenCode } from './hook-hosts.ts';
import { kilo, opencode, pi } from './in-process.ts';
import { openClaw } from './openclaw/protocol.ts';
import {
  getEvent,
  type HookAnswer,
  type HookHost,
  type HookInput,
  type HostEvent,
  listFieldFaults,
} from './protocol.ts';
import { Session } from './session.ts';
import { claimEvent, recordRun, takeTurn } from './session-memory.ts';

/** Hosts that run our hooks, by the names that `hook` takes. */
export const HOOK_HOSTS: ReadonlyMap<string, HookHost> = new Map([
  ...[claudeCode, codex, geminiCli, copilot, qwenCode, droid, openClaw, opencode, kilo, pi].map(
    (host) => [host.name, host] as const,
  ),
  ['claude', claudeCode],
  ['claude-code-mod', claudeMod],
  ['gemini', geminiCli],
]);

/** Their own names, for messages. */
export const HOST_NAMES = [...new Set([...HOOK_HOSTS.values()].map(({ name }) => name))].join(', ');

export interface HookRequest {
  host: HookHost;
  event?: string | undefined;
  json: JsonObject | undefined;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Starts `scratchpad`, where this process stays and is another one. */
  program?: readonly string[] | undefined;
  /** Whether the host has our tools; then texts name those instead of commands. */
  tools?: boolean | undefined;
  /** Whether another process may be asked the same at this moment (`claimEvent`). */
  contested?: boolean;
  workspace?: string | undefined;
  /** Whether a program names the folder of each event, so that the record of the session follows it. */
  namesFolder?: boolean;
  /** Used as the current time, ISO 8601; for reproducible runs. */
  now?: string | undefined;
  /** When the event was received, epoch milliseconds. */
  started: number;
}

export interface HookReply {
  text: string | undefined;
  /**
   * Work that can wait until after the answer: the state block, the ledger, the record of this run. It never throws.
   * @param isTold false where nobody took the answer: what it says is not remembered as said
   */
  finish(isTold?: boolean): Promise<void>;
}

const PRINTING_MS = 60;
/** How a session comes to a folder that the person chose; after a compaction it is where the agent has gone. */
const BEGINNINGS = new Set(['startup', 'resume', 'clear']);
/** Share of an event's time in which a kept scratchpad may be looked for. */
const KEPT_SHARE = 0.5;
/** Share of it in which an event waits for the one before it of its session. */
const TURN_SHARE = 0.6;

/** Answers one event of a host, in its own process or in one that serves many. It never throws. */
export async function answerEvent(request: HookRequest): Promise<HookReply> {
  const { json, env, cwd, started } = request;
  // Copilot and VS Code run the hooks of Claude Code, too.
  const isCopilot = request.host === claudeCode && json !== undefined && isFromCopilot(json);
  const answering = isCopilot ? copilot : request.host;
  let input: HookInput = json ? answering.read(json, env) : {};
  const host = answering === claudeCode ? chooseClaudeHost(input, env) : answering;
  const event = request.event ?? (typeof json?.hook_event_name === 'string' ? json.hook_event_name : '');
  const { is: kind } = getEvent(host, event);
  const silent: HookReply = { text: undefined, finish: async () => undefined };
  if (kind === undefined && Object.hasOwn(host.events, event)) return silent;

  const findProject = (): string | undefined => {
    const named = answering === claudeCode ? checkDirectory(env.CLAUDE_PROJECT_DIR) : undefined;
    // Hooks may come into a session under way: then its own file says where it began.
    return named ?? (kind === 'start' ? undefined : checkDirectory(readStartFolder(input.transcript ?? '')));
  };

  // A session may go to other folders; it works where it began.
  const record = readSessionStart(input.session, env);
  const own = request.namesFolder ? request.workspace : undefined;
  const project = record === undefined && own === undefined ? findProject() : undefined;
  const folder = own ?? project ?? checkDirectory(input.cwd) ?? cwd;
  const found = attempt(() => findWorkspace(request.workspace, env, folder));
  const begun = record !== undefined && tryStat(record.folder) ? record : undefined;
  const begins = request.namesFolder || (kind === 'start' && BEGINNINGS.has(input.source ?? ''));
  const workspace =
    begun === undefined || begins ? found : attempt(() => resolveWorkspaceFrom(begun, found, env));

  const isRecorded = begun !== undefined && !begins;
  if (input.session !== undefined && input.agent === undefined && found !== undefined && !isRecorded) {
    // Of a program's own workspace the folder says enough: a name in the record counts for other sessions, too.
    const named = own ? undefined : (request.workspace ?? (env.SCRATCHPAD_WORKSPACE || undefined));
    recordStart(input.session, { folder, named }, started, env);
  }

  if (workspace?.from !== undefined) input = { ...input, cwd: workspace.from };
  // Hooks in a person's own settings run in every project; those without a scratchpad are ignored.
  if (!workspace?.exists) return silent;

  const { root, worktree } = workspace;
  if (isCopilot && hasOwnHooks(root, env)) return silent;

  // A workspace of another user is neither read nor written.
  if (!mayWrite(root, env)) {
    const { note } = judgeProvenance(root, env);
    return kind === 'start' && note !== undefined
      ? { ...silent, text: host.render(event, { context: note }) }
      : silent;
  }

  if (kind === 'prompt' && host.emptyPrompts && json?.prompt === '') return silent;
  const prompt = request.contested && kind === 'prompt' ? getString(json, 'prompt_id') : undefined;
  if (prompt !== undefined && !claimEvent(env, input.session, prompt)) return silent;

  const now = request.now === undefined ? started : Date.parse(request.now) || started;
  const faults: string[] = [];
  let outcome = 'nothing to say';
  let text: string | undefined;
  let at: Session | undefined;
  let turn: HeldLock | 'same' | undefined;

  try {
    const { config } = await loadConfig(root, env);
    const tells = config.scratchpad.enabled && (kind === 'start' || kind === 'prompt');
    const { session } = input;
    const key = digestText(toJsonText([event, json?.prompt, json?.source, json?.tool_use_id]));
    const takeOurTurn = async (): Promise<typeof turn> =>
      session === undefined
        ? undefined
        : takeTurn(join(root, DATA_DIR), session, key, config.hook.deadline * TURN_SHARE);
    if (tells) turn = await takeOurTurn();
    if (turn === 'same') return silent;

    const news = storeIsSet(config, env) ? await fromOthers({ root, config, env }, host, kind, input) : [];
    const deadline = started + config.hook.deadline;

    if (tells) news.push(...(await loadKept({ root, worktree }, config, env)));
    const tool = request.tools ? getToolName(host, env) : undefined;
    const { program } = request;
    const hostEvent = { host, tool, program, config, env, input, now, deadline, news };
    const begin = (): Session => new Session(hostEvent, { root, worktree }, faults);
    at = begin();
    if (json === undefined) faults.push('the host sent no JSON object');
    else if (kind !== undefined)
      faults.push(...listFieldFaults(kind, json, input).map((fault) => `the host sent ${fault}`));

    if (kind === undefined) faults.push(`no event of ${host.name} is called ${event || '(none)'}`);
    else if (!config.scratchpad.enabled) outcome = 'turned off (scratchpad.enabled)';
    else if (input.agent !== undefined && !OF_SUBAGENTS.has(kind)) outcome = "a subagent's own event";
    else {
      let answer = await answerByDeadline(at, kind, deadline);

      // Tools run side by side, so only what one of them tells takes a turn: by then another may have told it.
      if (kind === 'tool' && answer.context !== undefined) {
        turn = await takeOurTurn();
        at = begin();
        answer = await answerByDeadline(at, kind, deadline);
      }

      text = host.render(event, answer);
      outcome = describeOutcome(answer) || outcome;
    }
  } catch (error) {
    faults.push(describeError(error));
  }

  const ms = Date.now() - started;
  const finish = async (isTold = true): Promise<void> => {
    if (isTold) await at?.finish();
    if (turn !== 'same') turn?.release();
    if (!isTold) return;

    const fault = faults.length === 0 ? undefined : faults.join('; ');
    // Most calls of tools change nothing and are told nothing.
    if (fault === undefined && text === host.silence && kind === 'tool') return;

    const what = [...(fault === undefined || text ? [outcome] : []), ...faults].join('; ');
    const session = input.session?.slice(0, 200);
    const run = { at: new Date(started).toISOString(), host: host.name, event: event || 'unknown', session };
    recordRun(join(root, DATA_DIR), { ...run, outcome: what, ms }, fault !== undefined);
  };

  return { text, finish };
}

/** What the agent kept in its host's session by an earlier tool, on the first use of the workspace. */
async function loadKept(
  workspace: Pick<Workspace, 'root' | 'worktree'>,
  config: Config,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  if (
    exists(getSessionPaths(workspace.root, config.primarySession).journal) ||
    listCopies(workspace.root).length > 0
  )
    return [];

  const { adoptHostSession } = await import('../transcript/adopt-session.ts');
  const store = openStore(workspace, undefined, config, { env });
  const pad = { root: workspace.root, store, config, env, now: Date.now };
  const work = adoptHostSession(pad, { recordsAbsence: true });
  const notices = await withTimeout(work, config.hook.deadline * KEPT_SHARE, (): string[] => []);

  return notices.map((notice) => `[Scratchpad] ${notice}`);
}

/** Whether Copilot has hooks of ours that are its own, which answer the same event. */
const hasOwnHooks = (root: string, env: NodeJS.ProcessEnv): boolean =>
  [join(root, '.github'), findCopilotHome(env)].some((folder) =>
    exists(join(folder, 'hooks', 'scratchpad.json')),
  );

/** Sends changes made here to the shared store, and takes in those of others before the model is told. */
async function fromOthers(
  follow: { root: string; config: Config; env: NodeJS.ProcessEnv },
  host: HookHost,
  kind: HostEvent | undefined,
  { session, speaker }: HookInput,
): Promise<string[]> {
  const { sendAfterwards, takeNewSessions } = await import('../shared-store/background-sync.ts');
  sendAfterwards(follow);
  const tells = kind === 'start' ? !host.silentStart : kind === 'prompt' && speaker !== 'parent';
  if (!tells) return [];

  const sessions = [follow.config.primarySession, ...(session === undefined ? [] : [session])];

  return takeNewSessions(follow, sessions, kind === 'start');
}

/** The name of a plugin's server starts with the plugin's name. */
function getToolName({ tool }: HookHost, env: NodeJS.ProcessEnv): string | undefined {
  return env.CLAUDE_PLUGIN_ROOT
    ? tool?.replace('mcp__scratchpad__', 'mcp__plugin_scratchpad_scratchpad__')
    : tool;
}

const describeOutcome = ({ context, hold, summaryRequest }: HookAnswer): string =>
  [
    context && `${context.length} characters`,
    hold && 'compaction held once',
    summaryRequest && 'asked the summary to keep the scratchpad',
  ]
    .filter(Boolean)
    .join(', ');

/** Work that waits for a lock or a slow disk is abandoned: the host has waited long enough. */
function answerByDeadline(session: Session, kind: HostEvent, deadline: number): Promise<HookAnswer> {
  const work = withGitPlaces(() => EVENTS[kind](session));
  return withTimeout(work, Math.max(0, deadline - Date.now() - PRINTING_MS), () => {
    session.faults.push(`timed out after ${formatThousands(session.event.config.hook.deadline)} ms`);
    return {};
  });
}

function checkDirectory(path: string | undefined): string | undefined {
  const absolute = path?.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path ?? '');
  return absolute && tryStat(path as string) ? path : undefined;
}
