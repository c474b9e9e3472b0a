import type { IncomingMessage, ServerResponse, Server as WebServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { attempt } from '../base/errors.ts';
import {
  ensureFolder,
  isPrivate,
  isProcessGone,
  readProcessStat,
  remove,
  resolveRealPath,
  tryList,
  tryRemove,
  writeAtomically,
} from '../base/fs/index.ts';
import { makeMap, number, record, text, truth } from '../base/fs/json-shape.ts';
import { withTimeout } from '../base/fs/process.ts';
import { getString, type JsonObject, parseJson, parseObject } from '../base/text/json.ts';
import { answerEvent, type HookReply, type HookRequest } from './answer.ts';
import { findSocketFolder, getSocketPath, MARK } from './ask-server.ts';
import type { PaneView } from './claude-code/pane.ts';
import { HOOK_HOSTS } from './host-rows.ts';
import { checkId, getEvent, KEPT_BY, parseInput } from './protocol.ts';

/** Claude Code's event before a call: the call itself does not say that it is a subagent's. */
const BEFORE_CALL = 'PreToolUse';
const MOST_CALLS = 100;

/** Longest time that an event waits for the last answer of its session to be written down. */
const TURN_MS = 500;
/** While the server is so young, a host may have asked a command as well. */
const YOUNG_S = 20;
/** How long after the answer to a prompt a host asks its model: writing would take its processor from it. */
const ASKING_MS = 20;

/**
 * Answers hooks in a process that stays, which the host has started, owns and ends: our MCP server, or a host that our
 * plugin runs in. The answers are those of `scratchpad hook`, without a process for each event. An event waits until the
 * last answer of its session is written down; events that come meanwhile run side by side.
 */
export class ResidentHooks {
  readonly #place: Pick<HookRequest, 'env' | 'cwd' | 'program' | 'workspace'>;
  /** By session, the answer that is still being written down. */
  readonly #writing = new Map<string, Promise<void>>();
  /** By the id of a call of our tools, the subagent that makes it. */
  readonly #callers = new Map<string, string>();
  /** Starts to write the answer to the last prompt down, if that still waits for the host to ask its model. */
  #startWriting: (() => void) | undefined;
  /** The session of the last event that was not a subagent's: after a clear the host's variables name an old one. */
  session: string | undefined;

  /** @param program the command that starts `scratchpad`, for work that another process does */
  constructor(env: NodeJS.ProcessEnv, cwd: string, program: readonly string[], workspace?: string) {
    this.#place = { env, cwd, program, workspace };
  }

  /**
   * @param json the fields of the host's hook input, with `host` and `event`
   * @returns the host's own form of an answer; `{}` for nothing to say
   */
  async answer(json: JsonObject, more?: Partial<HookRequest>): Promise<string> {
    const { text, finish } = await this.replyTo(json, more);
    // The answer goes out first.
    setImmediate(() => finish());
    return text;
  }

  /** Answers as `answer` does, but leaves it to the caller to call `finish` once the answer is out. */
  async replyTo(json: JsonObject, more?: Partial<HookRequest>): Promise<HookReply & { text: string }> {
    const started = Date.now();
    const host = HOOK_HOSTS.get(getString(json, 'host') ?? 'claude-code');
    const event = getString(json, 'event');
    if (!host) return { text: '{}', finish: async () => undefined };

    const request = { ...this.#place, ...more, host, event, json, started, tools: true };
    const { text, finish } = await this.reply(request);

    return { text: text?.trim() || '{}', finish };
  }

  /** Answers an event in its session's turn, which lasts until the answer is written down. */
  async reply(request: HookRequest): Promise<HookReply> {
    const { json, host } = request;
    const event = request.event ?? getString(json, 'hook_event_name') ?? '';
    const agent = getString(json, 'agent_id') ?? getString(json, 'agentId');
    if (event === BEFORE_CALL) {
      this.#rememberCaller(agent, getString(json, 'tool_use_id'));
      return { text: undefined, finish: async () => undefined };
    }

    const session = getString(json, 'session_id') ?? getString(json, 'sessionId') ?? '';
    if (session !== '' && agent === undefined) this.session = session;
    this.#startWriting?.();
    await withTimeout(this.#writing.get(session) ?? Promise.resolve(), TURN_MS, () => undefined);

    const { program } = this.#place;
    const reply = await answerEvent({ program, ...request, contested: process.uptime() < YOUNG_S });
    let endTurn = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      endTurn = resolve;
    });
    this.#writing.set(session, turn);

    const isPrompt = getEvent(host, event).kind === 'prompt';
    const finish = async (isDelivered?: boolean): Promise<void> => {
      if (isPrompt && isDelivered !== false) await this.#letHostAsk();
      await reply.finish(isDelivered);
      endTurn();
      if (this.#writing.get(session) === turn) this.#writing.delete(session);
    };

    return { ...reply, finish };
  }

  #rememberCaller(agent: string | undefined, call: string | undefined): void {
    if (agent !== undefined && call !== undefined) this.#callers.set(call, agent);
    for (const old of [...this.#callers.keys()].slice(0, -MOST_CALLS)) this.#callers.delete(old);
  }

  /**
   * The subagent that calls a tool of ours; `undefined` for the session itself.
   * @param meta the host's description of the call: Claude Code names its id, Codex the thread
   */
  findCaller(meta: JsonObject): string | undefined {
    const thread = getString(meta, 'threadId');
    if (thread !== undefined && this.session !== undefined && thread !== this.session) return checkId(thread);
    return checkId(this.#callers.get(getString(meta, 'claudecode/toolUseId') ?? ''));
  }

  async answerPane(json: JsonObject): Promise<PaneView> {
    const { answerPane } = await import('./claude-code/pane.ts');
    return answerPane(json, this.#place.env);
  }

  /** Waits until the host has asked its model, or reports the next event. */
  #letHostAsk(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ASKING_MS);
      this.#startWriting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Waits until everything is written down. */
  async settled(): Promise<void> {
    this.#startWriting?.();
    await Promise.all(this.#writing.values());
  }
}

/** More bytes than an event has, its long outputs included. */
const LONGEST_EVENT = 64 * 1024 * 1024;

/**
 * Answers the command hooks of the host that has started this process, in their place (`ask-server.ts`). The socket is
 * named after the host's process. So is a note for hooks that run only if nobody answers (`wrapUnlessServed`): it has the
 * process that the host started, when that began, and this process.
 * @returns `note`: writes the note, once the host reaches the tools; `gone`: the host has closed the connection
 */
export function serveHooks(env: NodeJS.ProcessEnv, hooks: ResidentHooks): { note(): void; gone(): void } {
  const [shellPid, shellHost] = (env[KEPT_BY] ?? '').split(' ').map(Number);
  const [pid, host] = shellPid && shellHost ? [shellPid, shellHost] : [process.pid, process.ppid];
  const socketFolder = findSocketFolder(env);
  if (socketFolder === undefined) return { note: () => undefined, gone: () => undefined };

  attempt(() => ensureFolder(socketFolder, 0o700));
  // The hook that asks resolves links as well.
  const folder = resolveRealPath(socketFolder) ?? socketFolder;
  const socket = getSocketPath(folder, host);
  const notePath = join(folder, String(host));
  const server = createHookServer(hooks);
  // Without a socket, or without the note below, hooks answer by themselves.
  attempt(() => {
    clearSocketFolders(folder, socket, host);
    server.on('error', () => undefined).listen(socket);
    server.unref();
  });

  let isNoted = false;

  return {
    note() {
      if (isNoted) return;
      isNoted = true;

      attempt(() => {
        const shell = `${pid} ${readProcessStat(pid).start || '-'} ${process.pid}\n`;
        // Our mod cannot tell whose a folder below /tmp is.
        const elsewhere = dirname(getSocketPath(socketFolder, host)) === socketFolder ? '' : `${socket}\n`;
        writeAtomically(notePath, shell + elsewhere, { mode: 0o600 });
      });
    },
    gone() {
      server.close();
      tryRemove(notePath);
    },
  };
}

/** Removes sockets and notes of hosts that are gone. @throws Error if a folder below /tmp is another user's */
function clearSocketFolders(folder: string, socket: string, host: number): void {
  for (const place of new Set([folder, dirname(socket)])) {
    ensureFolder(place, 0o700);
    if (place !== folder && !isPrivate(place)) throw new Error(`${place} is not this user's own`);
    for (const name of tryList(place))
      if (name === `${host}.sock` || isProcessGone(Number.parseInt(name, 10))) remove(join(place, name));
  }
}

/** Tells the two kinds of clients apart by their first bytes: our mod posts, our hook sends JSON. */
function createHookServer(hooks: ResidentHooks): Server {
  let web: Promise<WebServer> | undefined;
  return createServer({ allowHalfOpen: true }, (client) => {
    const close = (): unknown => client.destroy();
    client.on('error', close).once('end', close);
    client.once('data', async (first) => {
      client.off('end', close);
      client.pause().unshift(first);
      if (first.toString('latin1').startsWith('POST ')) {
        web ??= makeWebServer(hooks);
        (await web).emit('connection', client);
      } else answerClient(client, hooks);
      client.resume();
    });
  });
}

/** Answers our mod in Claude Code, which has no sockets but those of HTTP. */
async function makeWebServer(hooks: ResidentHooks): Promise<WebServer> {
  const http = await import('node:http');
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (Number(request.headers['content-length'] ?? 0) > LONGEST_EVENT) return void request.destroy();

    const json = parseObject(Buffer.concat(await request.toArray()).toString()) ?? {};
    if (request.url === '/pane') return void response.end(JSON.stringify(await hooks.answerPane(json)));

    const { text, finish } = await hooks.replyTo(json);
    if (response.destroyed) return finish(false);
    response.once('close', () => void finish(response.writableFinished)).end(text);
  };

  // The mod sees that nobody answers, and asks a process.
  return http.createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
}

/** Answers our hook, which sends one event as JSON: first by a sign that it was read, then by the text to print. */
function answerClient(client: Socket, hooks: ResidentHooks): void {
  const parts: Buffer[] = [];
  let size = 0;
  client.on('data', (part) => {
    parts.push(part);
    size += part.length;
    if (size > LONGEST_EVENT) client.destroy();
  });
  client.on('end', async () => {
    const request = parseHookRequest(parseJson(Buffer.concat(parts).toString()));
    if (request === undefined || client.destroyed) return client.destroy();

    client.write(MARK);
    const { text: output, finish } = await hooks.reply(request);
    // A hook that has stopped waiting answers by itself, so this answer is not remembered as said.
    if (client.destroyed) return void finish(false);

    client.end(`${output ?? request.host.silence}${MARK}`, (error?: Error | null) => void finish(!error));
  });
}

const HOOK_CALL = record(
  { host: text, input: text, cwd: text, started: number, env: makeMap(text) },
  { event: text, tools: truth },
);

function parseHookRequest(value: unknown): HookRequest | undefined {
  const call = HOOK_CALL(value);
  const host = HOOK_HOSTS.get(call?.host ?? '');
  return (
    call && host && { ...call, env: { ...process.env, ...call.env }, host, json: parseInput(call.input) }
  );
}
