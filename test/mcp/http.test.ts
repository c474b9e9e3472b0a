import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { minimalEnv } from '../helpers/run-cli.ts';
import { testDir } from '../helpers/test-dir.ts';
import { callEverything, TOOL_NAMES } from './calls.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/scratchpad.js');

test('MCP over HTTP: with the token only, from no other origin or host name, every tool', async () => {
  const cwd = testDir({ 'MEMORY.md': '- The cluster config lives in ~/.kube/lab\n' });
  const child = spawn(process.execPath, [PROGRAM, 'mcp', '--http'], { cwd, env: minimalEnv() });
  try {
    const said = await new Promise<string>((resolve) => {
      let text = '';
      child.stderr.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (/Bearer \w+\n/.test(text)) resolve(text);
      });
    });
    const url = /http:\S+/.exec(said)?.[0] ?? '';
    const token = /Bearer (\w+)/.exec(said)?.[1] ?? '';
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);

    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const send = async (headers: Record<string, string>): Promise<number> => {
      const all = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      };
      return (await fetch(url, { method: 'POST', body, headers: all })).status;
    };
    const authorization = `Bearer ${token}`;
    expect(await send({})).toBe(401);
    expect(await send({ authorization: `${authorization}x` })).toBe(401);
    expect(await send({ authorization, origin: 'https://evil.example' })).toBe(403);
    expect((await fetch(url.replace('/mcp', '/other'), { headers: { authorization } })).status).toBe(404);

    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
    await callEverything(client);
    await client.close();
  } finally {
    const ended = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  }
});
