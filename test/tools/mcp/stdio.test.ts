import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { Client, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { minimalEnv } from '../../helpers/run-cli.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';
import { callEverything, GENERATIONS, TOOL_NAMES } from './calls.ts';

const PROGRAM = join(import.meta.dirname, '../../../bin/scratchpad.js');
const open: Client[] = [];
/** Without those of the notepad, which is the notes by another name. */
const USUAL = TOOL_NAMES.filter((name) => !name.endsWith('_notepad'));

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

/** A server in this process, on the other end of two streams. */
class Warm implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  readonly #stdin = new PassThrough();
  readonly #ended: Promise<unknown>;

  constructor(cwd: string, options: string[], unset: string[] = []) {
    const stdout = new PassThrough();
    const env = Object.fromEntries(unset.map((name) => [name, '']));
    this.#ended = runWarm(['mcp', ...options], { cwd, env, stdin: this.#stdin, stdout });
    createInterface({ input: stdout }).on('line', (line) => this.onmessage?.(JSON.parse(line)));
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#stdin.end();
    await this.#ended;
    this.onclose?.();
  }
}

test('a list of messages is answered with an error, and what comes after it is served', async () => {
  const cwd = testDir();
  const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const ended = runWarm(['mcp'], { cwd, stdin, stdout });
  const answers: { id: number | null; error?: object }[] = [];
  createInterface({ input: stdout }).on('line', (line) => answers.push(JSON.parse(line)));
  const lines = [ping(1), [ping(2), ping(3)], ping(4)].map((each) => `${JSON.stringify(each)}\n`);
  stdin.end(lines.join(''));
  await ended;
  const list = answers.find(({ id }) => id === null);
  expect(list?.error).toMatchObject({ code: -32_600 });
  expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 4, null]);
});

async function connect(
  cwd: string,
  client = new Client({ name: 'test', version: '1' }),
  ...options: string[]
): Promise<Client> {
  await client.connect(new Warm(cwd, options));
  open.push(client);
  return client;
}

/** The same in a process of its own. */
async function connectProcess(cwd: string, client: Client, ...options: string[]): Promise<Client> {
  const args = [PROGRAM, 'mcp', ...options];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env: minimalEnv() }));
  open.push(client);
  return client;
}

let shared: Promise<Client> | undefined;
/** One client for the tests that do not mind what others of them do. */
const anyClient = (): Promise<Client> => {
  shared ??= connect(testDir()).then((client) => {
    open.splice(open.indexOf(client), 1);
    return client;
  });
  return shared;
};
afterAll(async () => (await shared)?.close());

