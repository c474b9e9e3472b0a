import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/scratchpad.js');
const LONG = 'a line of it\n'.repeat(4000);
const OURS = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' };
const ANOTHER = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's2' };
const NAME = 'execute_command_1';

/** A workspace with an output that was kept for the session `s1` of a host. */
async function withOutput(command = 'make'): Promise<string> {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. Find the leak'], { cwd });
  const response = { stdout: LONG, stderr: '', interrupted: false, isImage: false };
  const called = { tool_name: 'Bash', tool_input: { command }, tool_response: response };
  const input = JSON.stringify({ session_id: 's1', cwd, ...called });
  await runWarm(['hook', 'claude-code', 'PostToolUse'], { cwd, input });
  return cwd;
}

test('an output kept for a session is read-only for the agents of others', async () => {
  const cwd = await withOutput();
  const entry = (env: Record<string, string>, ...args: string[]) =>
    runWarm(['entry', ...args, '--session', 's1'], { cwd, env });
  const changes = [
    ['edit', NAME, '--content', 'changed'],
    ['edit', NAME, '--old', 'a line', '--new', 'no line', '--all'],
    ['write', NAME, 'changed'],
    ['write', NAME, 'more', '--append'],
    ['rename', NAME, 'mine'],
    ['delete', NAME],
    ['delete', NAME, '--for-good'],
  ];
  for (const change of changes) {
    const { exitCode, stderr } = await entry(ANOTHER, ...change);
    expect([change, exitCode]).toEqual([change, 1]);
    expect(stderr).toContain(`${NAME}, kept for session s1`);
    expect(stderr).toContain(
      `scratchpad entry read "${NAME}" --session s1 --raw | scratchpad entry write NEW -`,
    );
  }
  expect((await entry(ANOTHER, 'read', NAME, '--raw')).stdout).toBe(LONG);
  const [listed] = JSON.parse((await entry(ANOTHER, 'list', '--json')).stdout) as object[];
  expect(listed).toMatchObject({ name: NAME, owner: 's1', readOnly: false });
});

test('its own session and a person may change it, and a copy belongs to whoever made it', async () => {
  const cwd = await withOutput();
  const run = (env: Record<string, string>, args: string[], input?: string) =>
    runWarm(args, { cwd, env, ...(input === undefined ? {} : { input }) });
  const { stdout } = await run(ANOTHER, ['entry', 'read', NAME, '--session', 's1', '--raw']);
  expect((await run(ANOTHER, ['entry', 'write', 'copy', '-'], stdout)).exitCode).toBe(0);
  expect((await run(ANOTHER, ['entry', 'edit', 'copy', '--content', 'mine'])).exitCode).toBe(0);
  await run({}, ['session', 'fork', 's1', 'child']);
  const inChild = ['entry', 'edit', NAME, '--content', 'mine', '--session', 'child'];
  expect((await run(ANOTHER, inChild)).exitCode).toBe(0);
  const inOwn = ['entry', 'edit', NAME, '--old', 'a line', '--new', 'no line', '--all', '--session', 's1'];
  expect((await run(OURS, inOwn)).exitCode).toBe(0);
  expect((await run(ANOTHER, inOwn)).stderr).toContain('kept for session s1');
  expect((await run({ USER: 'sam' }, ['entry', 'delete', NAME, '--session', 's1'])).exitCode).toBe(0);
});

test('over MCP it can be read and copied, but not changed', async () => {
  const cwd = await withOutput();
  const connect = async (...args: string[]): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' });
    const env = { ...minimalEnv(), ...ANOTHER };
    const command = { command: process.execPath, args: [PROGRAM, 'mcp', ...args], cwd, env };
    await client.connect(new StdioClientTransport(command));
    return client;
  };
  const call = async (client: Client, name: string, input: object): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: { name: NAME, ...input } });
    return (content as { text: string }[])[0]?.text ?? '';
  };
  const inSession = await connect('--session', 's1');
  const refused = await call(inSession, 'scratchpad_edit', { content: 'changed' });
  expect(refused).toContain(`${NAME}, kept for session s1`);
  expect(refused).toContain(
    'copy it under another name with: scratchpad_read, session s1, and scratchpad: NEW',
  );
  expect(await call(inSession, 'scratchpad_delete', {})).toContain('kept for session s1');
  await inSession.close();
  const beside = await connect();
  expect(await call(beside, 'scratchpad_read', { session: 's1', limit: 12 })).toContain('a line of it');
  expect(await call(beside, 'scratchpad_read', { session: 's1', scratchpad: 'NEW' })).toContain(
    'kept as NEW',
  );
  expect((await runWarm(['entry', 'read', 'NEW', '--raw', '--session', 's2'], { cwd })).stdout).toBe(LONG);
  expect(await call(beside, 'scratchpad_read', { session: '../s1' })).toContain('session');
  expect(await call(beside, 'scratchpad_read', { session: 'nobody' })).toContain('no entry has that name');
  await beside.close();
});

test('where the host denies our commands, the preview names the tool that reads the rest', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. Find the leak'], { cwd });
  const called = { tool_name: 'run_shell_command', tool_input: { command: 'make' } };
  const response = { llmContent: `Output: ${LONG}`, returnDisplay: LONG };
  const input = JSON.stringify({ session_id: 's1', cwd, ...called, tool_response: response });
  const reasonOf = async (...tools: string[]): Promise<string> => {
    const { stdout } = await runWarm(['hook', 'gemini-cli', 'AfterTool', ...tools], { cwd, input });
    return (JSON.parse(stdout) as { reason: string }).reason;
  };
  const reason = await reasonOf('--tools');
  const [, offset] =
    /\[read on: mcp_scratchpad_scratchpad_read \{"name":"execute_command_1","session":"s1","offset":(\d+)\} · search: mcp_scratchpad_scratchpad_read \{"name":"execute_command_1","session":"s1","regex":"PATTERN"\}\]/.exec(
      reason,
    ) ?? [];
  expect(Number(offset)).toBeGreaterThan(900);
  expect(await reasonOf()).toContain('scratchpad entry read execute_command_2');
});

test.each([
  ['mysql -uroot -pWinter8105 -e "select 1"', 'Winter8105'],
  ['curl -s -u sam:tr0ub4dor9 https://example.com/api', 'tr0ub4dor9'],
  ['curl -H "Authorization: Bearer zq81xK2mVb7tLw0pRs" https://example.com', 'zq81xK2mVb7tLw0pRs'],
  [`curl ${'--verbose '.repeat(10)}-u sam:tr0ub4dor9longer https://example.com/api`, 'tr0ub4'],
])('a password in the command of a kept output is stored nowhere: %s', async (command, secret) => {
  const cwd = await withOutput(command);
  const data = readdirSync(join(cwd, '.scratchpad'), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'));
  expect(data.join('\n')).toContain('execute_command_1');
  const listed = await runWarm(['entry', 'list', '--session', 's1', '--json'], { cwd });
  expect(listed.stdout).toContain(`command: ${command.split(' ')[0]}`);
  expect(`${data.join('\n')}${listed.stdout}`).not.toContain(secret);
});

test('an origin that an earlier version stored is told without its password', async () => {
  const cwd = await withOutput();
  const index = join(cwd, '.scratchpad/sessions/s1/entries/index.json');
  writeFileSync(
    index,
    readFileSync(index, 'utf8').replace('command: make', 'command: curl -u sam:tr0ub4dor9 x'),
  );
  const { stdout } = await runWarm(['entry', 'list', '--session', 's1'], { cwd });
  expect(stdout).toContain('curl -u');
  expect(stdout).not.toContain('tr0ub4dor9');
});
