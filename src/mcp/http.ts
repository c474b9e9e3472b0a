import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { ScratchpadError } from '../errors.ts';
import { ioError } from '../fs/index.ts';
import { HttpSessions, refusal } from './http-sessions.ts';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from './sdk.ts';
import { mcpServer, type Open } from './server.ts';
import { watchPad } from './watch.ts';

/**
 * Larger requests are rejected unread: a content of this size can be stored in an entry from the command
 * line.
 */
const MOST_BODY = 16 * 1024 * 1024;

export interface HttpOptions {
  /** 0 for any free port. */
  port: number;
  /** The bearer token that clients must send; default: a random one. */
  token?: string;
  onProblem: (problem: Error) => void;
}

export interface HttpService {
  url: string;
  token: string;
  close(): Promise<void>;
}

/**
 * Serves clients on 127.0.0.1 over streamable HTTP: only with the token, and not for pages of other origins.
 * @throws ScratchpadError `usage` for a token that cannot be sent in a header, `environment` if the port is
 * not available
 */
export async function serveOverHttp(open: Open, pad: string, options: HttpOptions): Promise<HttpService> {
  const { onProblem } = options;
  const token = checkedToken(options.token) ?? randomBytes(24).toString('hex');
  const sessions = new HttpSessions((subscriptions) => mcpServer(open, subscriptions));
  // For clients of later protocols, and for calls without a session.
  const handler = createMcpHandler(() => mcpServer(open, new Set()), { onerror: onProblem });
  const server = createServer((request, response) => {
    serve(request, response, token, async (asked, body) => {
      return (await sessions.answer(asked, body)) ?? handler.fetch(asked, { parsedBody: body });
    }).catch((error: unknown) => {
      // It is no error of ours if the client has disconnected.
      if (response.destroyed) return;
      onProblem(error instanceof Error ? error : new Error(String(error)));
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(ioError(error, 'cannot listen on', `127.0.0.1:${options.port}`)));
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const stopWatching = watchPad(pad, (uri) => {
    handler.notify.resourceUpdated(uri);
    sessions.announce(uri, onProblem);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    token,
    close: async () => {
      stopWatching();
      await sessions.close();
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  handle: (request: Request, body: unknown) => Promise<Response>,
): Promise<void> {
  const refused = refuse(request, token);
  if (refused) {
    response.writeHead(refused.status, { 'content-type': 'text/plain' }).end(`${refused.why}\n`);
    return;
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const answer = await answerTo(request, gone.signal, handle);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  // A stream of changes may be silent for long, so its headers are sent at once.
  response.flushHeaders();
  if (answer.body) await pipeline(Readable.fromWeb(answer.body as ReadableStream), response);
  else response.end();
}

async function answerTo(
  request: IncomingMessage,
  signal: AbortSignal,
  handle: (request: Request, body: unknown) => Promise<Response>,
): Promise<Response> {
  const asked = asRequest(request, signal);
  if (request.method !== 'POST') return handle(asked, undefined);
  const bytes = await readBody(request);
  if (bytes === undefined) return refusal(413, `a request has at most ${MOST_BODY >> 20} MB`);
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    return refusal(400, 'the body is not JSON', -32700);
  }
  return handle(asked, body);
}

/** @returns `undefined` if it is too long; the rest is read and dropped, so that the client gets the error */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MOST_BODY) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve(undefined);
      }
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the client went away')));
  });
}

/**
 * A web page can send requests here too: from its origin, or through a host name that resolves to this
 * address.
 */
function refuse(
  { headers, url = '' }: IncomingMessage,
  token: string,
): { status: number; why: string } | undefined {
  if (!validateHostHeader(headers.host, localhostAllowedHostnames()).ok)
    return { status: 403, why: 'unknown host' };
  if (headers.origin !== undefined && !validateOriginHeader(headers.origin, localhostAllowedOrigins()).ok) {
    return { status: 403, why: 'unknown origin' };
  }
  if (!sameToken(headers.authorization, `Bearer ${token}`))
    return { status: 401, why: 'the token is missing or wrong' };
  if (url.split('?')[0] !== '/mcp') return { status: 404, why: 'the address is /mcp' };
  return undefined;
}

function sameToken(given: string | undefined, expected: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** @throws ScratchpadError `usage` */
function checkedToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new ScratchpadError('usage', 'no client can send this token', {
    where: '--token',
    expected: 'ASCII letters, digits and signs, without spaces',
  });
}

/** The request without its body, which is passed on parsed. */
function asRequest(
  { headers: given, method = 'GET', url = '/' }: IncomingMessage,
  signal: AbortSignal,
): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  return new Request(`http://${given.host ?? '127.0.0.1'}${url}`, { method, headers, signal });
}
