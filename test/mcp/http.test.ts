import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request as rawRequest } from 'node:http';
import { join } from 'node:path';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test } from 'vitest';
import { minimalEnv, runCli } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { callEverything, GENERATIONS, TOOL_NAMES, toldOf } from './calls.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/scratchpad.js');
const running: ChildProcess[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  }
});

interface Service {
  cwd: string;
  url: string;
  authorization: string;
  /** What the server says on stderr. */
  said: () => string;
}

async function serve(files: Record<string, string> = {}): Promise<Service> {
  const cwd = testDir(files);
  const child = spawn(process.execPath, [PROGRAM, 'mcp', '--http'], { cwd, env: minimalEnv() });
  running.push(child);
  let text = '';
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (/Bearer \w+\n/.test(text)) resolve();
    });
  });
  const url = /http:\S+/.exec(text)?.[0] ?? '';
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  return { cwd, url, authorization: /Bearer \w+/.exec(text)?.[0] ?? '', said: () => text };
}

test('what it says at the start is what docs/mcp.md shows', async () => {
  const [, shown] =
    /^\$ scratchpad mcp --http 7333\n([\s\S]*?)```/m.exec(
      readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8'),
    ) ?? [];
  const { said } = await serve();
  expect(
    said()
      .replace(/:\d+\//, ':7333/')
      .replace(/(Bearer )\w+/, '$10b53…'),
  ).toBe(shown);
});

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

/** One POST; `Host` can be chosen here, which `fetch` does not allow. */
function post(
  { url, authorization }: Service,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  return new Promise((resolve, reject) => {
    const accept = 'application/json, text/event-stream';
    const all = { 'content-type': 'application/json', accept, authorization, ...headers };
    const sent = rawRequest(url, { method: 'POST', headers: all }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function connect({ url, authorization }: Service, client: Client): Promise<void> {
  return client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }),
  );
}

describe.each(GENERATIONS)('MCP over HTTP, a client of %s', (_, newClient) => {
  test('lists every tool and calls every one', async () => {
    const service = await serve({ 'MEMORY.md': '- The cluster config lives in ~/.kube/lab\n' });
    const client = newClient();
    await connect(service, client);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
    await callEverything(client);
    await client.close();
  });

  test('is told when another process changes the pad', async () => {
    const service = await serve();
    await runWarm(['notes', 'set', 'before'], { cwd: service.cwd });
    const clients = [newClient(), newClient()];
    for (const client of clients) await connect(service, client);
    const told = await Promise.all(clients.map((client) => toldOf(client, 'scratchpad://current')));
    await runWarm(['notes', 'set', 'after'], { cwd: service.cwd });
    expect(await Promise.all(told.map((each) => each()))).toEqual(clients.map(() => 'scratchpad://current'));
    for (const client of clients) {
      const { contents } = await client.readResource({ uri: 'scratchpad://current' });
      expect(JSON.stringify(contents)).toContain('after');
      await client.close();
    }
  });
});

describe('MCP over HTTP: who is let in', () => {
  test('only requests with the token', async () => {
    const service = await serve();
    expect((await post(service, PING)).status).toBe(200);
    for (const authorization of ['', 'Bearer', 'Bearer x', `${service.authorization}x`, 'Basic eDp4']) {
      const refused = await post(service, PING, { authorization });
      expect([refused.status, refused.text]).toEqual([401, 'the token is missing or wrong\n']);
    }
    const { authorization } = service;
    const elsewhere = await fetch(service.url.replace('/mcp', '/other'), { headers: { authorization } });
    expect(elsewhere.status).toBe(404);
  });

  test('no page of another origin, and none under a name that leads here', async () => {
    const service = await serve();
    const { port } = new URL(service.url);
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', '0.0.0.0']) {
      expect((await post(service, PING, { host })).status, host).not.toBe(200);
    }
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://']) {
      expect((await post(service, PING, { origin })).status, origin).toBe(403);
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      expect((await post(service, PING, { host, origin: `http://${host}` })).status).toBe(200);
    }
  });

  test.each([
    [['--http', '65536'], 2, 'a whole number from 0 to 65535'],
    [['--http', 'x'], 2, 'a whole number from 0 to 65535'],
    [['--http', '--token', 'größer'], 2, 'no client can send this token'],
    [['--http', '--token', 'a b'], 2, 'no client can send this token'],
  ])('what cannot be served is said at once: %j', async (args, code, says) => {
    const done = await runCli(['mcp', ...args], { cwd: testDir() });
    expect([done.exitCode, done.stderr]).toEqual([code, expect.stringContaining(says)]);
  });

  test('a port that is in use', async () => {
    const service = await serve();
    const done = await runCli(['mcp', '--http', new URL(service.url).port], { cwd: service.cwd });
    expect([done.exitCode, done.stderr]).toEqual([3, expect.stringContaining('cannot listen on')]);
  });
});

