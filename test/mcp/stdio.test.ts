import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, test } from 'vitest';
import { minimalEnv, runCli } from '../helpers/run-cli.ts';
import { testDir } from '../helpers/test-dir.ts';
import { callEverything, TOOL_NAMES } from './calls.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/scratchpad.js');
const open: Client[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function connect(cwd: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], cwd, env: minimalEnv() }),
  );
  open.push(client);
  return client;
}

describe('MCP on stdio', () => {
  test('a real client lists every tool, each with a schema, and calls every one', async () => {
    const client = await connect(testDir({ 'MEMORY.md': '- The cluster config lives in ~/.kube/lab\n' }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
    for (const tool of tools)
      expect(tool).toMatchObject({ inputSchema: { type: 'object' }, description: expect.any(String) });
    await callEverything(client);
  });

  test('a refusal is a result that says so', async () => {
    const client = await connect(testDir());
    const refused = await client.callTool({
      name: 'scratchpad_read',
      arguments: { name: '../../etc/passwd' },
    });
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent).toMatchObject({ error: { kind: 'refused' } });
    const invalid = await client.callTool({ name: 'scratchpad_read', arguments: { name: 'x', regex: '(' } });
    expect(invalid.content).toMatchObject([{ text: expect.stringContaining('not a regular expression') }]);
    const unknown = await client.callTool({ name: 'nope', arguments: {} }).catch((error: unknown) => error);
    expect(JSON.stringify(unknown)).not.toContain('"isError":false');
  });

  test('resources, prompts, and a change made outside is announced', async () => {
    const cwd = testDir();
    await runCli(['notes', 'set', 'before'], { cwd });
    const client = await connect(cwd);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'scratchpad://current',
      'scratchpad://state',
      'sentiment://state',
      'sentiment://strategy',
    ]);
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents[0]?.uri).toBe(uri);
    }
    await expect(client.readResource({ uri: 'scratchpad://other' })).rejects.toThrow();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['checkpoint', 'resume']);
    const resumed = await client.getPrompt({ name: 'resume' });
    expect(JSON.stringify(resumed.messages)).toContain('before');

    const told = new Promise<string>((resolve) => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri));
    });
    await client.subscribeResource({ uri: 'scratchpad://current' });
    await runCli(['notes', 'set', 'after'], { cwd });
    expect(await told).toBe('scratchpad://current');
    const { contents } = await client.readResource({ uri: 'scratchpad://current' });
    expect(JSON.stringify(contents)).toContain('after');
  });

  test('several clients at once on one workspace: nothing is lost', async () => {
    const cwd = testDir();
    const clients = await Promise.all([connect(cwd), connect(cwd), connect(cwd)]);
    await Promise.all(
      clients.flatMap((client, k) =>
        Array.from({ length: 4 }, (_, n) =>
          client.callTool({
            name: 'session.scratchpad',
            arguments: { action: 'append_notes', content: `line ${k}${n}` },
          }),
        ),
      ),
    );
    const { stdout } = await runCli(['notes', 'show'], { cwd });
    expect(stdout.trim().split('\n').length).toBe(12);
  });

  test('ends when stdin ends, and says nothing on stdout but protocol', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'mcp'], { cwd: testDir(), env: minimalEnv() });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      child.stdin.end();
    });
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } } })}\n`,
    );
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect(code).toBe(0);
    for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });
});
