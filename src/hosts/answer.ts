import { join } from 'node:path';
import { attempt, describeError } from '../base/errors.ts';
import { DATA_DIR, exists, type HeldLock, tryStat } from '../base/fs/index.ts';
import { withTimeout } from '../base/fs/process.ts';
import { withGitPlaces } from '../base/git/place.ts';
import { getString, type JsonObject, toJsonText } from '../base/text/json.ts';
import { digestText, formatThousands } from '../base/text/strings.ts';
import { judgeProvenance, listCopies, mayWrite } from '../base/trust/index.ts';
import { isStoreSet, loadConfig } from '../config/load.ts';
import type { Config } from '../config/settings.ts';
import { openStore } from '../session/file-store.ts';
import { readSessionStart, recordStart, resolveWorkspaceFrom } from '../session/host-session.ts';
import { findWorkspace, getSessionPaths, type Workspace } from '../session/workspace.ts';
import { readStartFolder } from '../transcript/started-in.ts';
import { chooseClaudeHost, claudeCode } from './claude-code/protocol.ts';
import { copilot, findCopilotHome } from './copilot/protocol.ts';
import { EVENTS, SUBAGENT_EVENTS } from './events.ts';
import {
  type EventKind,
  getEvent,
  type HookAnswer,
  type HookHost,
  type HookInput,
  listFieldFaults,
} from './protocol.ts';
import { HookSession } from './session.ts';
import { claimEvent, recordRun, takeTurn } from './session-memory.ts';

export interface HookRequest {
  host: HookHost;
  event?: string | undefined;
  json: JsonObject | undefined;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The command that starts `scratchpad`, where this process stays and is another program. */
  program?: readonly string[] | undefined;
  /** Whether the host has our tools; then texts name those instead of commands. */
  tools?: boolean | undefined;
  /** Whether the host may be asking another process the same at this moment (`claimEvent`). */
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
   * @param isDelivered false where nobody took the answer: what it says is not remembered as said
   */
  finish(isDelivered?: boolean): Promise<void>;
}

const PRINTING_MS = 60;
/** Starts in a folder that the person chose; after a compaction it is the one to which the agent has gone. */
const FOLDER_CHOICES = new Set(['startup', 'resume', 'clear']);
/** Share of the time left in which an earlier scratchpad may be adopted. */
const ADOPTION_SHARE = 0.5;
/** Share of the time left in which an event waits for the one before it of its session. */
const TURN_SHARE = 0.6;

interface ReceivedEvent {
  host: HookHost;
  name: string;
  kind: EventKind | undefined;
  input: HookInput;
  /** Whether Copilot or VS Code has run a hook of Claude Code. */
  isCopilot: boolean;
}

/** What has come of an event. It is filled on the way, since an event that fails must release its turn, too. */
interface Work {
  readonly faults: string[];
  outcome: string;
  text?: string;
  session?: HookSession;
  /** Lets the next event of the session wait. */
  turn?: HeldLock | undefined;
}

const SILENT: HookReply = { text: undefined, finish: async () => undefined };

/** Answers one event of a host, in its own process or in one that serves many. It never throws. */
export async function answerEvent(request: HookRequest): Promise<HookReply> {
  const { env } = request;
  const received = receiveEvent(request);
  const { host, name, kind } = received;
  if (kind === undefined && Object.hasOwn(host.events, name)) return SILENT;

  if (kind === 'start') host.markCommands?.(received.input, env);
  const workspace = findEventWorkspace(request, received);
  // Hooks in a person's own settings run in every project; those without a scratchpad are ignored.
  if (!workspace?.exists) return SILENT;
  if (received.isCopilot && hasOwnHooks(workspace.root, env)) return SILENT;

  // A workspace of another user is neither read nor written.
  if (!mayWrite(workspace.root, env)) {
    const { note } = judgeProvenance(workspace.root, env);
    return kind === 'start' && note !== undefined
      ? { ...SILENT, text: host.render(name, { context: note }) }
      : SILENT;
  }

  const isEmpty = host.emptyPrompts === true && request.json?.prompt === '';
  if (kind === 'prompt' && (isEmpty || !claimPrompt(request, received))) return SILENT;

  const work: Work = { faults: [], outcome: 'nothing to say' };
  try {
    if (!(await answerInWorkspace(workspace, request, received, work))) return SILENT;
  } catch (error) {
    work.faults.push(describeError(error));
  }

  const ms = Date.now() - request.started;
  return {
    text: work.text,
    async finish(isDelivered = true) {
      if (isDelivered) await work.session?.finish();
      work.turn?.release();
      if (isDelivered) recordWork(workspace.root, request, received, work, ms);
    },
  };
}