describe('MCP over HTTP: what is sent', () => {
  test('what is not a call is refused as the protocol demands, and the next call is answered', async () => {
    const service = await serve();
    const codes = [];
    for (const body of ['{bad', '', 'null', '[]', '"x"', '{"jsonrpc":"1.0"}', Buffer.from([0xff, 0xfe])]) {
      const { status, text } = await post(service, body);
      const { error } = JSON.parse(text) as { error: { code: number } };
      codes.push([status, error.code]);
    }
    expect(codes).toEqual([
      [400, -32700],
      [400, -32700],
      [400, -32600],
      [400, -32600],
      [400, -32600],
      [400, -32600],
      [400, -32700],
    ]);
    expect((await post(service, PING, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(service, PING, { accept: 'text/html' })).status).toBe(406);
    expect((await post(service, PING)).status).toBe(200);
  });

  test('more than 16 MB is refused, with its length announced and without; less is taken', async () => {
    const service = await serve();
    const call = (size: number): string =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'scratchpad_write', arguments: { name: 'x', content: 'x'.repeat(size) } },
      });
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }] as Record<string, string>[]) {
      const { status, text } = await post(service, call(17_000_000), headers);
      expect([status, text]).toEqual([413, expect.stringContaining('at most 16 MB')]);
    }
    const taken = await post(service, call(15_000_000));
    expect(taken.text).toContain('15,000,000 characters');
  });

  test('a session that is not there, one that is ended, and the oldest of very many', async () => {
    const service = await serve();
    const begin = async (): Promise<string> =>
      String((await post(service, JSON.stringify(initialize))).headers['mcp-session-id']);
    const [first, other] = [await begin(), await begin()];
    const ping = async (id: string): Promise<number> =>
      (await post(service, PING, { 'mcp-session-id': id })).status;
    expect([await ping('nope'), await ping(first), await ping(other)]).toEqual([404, 200, 200]);
    const { authorization } = service;
    const headers = { authorization, 'mcp-session-id': other };
    expect((await fetch(service.url, { method: 'DELETE', headers })).status).toBe(200);
    expect([await ping(other), await ping(first)]).toEqual([404, 200]);
    for (let n = 0; n < 63; n += 1) await begin();
    expect(await ping(first)).toBe(200);
    for (let n = 0; n < 64; n += 1) await begin();
    expect(await ping(first)).toBe(404);
  });

  test('clients that go away in the middle of a call, or of a stream, leave nothing on stderr', async () => {
    const service = await serve();
    const begun = await post(service, JSON.stringify(initialize));
    const { authorization } = service;
    const stop = new AbortController();
    const stream = await fetch(service.url, {
      headers: {
        authorization,
        accept: 'text/event-stream',
        'mcp-session-id': String(begun.headers['mcp-session-id']),
      },
      signal: stop.signal,
    });
    expect(stream.status).toBe(200);
    stop.abort();
    for (let n = 0; n < 5; n += 1) {
      const half = rawRequest(service.url, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'content-length': '100' },
      });
      half.on('error', () => undefined);
      half.write('{"jsonrpc"');
      await new Promise((resolve) => setTimeout(resolve, 20));
      half.destroy();
    }
    expect((await post(service, PING)).status).toBe(200);
    expect(service.said()).not.toContain('mcp:');
  });
});