/** A server with the test on its other end; what it says, line by line. */
function server(cwd: string, args: string[] = []) {
  const child = spawn(process.execPath, [PROGRAM, 'mcp', ...args], { cwd, env: minimalEnv() });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const send = (message: object | string): void => {
    child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  };
  const lines = (): Record<string, unknown>[] =>
    said.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { child, said, ended, send, lines };
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

describe.each(GENERATIONS)('MCP on stdio, a client of %s', (_, newClient) => {
  test('lists every tool if asked, each with a schema, and calls every one', async () => {
    const cwd = testDir({ 'MEMORY.md': '- The cluster config lives in ~/.kube/lab\n' });
    const client = await connectProcess(cwd, newClient(), '--all-tools');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
    for (const tool of tools)
      expect(tool).toMatchObject({ inputSchema: { type: 'object' }, description: expect.any(String) });
    expect(
      tools.flatMap(({ name, annotations }) => (annotations?.readOnlyHint === true ? [name] : [])),
    ).toEqual(['scratchpad_read', 'scratchpad_list', 'memory_search', 'read_notepad']);
    await callEverything(client);
  });
});

describe('MCP on stdio', () => {
  test('an error is a result that is marked as one', async () => {
    const client = await anyClient();
    const refused = await client.callTool({
      name: 'scratchpad_read',
      arguments: { name: '../../etc/passwd' },
    });
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent).toMatchObject({ error: { kind: 'refused' } });
    const { tools } = await client.listTools();
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint !== false);
    expect(destructive.map(({ name }) => name)).toEqual(['scratchpad_delete']);
    const invalid = await client.callTool({ name: 'scratchpad_read', arguments: { name: 'x', regex: '(' } });
    expect(invalid.content).toMatchObject([
      { text: expect.stringContaining('not a valid regular expression') },
    ]);
    const unknown = await client.callTool({ name: 'nope', arguments: {} }).catch((error: unknown) => error);
    expect(JSON.stringify(unknown)).not.toContain('"isError":false');
  });

  test('steps may be written as models write them', async () => {
    const cwd = testDir();
    const client = await connect(cwd);
    const call = async (args: Record<string, unknown>) =>
      (await client.callTool({ name: 'session.scratchpad', arguments: args })) as {
        isError?: boolean;
        content: unknown;
      };
    await call({ action: 'set_plan', content: '1. a\n2. b\n3. c\n4. d' });
    for (const steps of [['1'], 2, '3', '[4]'])
      expect((await call({ action: 'plan.done', steps })).isError).toBeFalsy();
    expect((await runWarm(['plan', 'show'], { cwd })).stdout.match(/DONE/g)).toHaveLength(4);
    await call({ action: 'plan.undone', steps: '2-3' });
    expect((await runWarm(['plan', 'show'], { cwd })).stdout.match(/DONE/g)).toHaveLength(2);
    for (const steps of ['two', [1.5], '3-1', [[]], [null], { a: 1 }])
      expect(await call({ action: 'plan.undone', steps })).toMatchObject({ isError: true });
  });

  test('the tools of the designs are offered, within the tokens that they may take; the others can be called', async () => {
    const client = await anyClient();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(USUAL);
    const told = JSON.stringify(
      tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    );
    expect(encode(told).length).toBeLessThanOrEqual(800);
    expect(encode(client.getInstructions() ?? '').length).toBeLessThan(70);
    const [pad] = tools;
    expect(pad?.description).toContain('Shown by hosts with hooks at the start and after a compaction');
    expect(pad?.description).toContain(
      'plan: 2,000 characters; notes: 4,000, or 2,000 tokens without action; refs: 50 items',
    );
    expect(pad?.description).not.toContain('each message');
    const called = await client.callTool({
      name: 'write_notepad',
      arguments: { content: 'x' },
    });
    expect(called.isError).toBeFalsy();
    for (const name of ['session_scratchpad', 'session.scratchpad'])
      expect((await client.callTool({ name, arguments: { action: 'show' } })).isError).toBeFalsy();
  });

  test('a setting offers every tool; where the scratchpad is off, its instructions are gone with it', async () => {
    const every = await connect(testDir({ '.scratchpad/config.yaml': 'mcp:\n  allTools: on\n' }));
    expect((await every.listTools()).tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
    expect(every.getInstructions()).toContain('SCRATCHPAD.md');
    const cwd = testDir({ '.scratchpad/config.yaml': 'scratchpad:\n  enabled: off\n' });
    const off = await connect(cwd);
    expect((await off.listTools()).tools.map(({ name }) => name)).toEqual(USUAL.slice(1));
    expect(off.getInstructions()).toBeUndefined();
    expect(await runWarm(['guidance', '--tools'], { cwd })).toMatchObject({ stdout: '', exitCode: 0 });
    const call = { name: 'session_scratchpad', arguments: { content: 'x' } };
    expect((await off.callTool(call)).isError).toBe(true);
  });

  test('an error advises only tools that are offered', async () => {
    const tooLong = { operation: 'append', content: 'x'.repeat(4001) };
    const refusal = async (config: string): Promise<string> => {
      const client = await connect(testDir({ '.scratchpad/config.yaml': config }));
      return JSON.stringify(await client.callTool({ name: 'update_notepad', arguments: tooLong }));
    };
    expect(await refusal('limits:\n  notes: 4000\n')).toContain('session_scratchpad with action set_notes');
    const off = await refusal('scratchpad:\n  enabled: off\n');
    expect(off).toContain('would exceed the notes limit');
    expect(off).not.toContain('session_scratchpad');
  });

  test('where there is no pad, a refused write says what to do', async () => {
    const cwd = testDir();
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new Warm(cwd, [], ['SCRATCHPAD_INIT']));
    open.push(client);
    const writes: [string, Record<string, unknown>][] = [
      ['session.scratchpad', { action: 'set_plan', content: '1. a' }],
      ['session.scratchpad', { action: 'plan.done' }],
      ['session.scratchpad', { action: 'refs.add', ref: 'a' }],
      ['session.scratchpad', { content: 'a' }],
      ['write_notepad', { content: 'a' }],
      ['scratchpad_write', { name: 'a', content: 'a' }],
    ];
    for (const [name, args] of writes) {
      const { isError, content } = await client.callTool({ name, arguments: args });
      expect([name, args, isError]).toEqual([name, args, true]);
      expect(JSON.stringify(content)).toContain('next:     ask the person to run `scratchpad init`');
    }
  });

  test('where there is no pad, the first write makes one in the folder that the client names', async () => {
    const [cwd, root] = [testDir(), testDir()];
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } });
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(root).href }] }));
    await client.connect(new Warm(cwd, [], ['SCRATCHPAD_INIT']));
    open.push(client);
    const call = (args: Record<string, unknown>) =>
      client.callTool({ name: 'session_scratchpad', arguments: args });
    await call({ action: 'show' });
    expect([readdirSync(cwd), readdirSync(root)]).toEqual([[], []]);
    await call({ action: 'append_notes', content: 'found it' });
    expect([readdirSync(cwd), readdirSync(root)]).toEqual([[], ['.scratchpad', 'SCRATCHPAD.md']]);
    expect(JSON.stringify((await call({ action: 'show' })).content)).toContain('found it');
  });

  test('a client that names no folder: in the repository that the server was started in, else the error says how', async () => {
    const [repository, other] = [testDir({ '.git/HEAD': 'ref: refs/heads/main\n', 'src/': '' }), testDir()];
    const noted = async (cwd: string, ...options: string[]): Promise<string> => {
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new Warm(cwd, options, ['SCRATCHPAD_INIT']));
      open.push(client);
      const call = { action: 'append_notes', content: 'found it' };
      return JSON.stringify((await client.callTool({ name: 'session_scratchpad', arguments: call })).content);
    };
    expect(await noted(join(repository, 'src'))).toContain('notes: 8 of');
    expect(readdirSync(repository).sort()).toEqual(['.git', '.scratchpad', 'SCRATCHPAD.md', 'src']);
    expect(await noted(other)).toMatch(/--workspace DIR or --init/);
    expect(readdirSync(other)).toEqual([]);
    expect(await noted(other, '--init')).toContain('notes: 8 of');
  });

  test('an unknown tool: the names of those that are offered', async () => {
    const client = await anyClient();
    const { content } = await client.callTool({ name: 'session_notes', arguments: {} });
    expect(JSON.stringify(content)).toContain(`expected: ${USUAL.join(', ')}\\n`);
  });

  test('several clients at once on one workspace: nothing is lost', async () => {
    const cwd = testDir();
    const clients = await Promise.all(
      ['a', 'b', 'c'].map((name) => connectProcess(cwd, new Client({ name, version: '1' }))),
    );
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
    const { stdout } = await runWarm(['notes', 'show'], { cwd });
    expect(stdout.trim().split('\n').length).toBe(12);
  });

  test('a client whose host names no session undoes its own changes, and no other client’s', async () => {
    const cwd = testDir();
    const [first, second] = await Promise.all([connect(cwd), connect(cwd)]);
    const call = async (client: Client, action: string, content?: string): Promise<string> => {
      const done = await client.callTool({ name: 'session_scratchpad', arguments: { action, content } });
      return JSON.stringify(done.content);
    };
    await call(first, 'append_notes', 'from the first');
    await call(second, 'append_notes', 'from the second');
    expect(await call(first, 'undo')).toContain('from the first');
    expect(await call(first, 'undo')).toContain('nothing to undo');
    expect((await runWarm(['notes'], { cwd })).stdout).toBe('from the second\n');
  });

  test('ends when stdin ends, answers what was asked before, and says nothing on stdout but protocol', async () => {
    const { child, ended, send, lines } = server(testDir());
    send(INITIALIZE);
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'write_notepad', arguments: { content: 'last words' } },
    });
    child.stdin.end();
    expect(await ended).toBe(0);
    expect(lines().map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual([
      ['2.0', 0],
      ['2.0', 1],
    ]);
  });

  test('a broken configuration and a damaged pad are reported on stderr or in the answer, never between answers', async () => {
    const cwd = testDir({
      '.scratchpad/config.yaml': 'ttl: [\nnonsense: 7\n',
      'SCRATCHPAD.md': '---\nscratchpad: 1\n: :\n---\n## Notes\n<!-- scratchpad:notes -->\nkept\n',
    });
    const { child, ended, send, lines, said } = server(cwd);
    send(INITIALIZE);
    send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_notepad' } });
    send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'scratchpad_list' } });
    child.stdin.end();
    expect(await ended).toBe(0);
    expect(
      lines()
        .map(({ id }) => Number(id))
        .sort(),
    ).toEqual([0, 1, 2]);
    expect(said.stdout).toContain('kept');
    expect(said.stderr).toContain('config.yaml');
  });

  test('what is no message does not end it', async () => {
    const { child, ended, send, lines, said } = server(testDir());
    for (const noise of [
      '',
      'hello',
      '{bad',
      'null',
      '[]',
      '{"jsonrpc":"1.0"}',
      '\0\0',
      '{"id":'.repeat(1000),
    ])
      send(noise);
    child.stdin.write(Buffer.from([0xff, 0xfe, 0x0a]));
    send(INITIALIZE);
    send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'scratchpad_list', arguments: 7 } });
    send({ jsonrpc: '2.0', id: 8, method: 'no/such' });
    send({ jsonrpc: '2.0', id: 9, method: 'ping' });
    child.stdin.end();
    expect(await ended).toBe(0);
    expect(said.stderr).toContain('mcp: a line on stdin is ignored: expected a JSON-RPC message');
    expect(said.stderr).not.toContain('invalid_union');
    const answers = new Map(lines().map((line) => [line.id, line]));
    expect(answers.get(0)).toHaveProperty('result.serverInfo.name', 'scratchpad');
    expect(answers.get(7)).toHaveProperty('error');
    expect(answers.get(8)).toHaveProperty('error.code', -32601);
    expect(answers.get(9)).toHaveProperty('result');
  });

  test('a message that is too long is left out, with the reason on stderr, and the next is answered', async () => {
    const { child, ended, said, send, lines } = server(testDir());
    const chunk = Buffer.alloc(1 << 20, 'x');
    child.stdin.on('error', () => undefined);
    for (let n = 0; n < 70; n += 1) child.stdin.write(chunk);
    child.stdin.write('\n');
    send(INITIALIZE);
    child.stdin.end();
    expect(await ended).toBe(0);
    expect(said.stderr.match(/a message of over 64 MB/g)).toHaveLength(1);
    expect(lines()).toMatchObject([{ id: 0, result: { serverInfo: { name: 'scratchpad' } } }]);
  });

  test('a content of 4 MB goes in and comes out in pieces', async () => {
    const client = await connect(testDir());
    const content = 'größer 🦀\n'.repeat(300_000);
    await client.callTool({ name: 'scratchpad_write', arguments: { name: 'big', content } });
    const piece = await client.callTool({
      name: 'scratchpad_read',
      arguments: { name: 'big', offset: 2_699_991, limit: 9 },
    });
    expect(piece.content).toMatchObject([{ text: 'größer 🦀\n' }]);
  });
});