function receiveEvent(request: HookRequest): ReceivedEvent {
  const { json, env } = request;
  const isCopilot = request.host === claudeCode && json !== undefined && isFromCopilot(json);
  const reader = isCopilot ? copilot : request.host;
  const input = json ? reader.read(json, env) : {};
  const host = reader === claudeCode ? chooseClaudeHost(input, env) : reader;
  const name = request.event ?? (typeof json?.hook_event_name === 'string' ? json.hook_event_name : '');

  return { host, name, kind: getEvent(host, name).kind, input, isCopilot };
}

/** Copilot stamps the time of an event that is meant for Claude Code, and has no modes. */
const isFromCopilot = (json: JsonObject): boolean =>
  typeof json.timestamp === 'string' && !('permission_mode' in json);

/** The workspace of the event's session: a session may go to other folders, but works where it began, which is recorded. */
function findEventWorkspace(request: HookRequest, received: ReceivedEvent): Workspace | undefined {
  const { env, cwd, started } = request;
  const { kind, input } = received;
  const recordedStart = readSessionStart(input.session, env);
  const namedFolder = request.namesFolder ? request.workspace : undefined;
  const project = recordedStart || namedFolder ? undefined : findProject(request, received);
  const folder = namedFolder ?? project ?? checkDirectory(input.cwd) ?? cwd;
  const nearest = attempt(() => findWorkspace(request.workspace, env, folder));
  const isFolderChosen = request.namesFolder || (kind === 'start' && FOLDER_CHOICES.has(input.source ?? ''));
  if (recordedStart !== undefined && tryStat(recordedStart.folder) && !isFolderChosen)
    return attempt(() => resolveWorkspaceFrom(recordedStart, nearest, env));

  if (input.session !== undefined && input.agent === undefined && nearest !== undefined) {
    // A name in the record counts for other sessions, too; for a program's own workspace the folder is enough.
    const named = namedFolder ? undefined : (request.workspace ?? (env.SCRATCHPAD_WORKSPACE || undefined));
    recordStart(input.session, { folder, named }, started, env);
  }

  return nearest;
}

/** The folder of the project, where the host or the session's own file names it. */
function findProject(
  { host, env }: HookRequest,
  { kind, input, isCopilot }: ReceivedEvent,
): string | undefined {
  const named = host === claudeCode && !isCopilot ? checkDirectory(env.CLAUDE_PROJECT_DIR) : undefined;
  // Hooks may come into a session under way: then its own file says where it began.
  return named ?? (kind === 'start' ? undefined : checkDirectory(readStartFolder(input.transcript ?? '')));
}

/** @returns false if another process has claimed the prompt */
function claimPrompt({ json, env, contested }: HookRequest, { input }: ReceivedEvent): boolean {
  const prompt = contested ? getString(json, 'prompt_id') : undefined;
  return prompt === undefined || claimEvent(env, input.session, prompt);
}

/** @returns false if another process answers the same event */
async function answerInWorkspace(
  { root, worktree, from }: Workspace,
  request: HookRequest,
  received: ReceivedEvent,
  work: Work,
): Promise<boolean> {
  const { env, started, program } = request;
  const { host, name, kind } = received;
  const { config } = await loadConfig(root, env);
  const isEnabled = config.scratchpad.enabled;
  const deadline = started + config.hook.deadline;

  const isTelling = isEnabled && (kind === 'start' || kind === 'prompt');
  if (isTelling && !(await waitForTurn(root, request, received, work, deadline))) return false;

  const news = isStoreSet(config, env) ? await exchangeSharedPads({ root, config, env }, received) : [];
  if (isTelling) news.push(...(await adoptEarlierPad({ root, worktree }, config, env, deadline)));
  work.faults.push(...listInputFaults(request, received));

  if (kind === undefined) return true;
  if (!isEnabled || (received.input.agent !== undefined && !SUBAGENT_EVENTS.has(kind))) {
    work.outcome = isEnabled ? "a subagent's own event" : 'turned off (scratchpad.enabled)';
    return true;
  }

  const input = from === undefined ? received.input : { ...received.input, cwd: from };
  const now = request.now === undefined ? started : Date.parse(request.now) || started;
  const tool = request.tools ? getToolName(host, env) : undefined;
  const event = { host, tool, program, config, env, input, now, deadline, news };
  const answerOnce = (): Promise<HookAnswer> => {
    work.session = new HookSession(event, { root, worktree }, work.faults);
    return answerByDeadline(work.session, kind, deadline);
  };

  let answer = await answerOnce();
  // Tools run side by side: one that tells something answers again in its turn, for another may have told it meanwhile.
  if (kind === 'tool' && answer.context !== undefined) {
    if (await waitForTurn(root, request, received, work, deadline)) answer = await answerOnce();
    // Another process tells it. Both replace a long output, since the host may take the answer of either.
    else delete answer.context;
  }

  work.text = host.render(name, answer);
  work.outcome = describeOutcome(answer) || work.outcome;
  return true;
}

