import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Report } from './report-data.ts';
import { renderMain, renderPage } from './report-page.ts';

/** Serves the page until a signal. A token in the path and the check of the host name keep other pages out. */
export async function serveReport(
  read: () => Promise<Report>,
  onListening: (address: string) => void,
): Promise<void> {
  const token = randomBytes(16).toString('hex');
  let host = '';

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.host !== host) return end(response, 403, 'wrong address');
    if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405, 'read only');
    if (request.url === `/${token}/`) return end(response, 200, renderPage(await read(), { live: true }));
    if (request.url !== `/${token}/main`) return end(response, 404, 'not found');

    const main = renderMain(await read());
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
