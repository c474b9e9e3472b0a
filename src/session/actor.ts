import { join } from 'node:path';
import { usageError } from '../base/errors.ts';
import { isProcessAlive, type ProcessId, tryStat } from '../base/fs/index.ts';
import { list, record, type Shape, text } from '../base/fs/json-shape.ts';
import { isObject, toMembers } from '../base/text/json.ts';
import { readSealed } from '../base/trust/seal.ts';
import { encodeFileName } from './workspace.ts';

/** Who made a change: an agent, with the session of its host, or a person's login name. */
export interface Actor {
  agent?: string;
  session?: string;
  user?: string;
  /** The MCP connection, which tells clients apart whose hosts name no session. */
  connection?: string;
}

/** The key of a chat in OpenClaw, perhaps with the time of a conversation's end behind it. Explicit ones are a terminal's. */
const CHAT_KEY = /^agent:[^:]+:((?!explicit:).+?)(?= until \d{4}-|$)/;

/** The beginning of a session's id, or the end of a chat's key, by which a person tells it from others. */
export const abbreviateSession = (session: string): string =>
  CHAT_KEY.exec(session)?.[1]?.slice(-32) ?? session.slice(0, 8);

/** The chat that a session is held in, where its id is the key of one. */
export const getChat = (session: string | undefined): string | undefined => CHAT_KEY.exec(session ?? '')?.[0];

/** Whether a session is not of the reader's chat: each may have other people. A person's terminal reads all. */
export const isOfOtherChat = (session: string | undefined, reader: string | undefined): boolean =>
  getChat(reader) !== undefined && getChat(session) !== getChat(reader);

/** Whether several people read a chat; OpenClaw keeps the owner's memory out of it, too. */
export const isGroupChat = (session: string | undefined): boolean =>
  /:(?:group|channel)(?::|$)/.test(getChat(session) ?? '');

/**
 * The session id that begins as typed; `trial-1` does not stand for `trial-10`.
 * @throws ScratchpadError `usage` if several ids begin so
 */
export function completeSession(typed: string, ids: readonly string[]): string {
  if (typed.length < 6 || ids.includes(typed)) return typed;

  const cutsNumber = (id: string): boolean => /\d\d/.test(id.slice(typed.length - 1, typed.length + 1));
  const isUuid = (id: string): boolean => /^[\da-f]{8}-/i.test(id);
  const matching = ids.filter((id) => id.startsWith(typed) && (isUuid(id) || !cutsNumber(id)));
  const [first = typed, ...more] = new Set(matching);
  if (more.length === 0) return first;

  const expected = `one of ${[first, ...more].join(', ')}`;
  throw usageError('several sessions have an id that begins so', { expected, found: typed });
}

const COPILOT_SESSION = 'COPILOT_AGENT_SESSION_ID';

/**
 * The environment variables that each host sets for the programs it runs: any of `marks` tells the agent, `session` holds
 * the session's id. Kilo, which sets those of OpenCode, too, comes first.
 */
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

/** Our own variable for the host's session, where the host sets none or it has changed since. */
export const HOST_SESSION = 'SCRATCHPAD_HOST_SESSION';

/** The variable for the connection that our MCP server answers. */
export const CONNECTION = 'SCRATCHPAD_MCP_CONNECTION';

/** Names from the environment, which may hold anything, are cut after so many characters. */
const LONGEST_NAME = 100;

/** The host in whose session this process runs, from its environment; `undefined` for a person's own shell. */
export const detectHost = (env: NodeJS.ProcessEnv): string | undefined => detectActor(env).agent;

/** Who runs this process, from its environment; empty if unknown. */
export function detectActor(env: NodeJS.ProcessEnv): Actor {
  const host = AGENTS.find(({ marks }) => marks.some((mark) => env[mark]));
  // A server that a host has started hears from its hooks which session it is in now.
  const session = env[HOST_SESSION] || (host?.session && env[host.session]);
  const agent = host?.agent ?? (env.AI_AGENT || (session && 'agent'));

  const actor = readActor({ agent, session }) ?? readActor({ user: env.USER || env.LOGNAME || env.USERNAME });
  return { ...actor, ...readActor({ connection: session ? undefined : env[CONNECTION] }) };
}

const NAME: Shape<string> = (value) => text(value)?.slice(0, LONGEST_NAME) || undefined;
const ACTOR = record({}, { agent: NAME, session: NAME, user: NAME, connection: NAME });

export function readActor(value: unknown): Actor | undefined {
  const actor = ACTOR(value) ?? {};
  return Object.keys(actor).length > 0 ? actor : undefined;
}

/**
 * A session counts as ended after this time without an event, a record in its transcript or a change of its plan, unless
 * its host reported the end.
 */
export const SILENT_MS = 30 * 60_000;
/** The purpose in the seal of a host session's record. */
export const HOST_SESSIONS = 'hosts';
/** Signs of a session within this time after its end belong to the end. */
const ENDING_MS = 5000;
/** A time that is further ahead comes from another clock. */
const AHEAD_MS = 120_000;

/**
 * Whether a host's session has ended: its process is gone, its end was reported and nothing came after it, or it has been
 * silent for `SILENT_MS`.
 * @param data the workspace's `.scratchpad`
 * @param lastSign a time at which it was at work, epoch milliseconds
 */
export function hasSessionEnded(data: string, session: string, now: number, lastSign = 0): boolean {
  const file = getRecordPath(data, session);
  const { ended, place, process } = toMembers(readSealed(file, HOST_SESSIONS));
  if (isObject(process) && isProcessAlive(process as object as ProcessId) === false) return true;

  const { path } = toMembers(place);
  const signs = [lastSign, readChangeTime(file), typeof path === 'string' ? readChangeTime(path) : 0];
  const lastActive = Math.max(...signs.filter((sign) => sign < now + AHEAD_MS));
  if (typeof ended === 'number' && lastActive - ended < ENDING_MS) return true;

  return now - lastActive > SILENT_MS;
}

/** The sessions whose window a session holds, because it was forked from them. */
export function listForkOrigins(data: string, session: string): string[] {
  const { forkedFrom } = toMembers(readSealed(getRecordPath(data, session), HOST_SESSIONS));
  return list(text)(forkedFrom) ?? [];
}

/** The folder that lists a session's subagents, a file for each. */
export const getChildrenFolder = (data: string, session: string): string =>
  join(data, 'hosts', `${encodeFileName(session)}.children`);

/** The file in which hooks record what they know of a session. */
export const getRecordPath = (data: string, session: string): string =>
  join(data, 'hosts', `${encodeFileName(session)}.json`);

const readChangeTime = (path: string): number => tryStat(path)?.mtimeMs ?? 0;
