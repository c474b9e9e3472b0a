import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  ensureFolder,
  processIsGone,
  processStat,
  remove,
  tryList,
  tryRemove,
  writeAtomically,
} from '../base/fs/index.ts';
import { membersOf, numberAt, parsed, textAt } from '../base/text/json.ts';
import type { HookReply, HookRequest } from './answer.ts';
import { ACKNOWLEDGED, serversOf, socketOf } from './ask-server.ts';
import { HOOK_HOSTS } from './index.ts';
import { parseInput } from './protocol.ts';

/** Set by the shell that keeps the server alive: its pid and that of the host (`install/keep-alive.ts`). */
const KEPT_BY = 'SCRATCHPAD_KEPT_BY';
/** A host's event is shorter, its long outputs included. */
const LONGEST = 64 * 1024 * 1024;

type Reply = (request: HookRequest) => Promise<HookReply>;

/**
 * Answers the command hooks of the host that has started this process, in their place (`ask-server.ts`), and notes
 * that its hooks are answered here, for those that run only if nobody answers (`unlessServed` there). Both are named
 * after the host's process; the note holds the process that the host started, when that began, and this one.
 * @returns takes the note away: the host has closed the connection
 */
export function serveHooks(env: NodeJS.ProcessEnv, reply: Reply): () => void {
  const [keeper, above] = (env[KEPT_BY] ?? '').split(' ').map(Number);
  const [pid, host] = keeper && above ? [keeper, above] : [process.pid, process.ppid];
  const folder = serversOf(env);
  if (folder === undefined) return () => undefined;
  const note = join(folder, String(host));
  const socket = socketOf(folder, host);
  const server = createServer({ allowHalfOpen: true }, (client) => answerClient(client, reply));
  try {
    ensureFolder(folder, 0o700);
    for (const name of tryList(folder))
      if (name === `${host}.sock` || processIsGone(Number.parseInt(name, 10))) remove(join(folder, name));
    writeAtomically(note, `${pid} ${processStat(pid).start || '-'} ${process.pid}\n`, { mode: 0o600 });
    // Where it cannot listen, hooks answer by themselves.
    server.on('error', () => undefined).listen(socket);
    server.unref();
  } catch {
    // Without the note, nobody answers in the server's place.
  }
  return () => {
    server.close();
    tryRemove(note);
  };
}

/** One event: JSON, answered by a sign that it was read, and then by what the hook is to print. */
function answerClient(client: Socket, reply: Reply): void {
  const parts: Buffer[] = [];
  let size = 0;
  client.on('error', () => client.destroy());
  client.on('data', (part) => {
    parts.push(part);
    size += part.length;
    if (size > LONGEST) client.destroy();
  });
  client.on('end', async () => {
    const request = requestIn(parsed(Buffer.concat(parts).toString()));
    if (request === undefined || client.destroyed) return client.destroy();
    client.write(ACKNOWLEDGED);
    const { text, finish } = await reply(request);
    // Whoever has stopped waiting has answered by itself: what was not said is not remembered as said.
    if (client.destroyed) return;
    client.end(text ?? request.host.silence, (error?: Error | null) => {
      if (!error) void finish();
    });
  });
}

function requestIn(value: unknown): HookRequest | undefined {
  const asked = membersOf(value);
  const [started, cwd] = [numberAt(asked, 'started'), textAt(asked, 'cwd')];
  const host = HOOK_HOSTS.get(textAt(asked, 'host') ?? '');
  if (host === undefined || started === undefined || cwd === undefined) return undefined;
  const env = Object.entries(membersOf(asked.env)).filter(([, text]) => typeof text === 'string');
  return {
    ...{ host, started, cwd, env: Object.fromEntries(env) as NodeJS.ProcessEnv },
    json: parseInput(textAt(asked, 'said') ?? ''),
    event: textAt(asked, 'event'),
    workspace: textAt(asked, 'workspace'),
    now: textAt(asked, 'now'),
    tools: asked.tools === true,
  };
}
