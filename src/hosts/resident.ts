import type { IncomingMessage, ServerResponse, Server as WebServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
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

/** How long an event waits until the one before it, of the same session, has written down what was said. */
const TURN_MS = 500;
const YOUNG_S = 20;
/** How long after the answer to a prompt a host asks its model: writing would take its processor from it. */
const ASKING_MS = 20;

/**
 * Answers hooks in a process that stays, which the host has started, owns and ends: our MCP server, or a host that our
 * plugin runs in. The answers are those of `scratchpad hook`, without a process for each event. An event waits until what
 * the last answer of its session said is written down; those that come meanwhile run side by side.
 */
export class ResidentHooks {
  readonly #from: Pick<HookRequest, 'env' | 'cwd' | 'program' | 'workspace'>;
  /** By session, the answer that is still being written down. */
  readonly #finishing = new Map<string, Promise<void>>();

  /** The subagent of each of its calls of our tools, by the call's id. */
  readonly #callers = new Map<string, string>();

  /** Begins the work after the answer to the last prompt. */
  #settle: (() => void) | undefined;

  /** The session of the last event that was not a subagent's: after a clear the host's variables name an old one. */
  session: string | undefined;

  /** @param program starts `scratchpad`, for work that another process does */
  constructor(env: NodeJS.ProcessEnv, cwd: string, program: readonly string[], workspace?: string) {
    this.#from = { env, cwd, program, workspace };
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

  /** Answers, and leaves it to the caller to call `finish` once the answer is out. */
  async replyTo(json: JsonObject, more?: Partial<HookRequest>): Promise<HookReply & { text: string }> {
    const started = Date.now();
    const host = HOOK_HOSTS.get(getString(json, 'host') ?? 'claude-code');
    const event = getString(json, 'event');
    if (!host) return { text: '{}', finish: async () => undefined };

    const request = { ...this.#from, ...more, host, event, json, started, tools: true };
    const { text, finish } = await this.reply(request);

    return { text: text?.trim() || '{}', finish };
  }

  /** Answers an event in its session's turn, which lasts until what was said has been written down. */
  async reply(request: HookRequest): Promise<HookReply> {
    const { json, event } = request;
    if ((event ?? getString(json, 'hook_event_name')) === BEFORE_CALL) {
      const [agent, call] = [getString(json, 'agent_id'), getString(json, 'tool_use_id')];
      if (agent !== undefined && call !== undefined) this.#callers.set(call, agent);
      for (const old of [...this.#callers.keys()].slice(0, -MOST_CALLS)) this.#callers.delete(old);
      return { text: undefined, finish: async () => undefined };
    }

    const session = getString(json, 'session_id') ?? getString(json, 'sessionId') ?? '';
    if (session !== '' && (getString(json, 'agent_id') ?? getString(json, 'agentId')) === undefined)
      this.session = session;
    this.#settle?.();
    await withTimeout(this.#finishing.get(session) ?? Promise.resolve(), TURN_MS, () => undefined);

    const { program } = this.#from;
    const reply = await answerEvent({ program, ...request, contested: process.uptime() < YOUNG_S });
    let settle = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      settle = resolve;
    });

    this.#finishing.set(session, turn);
    const name = event ?? getString(json, 'hook_event_name') ?? '';
    const isPrompt = getEvent(request.host, name).kind === 'prompt';
    const finish = async (isTold?: boolean): Promise<void> => {
      if (isPrompt && isTold !== false) await this.#letHostAsk();
      await reply.finish(isTold);
      settle();
      if (this.#finishing.get(session) === turn) this.#finishing.delete(session);
    };

    return { ...reply, finish };
  }

  /**
   * The subagent that calls a tool of ours; `undefined` for the session itself.
   * @param meta what the host says of the call: Claude Code its id, Codex the thread
   */
  callerOf(meta: JsonObject): string | undefined {
    const thread = getString(meta, 'threadId');
    if (thread !== undefined && this.session !== undefined && thread !== this.session) return checkId(thread);
    return checkId(this.#callers.get(getString(meta, 'claudecode/toolUseId') ?? ''));
  }

  async answerPane(json: JsonObject): Promise<PaneView> {
    const { answerPane } = await import('./claude-code/pane.ts');
    return answerPane(json, this.#from.env);
  }

  /** Waits until the host has asked its model, or reports the next event. */
  #letHostAsk(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ASKING_MS);
      this.#settle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Waits until everything is written down. */
  async settled(): Promise<void> {
    this.#settle?.();
    await Promise.all(this.#finishing.values());
  }
}

/** A host's event is shorter, its long outputs included. */
const LONGEST = 64 * 1024 * 1024;

/**
 * Answers the command hooks of the host that has started this process, in their place (`ask-server.ts`). The socket is
 * named after the host's process, and so is a note, which says that hooks are answered here, for those that run only if
 * nobody answers (`unlessServed`): the process that the host started, when that began, and this one.
 * @returns `note`: the host reaches the tools; `gone`: it has closed the connection
 */
export function serveHooks(env: NodeJS.ProcessEnv, hooks: ResidentHooks): { note(): void; gone(): void } {
  const [shellPid, shellHost] = (env[KEPT_BY] ?? '').split(' ').map(Number);
  const [pid, host] = shellPid && shellHost ? [shellPid, shellHost] : [process.pid, process.ppid];
  const socketFolder = findSocketFolder(env);

  if (socketFolder === undefined) return { note: () => undefined, gone: () => undefined };

  attempt(() => ensureFolder(socketFolder, 0o700));
  // As whoever asks resolves it.
  const folder = resolveRealPath(socketFolder) ?? socketFolder;

  const notePath = join(folder, String(host));
  const socket = getSocketPath(folder, host);
  let web: Promise<WebServer> | undefined;
  const server = createServer({ allowHalfOpen: true }, (client) => {
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

  try {
    for (const place of new Set([folder, dirname(socket)])) {
      ensureFolder(place, 0o700);
      // Below /tmp another user may have been quicker.
      if (place !== folder && !isPrivate(place)) throw new Error(`${place} is not this user's own`);
      for (const name of tryList(place))
        if (name === `${host}.sock` || isProcessGone(Number.parseInt(name, 10))) remove(join(place, name));
    }

    // Where it cannot listen, hooks answer by themselves.
    server.on('error', () => undefined).listen(socket);
    server.unref();
  } catch {
    // As where it cannot listen.
  }

  let isNoted = false;

  return {
    note() {
      if (isNoted) return;
      isNoted = true;

      try {
        const shell = `${pid} ${readProcessStat(pid).start || '-'} ${process.pid}\n`;
        // Our mod cannot tell whose a folder below /tmp is.
        const elsewhere = dirname(getSocketPath(socketFolder, host)) === socketFolder ? '' : `${socket}\n`;
        writeAtomically(notePath, shell + elsewhere, { mode: 0o600 });
      } catch {
        // Without it, commands answer.
      }
    },
    gone() {
      server.close();
      tryRemove(notePath);
    },
  };
}

/** Our mod in Claude Code has no sockets but those of HTTP. */
async function makeWebServer(hooks: ResidentHooks): Promise<WebServer> {
  const http = await import('node:http');
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (Number(request.headers['content-length'] ?? 0) > LONGEST) return void request.destroy();

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

/** One event: JSON, answered by a sign that it was read, and then by what the hook is to print. */
function answerClient(client: Socket, hooks: ResidentHooks): void {
  const parts: Buffer[] = [];
  let size = 0;
  client.on('data', (part) => {
    parts.push(part);
    size += part.length;
    if (size > LONGEST) client.destroy();
  });
  client.on('end', async () => {
    const request = parseHookRequest(parseJson(Buffer.concat(parts).toString()));
    if (request === undefined || client.destroyed) return client.destroy();

    client.write(MARK);
    const { text: output, finish } = await hooks.reply(request);
    // Whoever has stopped waiting has answered by itself: what was not said is not remembered as said.
    if (client.destroyed) return void finish(false);

    client.end(`${output ?? request.host.silence}${MARK}`, (error?: Error | null) => void finish(!error));
  });
}

const ASKED = record(
  { host: text, said: text, cwd: text, started: number, env: makeMap(text) },
  { event: text, workspace: text, now: text, tools: truth },
);

function parseHookRequest(value: unknown): HookRequest | undefined {
  const request = ASKED(value);
  const host = HOOK_HOSTS.get(request?.host ?? '');
  const env = { ...process.env, ...request?.env };
  return request && host && { ...request, env, host, json: parseInput(request.said) };
}