/** Waits until the events before this one of its session are answered. @returns false if another process answers this one */
async function waitForTurn(
  root: string,
  { json }: HookRequest,
  { name, input: { session } }: ReceivedEvent,
  work: Work,
  deadline: number,
): Promise<boolean> {
  if (session === undefined) return true;
  const key = digestText(toJsonText([name, json?.prompt, json?.source, json?.tool_use_id]));
  const turn = await takeTurn(join(root, DATA_DIR), session, key, getTimeLeft(deadline) * TURN_SHARE);
  if (turn === 'same') return false;

  work.turn = turn;
  return true;
}

const getTimeLeft = (deadline: number): number => Math.max(0, deadline - Date.now());

function listInputFaults({ json }: HookRequest, { host, name, kind, input }: ReceivedEvent): string[] {
  const unknown = kind === undefined ? [`no event of ${host.name} is called ${name || '(none)'}`] : [];
  if (json === undefined) return ['the host sent no JSON object', ...unknown];
  if (kind === undefined) return unknown;
  return listFieldFaults(kind, json, input).map((fault) => `the host sent ${fault}`);
}

function recordWork(
  root: string,
  { started }: HookRequest,
  { host, name, kind, input }: ReceivedEvent,
  { faults, outcome, text }: Work,
  ms: number,
): void {
  // Most calls of tools change nothing and are told nothing.
  if (faults.length === 0 && text === host.silence && kind === 'tool') return;

  const run = {
    at: new Date(started).toISOString(),
    host: host.name,
    event: name || 'unknown',
    session: input.session?.slice(0, 200),
    outcome: [...(faults.length === 0 || text ? [outcome] : []), ...faults].join('; '),
    ms,
  };
  recordRun(join(root, DATA_DIR), run, faults.length > 0);
}

/** Adopts the scratchpad that an earlier tool kept in the host's session, on the first use. @returns notices for the model */
async function adoptEarlierPad(
  workspace: Pick<Workspace, 'root' | 'worktree'>,
  config: Config,
  env: NodeJS.ProcessEnv,
  deadline: number,
): Promise<string[]> {
  const { root } = workspace;
  if (exists(getSessionPaths(root, config.primarySession).journal) || listCopies(root).length > 0) return [];

  const { adoptHostSession } = await import('../transcript/adopt-session.ts');
  const store = openStore(workspace, undefined, config, { env });
  const adoption = adoptHostSession({ root, store, config, env }, { recordsAbsence: true });
  const notices = await withTimeout(adoption, getTimeLeft(deadline) * ADOPTION_SHARE, (): string[] => []);

  return notices.map((notice) => `[Scratchpad] ${notice}`);
}

/** Whether Copilot has hooks of ours that are its own, which answer the same event. */
const hasOwnHooks = (root: string, env: NodeJS.ProcessEnv): boolean =>
  [join(root, '.github'), findCopilotHome(env)].some((folder) =>
    exists(join(folder, 'hooks', 'scratchpad.json')),
  );

/** Sends changes to the shared store, and takes in those of others before the model is told. @returns notices for it */
async function exchangeSharedPads(
  place: { root: string; config: Config; env: NodeJS.ProcessEnv },
  { host, kind, input: { session, speaker } }: ReceivedEvent,
): Promise<string[]> {
  const { sendAfterwards, receiveChanges } = await import('../shared-store/background-sync.ts');
  sendAfterwards(place);
  const isTelling = kind === 'start' ? !host.silentStart : kind === 'prompt' && speaker !== 'parent';
  if (!isTelling) return [];

  const sessions = [place.config.primarySession, ...(session === undefined ? [] : [session])];

  return receiveChanges(place, sessions, kind === 'start');
}

/** The name of a plugin's server starts with the plugin's name. */
const getToolName = ({ tool }: HookHost, env: NodeJS.ProcessEnv): string | undefined =>
  env.CLAUDE_PLUGIN_ROOT ? tool?.replace('mcp__scratchpad__', 'mcp__plugin_scratchpad_scratchpad__') : tool;

const describeOutcome = ({ context, hold, summaryRequest }: HookAnswer): string =>
  [
    context && `${context.length} characters`,
    hold && 'compaction held once',
    summaryRequest && 'asked the summary to keep the scratchpad',
  ]
    .filter(Boolean)
    .join(', ');

/** Work that waits for a lock or a slow disk is abandoned: the host has waited long enough. */
function answerByDeadline(session: HookSession, kind: EventKind, deadline: number): Promise<HookAnswer> {
  const work = withGitPlaces(() => EVENTS[kind](session));
  return withTimeout(work, Math.max(0, deadline - Date.now() - PRINTING_MS), () => {
    session.faults.push(`timed out after ${formatThousands(session.event.config.hook.deadline)} ms`);
    return {};
  });
}

function checkDirectory(path = ''): string | undefined {
  const isAbsolute = path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path);
  return isAbsolute && tryStat(path)?.isDirectory() ? path : undefined;
}
