import { join } from 'node:path';
import { usageError } from '../base/errors.ts';
import { DATA_DIR, isProcessAlive, type ProcessId, tryStat } from '../base/fs/index.ts';
import { record, type Shape, text } from '../base/fs/json-shape.ts';
import { isObject, toMembers } from '../base/text/json.ts';
import { readSealed } from '../base/trust/seal.ts';
import { encodeFileName } from './workspace.ts';

/** Who made a change: an agent, with the session of its host, or a person's login name. */
export interface Actor {
  agent?: string;
  session?: string;
  user?: string;
}

/** The beginning of a session's id, by which a person tells it from others. */
export const abbreviateSession = (session: string): string => session.slice(0, 8);

/** The id of which a person typed the beginning; `trial-1` is none of `trial-10`. @throws ScratchpadError `usage` if several begin so */
export function completeSession(typed: string, ids: readonly string[]): string {
  if (typed.length < 6 || ids.includes(typed)) return typed;
  const isCut = (id: string): boolean => /\d\d/.test(id.slice(typed.length - 1, typed.length + 1));
  const begin = (id: string): boolean => id.startsWith(typed) && (!isCut(id) || /^[\da-f]{8}-/i.test(id));
  const [first = typed, ...more] = new Set(ids.filter(begin));
  if (more.length === 0) return first;
  const expected = `one of ${[first, ...more].join(', ')}`;
  throw usageError('several sessions have an id that begins so', { expected, found: typed });
}

const COPILOT_SESSION = 'COPILOT_AGENT_SESSION_ID';

/** Recognises an agent's commands: each host sets these variables for the programs it runs. Kilo sets OpenCode's, too. */
const AGENTS: readonly { agent: string; marks: readonly string[]; session?: string }[] = [
  { agent: 'claude-code', marks: ['CLAUDECODE'], session: 'CLAUDE_CODE_SESSION_ID' },
  { agent: 'codex', marks: ['CODEX_THREAD_ID', 'CODEX_SANDBOX'], session: 'CODEX_THREAD_ID' },
  { agent: 'gemini-cli', marks: ['GEMINI_CLI'] },
  { agent: 'qwen-code', marks: ['QWEN_CODE'], session: 'QWEN_CODE_SESSION_ID' },
  { agent: 'copilot', marks: ['COPILOT_CLI', COPILOT_SESSION], session: COPILOT_SESSION },
  { agent: 'cursor', marks: ['CURSOR_AGENT'] },
  { agent: 'kilo', marks: ['KILO'] },
  { agent: 'opencode', marks: ['OPENCODE'] },
  { agent: 'pi', marks: ['PI_CODING_AGENT'] },
  { agent: 'openclaw', marks: ['OPENCLAW_SHELL', 'OPENCLAW_CLI'] },
  { agent: 'droid', marks: ['FACTORY_EXEC_TARGET_AUTONOMY'] },
];

/** Names the host's session, where its own variables do not or no longer do. */
export const HOST_SESSION = 'SCRATCHPAD_HOST_SESSION';

/** Longest name that is recorded; the environment may hold anything. */
const LONGEST = 100;

/** The host in whose session this process runs, from its environment; `undefined` for a person's own shell. */
export const detectHost = (env: NodeJS.ProcessEnv): string | undefined => detectActor(env).agent;

/** Who runs this process, from its environment; empty if unknown. */
export function detectActor(env: NodeJS.ProcessEnv): Actor {
  const agentRow = AGENTS.find(({ marks }) => marks.some((mark) => env[mark]));
  // A server that a host has started hears from its hooks which session it is in now.
  const session = env[HOST_SESSION] || (agentRow?.session && env[agentRow.session]);
  const agent = agentRow?.agent ?? (env.AI_AGENT || (session && 'agent'));

  return readActor({ agent, session }) ?? readActor({ user: env.USER || env.LOGNAME || env.USERNAME }) ?? {};
}

const NAME: Shape<string> = (value) => text(value)?.slice(0, LONGEST) || undefined;
const ACTOR = record({}, { agent: NAME, session: NAME, user: NAME });

export function readActor(value: unknown): Actor | undefined {
  const actor = ACTOR(value) ?? {};
  return Object.keys(actor).length > 0 ? actor : undefined;
}

/**
 * A session that has been silent for so long has ended, if its host has not said so: no event, no record in its
 * transcript, no change of its plan.
 */
export const SILENT_MS = 30 * 60_000;
/** What the seal of a host session's state covers: parts of it are told to the model. */
export const HOST_SESSIONS = 'hosts';
/** What happens within this time after an end is part of it. */
const ENDING_MS = 5000;
/** A time this far ahead is that of another clock. */
const AHEAD_MS = 120_000;

/**
 * Whether a host's session has ended: its end was reported and nothing came after it, its process is gone, or it has been
 * silent.
 * @param data the workspace's `.scratchpad`
 * @param lastSign a time at which it was at work, epoch milliseconds
 */
export function hasSessionEnded(data: string, session: string, now: number, lastSign = 0): boolean {
  const file = getRecordPath(data, session);
  const { ended, place, process } = toMembers(readSealed(file, HOST_SESSIONS));
  if (isObject(process) && isProcessAlive(process as object as ProcessId) === false) return true;

  const { path } = toMembers(place);
  const signs = [lastSign, readChangeTime(file), typeof path === 'string' ? readChangeTime(path) : 0];
  const last = Math.max(...signs.filter((at) => at < now + AHEAD_MS));
  if (typeof ended === 'number' && last - ended < ENDING_MS) return true;

  return now - last > SILENT_MS;
}

/** The sessions whose window a session holds, because it was forked from them. */
export function listForkOrigins(data: string, session: string): string[] {
  const { forkedFrom: from } = toMembers(readSealed(getRecordPath(data, session), HOST_SESSIONS));
  return Array.isArray(from) ? from.filter((id): id is string => typeof id === 'string') : [];
}

/** Where a session's subagents are listed, a file for each. */
export const getChildrenFolder = (data: string, session: string): string =>
  join(data, 'hosts', `${encodeFileName(session)}.children`);

/** Whether a pad is that of another session of a host, and not of a subagent: its hooks have a record of it. */
export function isAnothersPad(root: string, asked: string, { agent, session }: Actor): boolean {
  if (agent === undefined || session === undefined || asked === session) return false;

  const data = join(root, DATA_DIR);
  const isChild = tryStat(join(getChildrenFolder(data, session), encodeFileName(asked))) !== undefined;
  return !isChild && tryStat(getRecordPath(data, asked)) !== undefined;
}

/** What hooks remember of a session. */
export const getRecordPath = (data: string, session: string): string =>
  join(data, 'hosts', `${encodeFileName(session)}.json`);

const readChangeTime = (path: string): number => tryStat(path)?.mtimeMs ?? 0;
