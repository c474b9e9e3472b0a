import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { ioError } from '../session/files.ts';
import { mcpServer, type Open } from './server.ts';
import { watchPad } from './watch.ts';

export interface HttpOptions {
  /** 0 for any that is free. */
  port: number;
  /** What clients must send as bearer token; a random one unless given. */
  token?: string;
  onProblem: (problem: Error) => void;
}

export interface HttpService {
  url: string;
  token: string;
  close(): Promise<void>;
}

/** Serves clients on 127.0.0.1 over streamable HTTP: only with the token, and from no page of another origin. */
export async function serveOverHttp(open: Open, pad: string, options: HttpOptions): Promise<HttpService> {
  const token = options.token ?? randomBytes(24).toString('hex');
  const handler = createMcpHandler(() => mcpServer(open, new Set()), { onerror: options.onProblem });
  const server = createServer((request, response) => {
    serve(request, response, token, handler.fetch).catch((error: unknown) => {
      options.onProblem(error instanceof Error ? error : new Error(String(error)));
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(ioError(error, 'cannot listen on', `127.0.0.1:${options.port}`)));
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const stopWatching = watchPad(pad, (uri) => handler.notify.resourceUpdated(uri));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    token,
    close: async () => {
      stopWatching();
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
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const refusal = refuse(request, token);
  if (refusal) {
    response.writeHead(refusal.status, { 'content-type': 'text/plain' }).end(`${refusal.why}\n`);
    return;
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const answer = await handle(asRequest(request, gone.signal));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) {
    const body = Readable.fromWeb(answer.body as ReadableStream);
    body.once('error', () => response.end());
    body.pipe(response);
  } else response.end();
}

/** A page in a browser can send requests here too: by its origin, or under a name that leads here. */
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

function asRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'DELETE';
  return new Request(`http://${request.headers.host ?? '127.0.0.1'}${request.url ?? '/'}`, {
    method: request.method ?? 'GET',
    headers,
    signal,
    ...(hasBody
      ? { body: Readable.toWeb(request) as unknown as NonNullable<RequestInit['body']>, duplex: 'half' }
      : {}),
  } as RequestInit);
}
