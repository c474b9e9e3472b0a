import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
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
      `scratchpad entry read ${NAME} --session s1 --raw | scratchpad entry write NEW -`,
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
  for (const session of ['../s1', 'nobody'])
    expect(await call(beside, 'scratchpad_read', { session })).toContain(
      'no session of that id has entries here',
    );
  await beside.close();
});

test('where the host denies our commands, the preview names the tool that reads the rest', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. Find the leak'], { cwd });
  const called = { tool_name: 'run_shell_command', tool_input: { command: 'make' } };
  const response = { llmContent: `Output: ${LONG}`, returnDisplay: LONG };
  const input = JSON.stringify({ session_id: 's1', cwd, ...called, tool_response: response });
  const readReason = async (...tools: string[]): Promise<string> => {
    const { stdout } = await runWarm(['hook', 'gemini-cli', 'AfterTool', ...tools], { cwd, input });
    return (JSON.parse(stdout) as { reason: string }).reason;
  };
  const reason = await readReason('--tools');
  const [, offset] =
    /\[read on: mcp_scratchpad_scratchpad_read \{"name":"execute_command_1","session":"s1","offset":(\d+)\} · search: mcp_scratchpad_scratchpad_read \{"name":"execute_command_1","session":"s1","regex":"PATTERN"\}\]/.exec(
      reason,
    ) ?? [];
  expect(Number(offset)).toBeGreaterThan(900);
  // The same event again is the same entry.
  expect(await readReason()).toContain('scratchpad entry read execute_command_1');
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

describe('kept outputs are found', () => {
  test('by the agent of their session, by the names that it was told, beside the entries of the workspace', async () => {
    const cwd = await withOutput();
    await runWarm(['entry', 'write', 'rows', 'a line of it, shared'], { cwd });
    const run = (...args: string[]) => runWarm(args, { cwd, env: OURS });
    const listed = await run('entry', 'list');
    expect(listed.stdout).toMatch(/execute_command_1 {2}\(command: make\)\n.*rows {2}\(write\)\n$/);
    expect(listed.stderr).toBe('');
    expect((await run('entry', 'read', NAME, '--raw')).stdout).toBe(LONG);
    expect((await run('show', NAME, '--tail', '1')).stdout).toBe('a line of it\n');
    expect((await run('search', 'shared')).stdout).toBe('entry rows:1: a line of it, shared\n');
    const sought = await run('search', 'line', 'it');
    expect(sought.stdout).toContain(`entry ${NAME}:1: a line of it\n`);
    expect(sought.stdout).not.toContain('session s1');
    // What it writes is its own, whatever others call theirs.
    await run('entry', 'write', 'rows', 'mine');
    expect((await run('entry', 'read', 'rows')).stdout).toBe('mine');
    expect((await runWarm(['entry', 'read', 'rows'], { cwd })).stdout).toBe('a line of it, shared');
    const another = (...args: string[]) => runWarm(args, { cwd, env: ANOTHER });
    await runWarm(['entry', 'write', 'cd', '-'], { cwd, env: OURS, input: 'of one' });
    await runWarm(['entry', 'write', 'cd', '-'], { cwd, env: ANOTHER, input: 'of two' });
    const answers = [await run('entry', 'read', 'cd'), await another('entry', 'read', 'cd')];
    expect(answers.map(({ stdout }) => stdout)).toEqual(['of one', 'of two']);
  });

  test('those of an ended session go in time, but not what was renamed or written by a person', async () => {
    const cwd = await withOutput();
    const run = (env: Record<string, string>, ...args: string[]) => runWarm(args, { cwd, env });
    for (const name of ['scratch', 'build log']) await run(OURS, 'entry', 'write', name, 'x');
    await run(OURS, 'entry', 'rename', 'build log', 'build');
    await run({ USER: 'sam' }, 'entry', 'write', 'hint', 'x', '-s', 's1');
    await run({ USER: 'sam' }, 'entry', 'write', 'shared', 'x');
    const startAfterDays = async (days: number): Promise<string[]> => {
      const now = new Date(Date.now() + days * 86_400_000).toISOString();
      const input = JSON.stringify({ session_id: 's9', cwd, source: 'startup' });
      await runWarm(['hook', 'claude-code', 'SessionStart', '--now', now], { cwd, input });
      const listed = (await run({}, 'entry', 'list', '-s', 's1', '--json')).stdout;
      return (JSON.parse(listed) as { name: string }[]).map(({ name }) => name).sort();
    };
    expect(await startAfterDays(13)).toEqual(['build', NAME, 'hint', 'scratch']);
    expect(await startAfterDays(15)).toEqual(['build', 'hint']);
    expect((await run({}, 'entry', 'read', 'shared')).stdout).toBe('x');
  });

  test('and changed there: deleted, brought back, renamed, written over', async () => {
    const cwd = await withOutput();
    const run = (...args: string[]) => runWarm(args, { cwd, env: OURS });
    expect((await run('entry', 'rm', NAME)).stdout).toContain(`scratchpad entry undelete ${NAME}`);
    expect((await run('entry', 'list')).stdout).toBe('no entries yet\n');
    expect((await run('entry', 'list', '--past')).stdout).toContain(NAME);
    expect((await run('entry', 'undelete', NAME)).exitCode).toBe(0);
    expect((await run('entry', 'rename', NAME, 'build')).exitCode).toBe(0);
    expect((await run('entry', 'edit', 'build', '--content', 'mine')).exitCode).toBe(0);
    expect((await run('entry', 'write', 'build', ' too', '--append')).exitCode).toBe(0);
    expect((await runWarm(['entry', 'read', 'build', '--session', 's1'], { cwd })).stdout).toBe('mine too');
  });

  test('under names that no output of the workspace has', async () => {
    const cwd = await withOutput();
    const print = [process.execPath, '-e', 'console.log("b".repeat(40000))'];
    const ran = await runWarm(['run', '--', ...print], { cwd, env: OURS });
    expect(ran.stdout).toContain('kept as execute_command_2');
    const called = { tool_name: 'Bash', tool_input: { command: 'make' } };
    const input = JSON.stringify({
      ...{ session_id: 's1', cwd, ...called },
      tool_response: { stdout: LONG, stderr: '', interrupted: false, isImage: false },
    });
    const kept = await runWarm(['hook', 'claude-code', 'PostToolUse'], { cwd, input });
    expect(kept.stdout).toContain('kept as execute_command_3');
    expect((await runWarm(['entry', 'read', 'execute_command_2'], { cwd, env: OURS })).stdout).toMatch(
      /^bbb/,
    );
  });

  test('by a person at the shell: a search finds those of every session, and an empty list says where else to look', async () => {
    const cwd = await withOutput();
    const run = (...args: string[]) => runWarm(args, { cwd });
    const listed = await run('entry', 'list');
    expect([listed.stdout, listed.stderr]).toEqual([
      'no entries yet\n',
      expect.stringMatching(/^another session has some: scratchpad -s s1 entry list/),
    ]);
    expect((await run('session', 'list')).stdout).toMatch(/ s1 {2}\(1 entry\)/);
    const found = await run('search', 'line', 'it');
    expect([found.exitCode, found.stdout]).toEqual([
      0,
      expect.stringContaining(`entry ${NAME} of session s1:1: a line of it`),
    ]);
    for (const words of [['cat'], ['entry', 'read']]) {
      const foreign = await run(...words, NAME);
      expect([foreign.exitCode, foreign.stderr]).toEqual([
        1,
        `scratchpad: the entry belongs to another session\n  found:    ${NAME}, of session s1\n  next:     read it with: scratchpad -s s1 entry read ${NAME}\n`,
      ]);
    }
    expect((await run('-s', 's1', 'entry', 'read', NAME)).stdout).toContain('a line of it');
    const there = await run('-s', 's1', 'search', 'line', 'it');
    expect([there.exitCode, there.stdout]).toEqual([0, expect.stringContaining(`${NAME}:1: a line of it`)]);
    await run('entry', 'write', 'rows', 'mine');
    // A named session is that one alone.
    for (const named of [[], ['-s', 'main']]) {
      const rows = await run('entry', 'list', ...named);
      expect([rows.stdout, rows.stderr]).toEqual([expect.stringContaining('rows'), '']);
    }
  });

  test('by no other agent; one whose host does not say its session is told where they are', async () => {
    const cwd = await withOutput();
    for (const args of [
      ['entry', 'list'],
      ['search', 'line', 'of'],
    ]) {
      const another = await runWarm(args, { cwd, env: ANOTHER });
      expect(`${another.stdout}${another.stderr}`).not.toMatch(/session s1|a line of it/);
      const unknown = await runWarm(args, { cwd, env: { GEMINI_CLI: '1' } });
      expect(unknown.stdout).not.toContain('a line of it');
      expect(unknown.stderr).toContain('scratchpad -s s1 entry list');
    }
  });
});
