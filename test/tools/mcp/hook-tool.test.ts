import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, expect, test } from 'vitest';
import { minimalEnv } from '../../helpers/run-cli.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

const PROGRAM = join(import.meta.dirname, '../../../bin/scratchpad.js');
const open: Client[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function connect(cwd: string, ...args: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...args],
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
  const other = await runWarm(['hook', 'claude-code', 'UserPromptSubmit'], { cwd, input });
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

test("a subagent's calls of our tools go to its own notepad, and its parent hears of them", async () => {
  const cwd = await workspace();
  const client = await connect(cwd);
  const note = (content: string, meta?: Record<string, unknown>) =>
    client.callTool({
      name: 'session_scratchpad',
      arguments: { action: 'append_notes', content },
      ...(meta && { _meta: meta }),
    });
  await hook(client, 'UserPromptSubmit', { prompt: 'find the leak', source: 'user' });
  await runWarm(['hook', 'claude-code', 'SubagentStart'], {
    cwd,
    input: JSON.stringify({ hook_event_name: 'SubagentStart', session_id: 's1', cwd, agent_id: 'a7' }),
  });
  expect(await hook(client, 'PreToolUse', { tool_use_id: 'call-1', agent_id: 'a7' })).toBe('{}');
  expect(await hook(client, 'PreToolUse', { tool_use_id: 'call-2' })).toBe('{}');
  await note('of the child', { 'claudecode/toolUseId': 'call-1' });
  await note('of the parent', { 'claudecode/toolUseId': 'call-2' });
  const notes = async (...session: string[]) => (await runWarm(['notes', ...session], { cwd })).stdout;
  expect(await notes()).toBe('of the parent\n');
  expect(await notes('-s', 'a7')).toBe('of the child\n');
  const told = await hook(client, 'PostToolUse', { tool_name: 'Task', tool_response: '{}' });
  expect(contextOf(told)).toContain('Subagent a7 noted: of the child');
  // Codex names the thread at each call.
  await note('of its child', { threadId: 'thread-2' });
  await note('of itself', { threadId: 's1' });
  expect(await notes()).toBe('of the parent\nof itself\n');
  expect(await notes('-s', 'thread-2')).toBe('of its child\n');
});

test.each([['.'], ['other']])(
  'the workspace that the server was given counts for hooks, too: %s',
  async (named) => {
    const cwd = await workspace();
    mkdirSync(join(cwd, 'child/other'), { recursive: true });
    const client = await connect(join(cwd, 'child'), '--workspace', named);
    const prompt = { prompt: 'find the leak', cwd: join(cwd, 'child') };
    expect(await hook(client, 'UserPromptSubmit', prompt)).toBe('{}');
    const change = async (args: object): Promise<unknown> =>
      (await client.callTool({ name: 'session_scratchpad', arguments: { ...args } })).content;
    expect(JSON.stringify(await change({ action: 'show' }))).not.toContain('Find the leak');
    await change({ action: 'set_plan', content: '1. Paint it' });
    expect(contextOf(await hook(client, 'UserPromptSubmit', prompt))).toContain('1. Paint it');
  },
);
