import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Report } from './report-data.ts';
import { renderMain, renderPage } from './report-page.ts';

/** The page asks each second (`templates/report/follow.js`). */
const READ_MS = 500;

/** The token in the path and the check of the host name keep other pages out, also by a domain name of their own. */
export async function serveReport(
  read: () => Promise<Report>,
  onListening: (address: string) => void,
): Promise<void> {
  const token = randomBytes(16).toString('hex');
  const readMain = keepFor(READ_MS, async () => renderMain(await read()));
  let host = '';

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.host !== host) return end(response, 403, 'wrong address');
    if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405, 'read only');
    if (request.url === `/${token}/`) return end(response, 200, renderPage(await read(), { live: true }));
    if (request.url !== `/${token}/main`) return end(response, 404, 'not found');

    const main = await readMain();
    const tag = `"${createHash('sha256').update(main).digest('base64')}"`;
    response.setHeader('etag', tag);
    end(response, request.headers['if-none-match'] === tag ? 304 : 200, main);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => end(response, 500, String(error)));
  });

  await new Promise<void>((listening, failed) => {
    server.on('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });

  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  onListening(`http://${host}/${token}/`);

  await new Promise((ended) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, ended);
  });
  server.close();
  server.closeAllConnections();
}

function end(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': status === 200 ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(status === 304 ? undefined : body);
}

/** The same promise for everybody who asks within `ms`. */
function keepFor<Value>(ms: number, make: () => Promise<Value>): () => Promise<Value> {
  let made: { at: number; value: Promise<Value> } | undefined;
  return () => {
    if (made === undefined || Date.now() - made.at > ms) made = { at: Date.now(), value: make() };
    return made.value;
  };
}
