import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, expect, test } from 'vitest';
import { minimalEnv, runCli } from '../../helpers/run-cli.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

const PROGRAM = join(import.meta.dirname, '../../../bin/scratchpad.js');
const open: Client[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function connect(cwd: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp'],
    cwd,
    env: minimalEnv(),
  });
  await client.connect(transport);
  open.push(client);
  return client;
}

/** What the host gets for one event: every field a string, empty where it had none, as its placeholders give it. */
async function hook(client: Client, event: string, more: Record<string, string> = {}): Promise<string> {
  const input = { event, session_id: 's1', transcript_path: '', agent_id: '', source: '', ...more };
  const { content } = await client.callTool({ name: 'hook', arguments: input });
  const [block] = content as { type: string; text: string }[];
  return block?.text ?? '';
}

const contextOf = (text: string): string =>
  (JSON.parse(text) as { hookSpecificOutput?: { additionalContext?: string } }).hookSpecificOutput
    ?.additionalContext ?? '';

async function workspace(): Promise<string> {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. Find the leak\n2. Test it'], { cwd });
  return cwd;
}

test('hooks are answered in the server of the host, by a tool that no list names', async () => {
  const cwd = await workspace();
  const client = await connect(cwd);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain('hook');
  const first = contextOf(await hook(client, 'UserPromptSubmit', { prompt: 'find the leak', cwd }));
  expect(first).toContain('1. Find the leak');
  expect(await hook(client, 'UserPromptSubmit', { prompt: 'go on', cwd })).toBe('{}');
  // Another process, as the command hook of the same session is, knows what was said here.
  const input = JSON.stringify({ session_id: 's1', cwd, prompt: 'go on' });
  const other = await runCli(['hook', 'claude-code', 'UserPromptSubmit'], { cwd, input });
  expect(other.stdout).toBe('');
});

test('what the agent changes by its own call is not told to it; what somebody else changes is', async () => {
  const cwd = await workspace();
  const client = await connect(cwd);
  await hook(client, 'UserPromptSubmit', { prompt: 'find the leak', cwd });
  await runWarm(['notes', 'append', 'the pool leaks "sockets"'], { cwd });
  const call = {
    tool_name: 'Bash',
    tool_input: JSON.stringify({ command: 'scratchpad notes append "the pool leaks \\"sockets\\""' }),
    tool_response: JSON.stringify({ stdout: 'notes: 1 line', stderr: '' }),
  };
  expect(await hook(client, 'PostToolUse', { ...call, cwd })).toBe('{}');
  expect(await hook(client, 'UserPromptSubmit', { prompt: 'go on', cwd })).toBe('{}');
  const pad = join(cwd, 'SCRATCHPAD.md');
  writeFileSync(pad, readFileSync(pad, 'utf8').replace('2. Test it', '2. Test it twice'));
  // The edit is adopted, and so journalled as a person's, by whatever command comes next.
  await runWarm(['refs', 'add', 'src/pool.ts'], { cwd });
  const news = contextOf(await hook(client, 'UserPromptSubmit', { prompt: 'go on', cwd }));
  expect(news).toContain('## Plan, changed by hand\n1. Find the leak\n2. Test it twice');
  expect(news).toContain('## Refs\n- src/pool.ts');
  expect(news).not.toContain('sockets');
});

test('two hooks of one session at once say each thing once; two sessions are told each their own', async () => {
  const cwd = await workspace();
  const client = await connect(cwd);
  const both = await Promise.all([
    hook(client, 'UserPromptSubmit', { prompt: 'a', cwd }),
    hook(client, 'UserPromptSubmit', { prompt: 'b', cwd, session_id: 's2' }),
  ]);
  for (const text of both) expect(contextOf(text)).toContain('1. Find the leak');
  const again = await Promise.all([
    hook(client, 'UserPromptSubmit', { prompt: 'a', cwd }),
    hook(client, 'Stop', { last_assistant_message: 'Done.', cwd }),
    hook(client, 'UserPromptSubmit', { prompt: 'b', cwd, session_id: 's2' }),
  ]);
  expect(again).toEqual(['{}', '{}', '{}']);
});

test('an unknown event, host or directory gets no answer', async () => {
  const cwd = await workspace();
  const client = await connect(cwd);
  expect(await hook(client, 'Unheard', { cwd })).toBe('{}');
  expect(await hook(client, 'UserPromptSubmit', { cwd, host: 'emacs' })).toBe('{}');
  expect(await hook(client, 'UserPromptSubmit', { cwd: testDir() })).toBe('{}');
});

test('Codex: values as they are, an output that looks like JSON is text, another thread is a spawned agent', async () => {
  const cwd = await workspace();
  const client = await connect(cwd);
  const ask = async (event: string, more: object, threadId = 's1'): Promise<string> => {
    const args = { host: 'codex', event, session_id: 's1', transcript_path: null, cwd, ...more };
    const { content } = await client.callTool({ name: 'hook', arguments: args, _meta: { threadId } });
    return (content as { text: string }[])[0]?.text ?? '';
  };
  expect(await ask('UserPromptSubmit', { prompt: 'look at the pool' }, 's2')).toBe('{}');
  expect(contextOf(await ask('UserPromptSubmit', { prompt: 'find the leak' }))).toContain('1. Find the leak');
  const output = JSON.stringify({ rows: 'x'.repeat(40_000) });
  const call = { tool_name: 'Bash', tool_input: { command: 'dump' }, tool_use_id: 'c1' };
  const said = JSON.parse(await ask('PostToolUse', { ...call, tool_response: output })) as {
    decision: string;
    reason: string;
  };
  expect(said.decision).toBe('block');
  expect(said.reason).toContain('execute_command_1');
  const { stdout } = await runWarm(['entry', 'read', 'execute_command_1', '--session', 's1', '--quiet'], {
    cwd,
  });
  expect(stdout.startsWith('{"rows":"xxx')).toBe(true);
  expect(await ask('PostToolUse', { ...call, tool_response: '42' })).toBe('{}');
  expect(await ask('Stop', { last_assistant_message: null })).toBe('{}');
});
