import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  isServerOfOurs,
  makeHookCheck,
  renderHookLine,
  wrapServer,
  wrapUnlessServed,
} from '../../../src/hosts/install/hook-command.ts';
import { minimalEnv } from '../../helpers/run-cli.ts';
import { testDir } from '../../helpers/test-dir.ts';

const BIN = join(import.meta.dirname, '../../../bin/scratchpad.js');
const ANSWER = 'Now it is the command that answers.';
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) {
    for (const pid of childrenOf(child.pid)) if (isThere(pid)) process.kill(pid, 'SIGKILL');
    child.kill('SIGKILL');
  }
});

function childrenOf(pid: number | undefined): number[] {
  const said = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout;
  return said
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(Number);
}

/** This process is the host: it starts the server, and the command beside it. */
async function host(plan?: string) {
  const cwd = testDir();
  const env = { ...minimalEnv(), HOME: testDir(), XDG_STATE_HOME: '' };
  execFileSync(process.execPath, [BIN, 'init', '--quiet'], { cwd, env });
  if (plan !== undefined) execFileSync(process.execPath, [BIN, 'plan', 'set', plan], { cwd, env });
  const { command: shell, args } = wrapServer({ command: process.execPath, args: [BIN] });
  const server = spawn(shell, args, { cwd, env });
  running.push(server);
  let said = '';
  server.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const input = (session: string, id: string) => ({
    ...{ cwd, session_id: session, prompt: 'go on', prompt_id: id },
    ...{ hook_event_name: 'UserPromptSubmit' },
  });
  /** Whether it answers within a few seconds. */
  const asks = async (id: number, session = 's', prompt = 'p'): Promise<boolean> => {
    const params = {
      name: 'hook',
      arguments: { event: 'UserPromptSubmit', ...input(session, prompt) },
    };
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
    for (let k = 0; k < 200 && !said.includes(`"id":${id}`); k += 1) await pause(50);
    return said.includes(`"id":${id}`);
  };
  const told = (id: number): string => said.split('\n').find((each) => each.includes(`"id":${id}`)) ?? '';
  const line = wrapUnlessServed(`echo "${ANSWER}"`);
  const standIn = () => {
    const done = spawnSync('sh', ['-c', line], { cwd, env, encoding: 'utf8' });
    expect([done.status, done.stderr]).toEqual([0, '']);
    return done.stdout.trim();
  };
  const hook = wrapUnlessServed(
    renderHookLine({ command: process.execPath, args: [BIN] }, 'claude-code', 'UserPromptSubmit'),
  );
  const command = (session: string, prompt: string): string =>
    spawnSync('sh', ['-c', hook], {
      ...{ cwd, env, encoding: 'utf8', input: JSON.stringify(input(session, prompt)) },
    }).stdout;
  const commands = (...asked: [session: string, prompt: string][]): Promise<string[]> =>
    Promise.all(
      asked.map(async ([session, prompt]) => {
        const child = spawn('sh', ['-c', hook], { cwd, env });
        child.stdin.end(JSON.stringify(input(session, prompt)));
        return (await child.stdout.setEncoding('utf8').toArray()).join('');
      }),
    );
  const note = join(env.HOME, '.local/state/scratchpad/servers', String(process.pid));
  return { server, asks, told, standIn, command, commands, note };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(process.platform !== 'linux')('the server that a host has started', () => {
  test('lives: the command beside its hooks says nothing; before it is there, the command answers', async () => {
    const { asks, standIn } = await host();
    expect(standIn()).toBe(ANSWER);
    expect(await asks(1)).toBe(true);
    expect(standIn()).toBe('');
  });

  test('is killed: the command answers, and it is started again, in the same connection', async () => {
    const { server, asks, standIn } = await host();
    expect(await asks(1)).toBe(true);
    const [node = 0] = childrenOf(server.pid);
    process.kill(node, 'SIGKILL');
    while (isThere(node)) await pause(1);
    expect(standIn()).toBe(ANSWER);
    expect(await asks(2)).toBe(true);
    expect(childrenOf(server.pid)).not.toContain(node);
    expect(standIn()).toBe('');
  });

  test('is stopped: the command wakes it, and it answers', async () => {
    const { server, asks, standIn } = await host();
    expect(await asks(1)).toBe(true);
    const [node = 0] = childrenOf(server.pid);
    process.kill(node, 'SIGSTOP');
    const asked = asks(2);
    await pause(100);
    expect(standIn()).toBe('');
    expect(await asked).toBe(true);
    expect(childrenOf(server.pid)).toEqual([node]);
  });

  test('is gone with the shell that keeps it: the command answers', async () => {
    const { server, asks, standIn, note } = await host();
    expect(await asks(1)).toBe(true);
    const [node = 0] = childrenOf(server.pid);
    const ended = new Promise((resolve) => server.on('close', resolve));
    server.kill('SIGKILL');
    process.kill(node, 'SIGKILL');
    await ended;
    expect(standIn()).toBe(ANSWER);
    writeFileSync(note, 'rubbish; $(touch x) *\n');
    expect(standIn()).toBe(ANSWER);
  });

  test('ends with the connection, and leaves no note', async () => {
    const { server, asks, note } = await host();
    expect(await asks(1)).toBe(true);
    expect(readFileSync(note, 'utf8')).toMatch(/^\d+ \d+ \d+\n$/);
    const ended = new Promise((resolve) => server.on('close', resolve));
    server.stdin.end();
    expect(await ended).toBe(0);
    expect(() => readFileSync(note)).toThrow();
  });

  test('comes up while the command answers: the words are said once, whichever of the two is first', async () => {
    const { asks, told, command, note } = await host('1. Find the leak');
    const answer = command('s1', 'p1');
    expect(answer).toContain('Find the leak');
    expect(await asks(1, 's1', 'p1')).toBe(true);
    expect(told(1)).not.toContain('Find the leak');
    expect(await asks(2, 's2', 'p2')).toBe(true);
    expect(told(2)).toContain('Find the leak');
    // A command that saw no server.
    rmSync(note);
    rmSync(`${note}.sock`);
    expect(command('s2', 'p2')).toBe('');
    expect(command('s2', 'p3')).not.toContain('Find the leak');
    expect(command('s3', 'p4')).toContain('Find the leak');
    expect(await asks(3, 's3', 'p4')).toBe(true);
    expect(told(3)).not.toContain('Find the leak');
  });

  test('has not come up: of two that are asked at the same moment one answers', async () => {
    const { commands } = await host('1. Find the leak');
    const said = await commands(['s1', 'p1'], ['s1', 'p1'], ['s1', 'p1']);
    expect(said.filter((text) => text.includes('Find the leak'))).toHaveLength(1);
  });

  test('an earlier form of both is known, and taken away', () => {
    const kept = 'while SCRATCHPAD_KEPT_BY="$$ $PPID" scratchpad mcp; [ $? -gt 128 ]; do sleep 1; done';
    expect(isServerOfOurs({ command: 'sh', args: ['-c', kept] })).toBe(true);
    const command = 'scratchpad hook claude-code Stop';
    const last =
      ': \'Only if the MCP server, which answers this event, is gone\'; read -r shell _ server 2>/dev/null <"x/$PPID" || exit 0; kill -CONT "$shell" 2>/dev/null && kill -CONT "$server" 2>/dev/null && exit 0; ';
    for (const check of [last, wrapUnlessServed('')])
      expect(makeHookCheck('claude-code')({ command: check + command })).toBe(true);
  });

  test.each(['sh', 'bash'])('%s reads the check', (shell) => {
    const line = wrapUnlessServed('echo');
    // The syntax is checked, and nothing is run.
    expect(execFileSync(shell, ['-n', '-c', line], { encoding: 'utf8' })).toBe('');
  });
});
