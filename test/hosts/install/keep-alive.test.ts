import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { keptLine, keptServer, unlessServed, withoutCheck } from '../../../src/hosts/install/keep-alive.ts';
import { minimalEnv } from '../../helpers/run-cli.ts';
import { testDir } from '../../helpers/test-dir.ts';

const BIN = join(import.meta.dirname, '../../../bin/scratchpad.js');
const ANSWER = 'Now it is the command that answers.';
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) {
    for (const pid of childrenOf(child.pid)) process.kill(pid, 'SIGKILL');
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
async function host() {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
  const env = { ...minimalEnv(), HOME: testDir(), XDG_STATE_HOME: '' };
  const { command, args } = keptServer({ command: process.execPath, args: [BIN] });
  const server = spawn(command, args, { cwd, env });
  running.push(server);
  let said = '';
  server.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  /** The id of each answer within a few seconds. */
  const asks = async (id: number, session = 's'): Promise<boolean> => {
    const params = {
      name: 'hook',
      arguments: { event: 'UserPromptSubmit', cwd, session_id: session, prompt: 'x' },
    };
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
    for (let k = 0; k < 200 && !said.includes(`"id":${id}`); k += 1) await pause(50);
    return said.includes(`"id":${id}`);
  };
  const told = (id: number): string => said.split('\n').find((each) => each.includes(`"id":${id}`)) ?? '';
  const line = unlessServed(`echo "${ANSWER}"`);
  const standIn = () => {
    const done = spawnSync('sh', ['-c', line], { cwd, env, encoding: 'utf8' });
    expect([done.status, done.stderr]).toEqual([0, '']);
    return done.stdout.trim();
  };
  const note = join(env.HOME, '.local/state/scratchpad/servers', String(process.pid));
  return { server, asks, told, standIn, note };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(process.platform !== 'linux')('the server that a host has started', () => {
  test('lives: the command beside its hooks says nothing; without a server it says nothing either', async () => {
    const { asks, standIn } = await host();
    expect(standIn()).toBe('');
    expect(await asks(1)).toBe(true);
    expect(standIn()).toBe('');
  });

  test('is killed: the command answers, and it is started again, in the same connection', async () => {
    const { server, asks, standIn } = await host();
    expect(await asks(1)).toBe(true);
    const [node = 0] = childrenOf(server.pid);
    process.kill(node, 'SIGKILL');
    await pause(20);
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

  test('what was asked while there was none is not answered twice: the command has told it', async () => {
    const { server, asks, told } = await host();
    expect(await asks(1)).toBe(true);
    expect(told(1)).toContain('additionalContext');
    process.kill(childrenOf(server.pid)[0] ?? 0, 'SIGKILL');
    expect(await asks(2, 's2')).toBe(true);
    expect(told(2)).not.toContain('additionalContext');
    await pause(500);
    expect(await asks(3, 's2')).toBe(true);
    expect(told(3)).toContain('additionalContext');
  });

  test('an earlier form of both is known, and taken away', () => {
    const kept = 'while SCRATCHPAD_KEPT_BY="$$ $PPID" scratchpad mcp; [ $? -gt 128 ]; do sleep 1; done';
    expect(keptLine(['sh', '-c', kept])).toBe('scratchpad mcp');
    const command = 'if command -v x; then exec x; fi';
    const former =
      'read -r p t n 2>/dev/null <"${XDG_STATE_HOME:-$HOME/.local/state}/scratchpad/servers/$PPID" || exit 0; if kill -0 "$p" 2>/dev/null; then read -r s 2>/dev/null <"/proc/$p/stat"; set -- ${s##*) }; if [ "${20:--}" = "$t" ]; then [ "$t" = - ] && exit 0; s=; read -r s 2>/dev/null <"/proc/$n/stat"; set -- ${s##*) }; case "$1" in ""|Z*) ;; T*) [ "$2" = "$p" ] && kill -9 "$n";; *) exit 0;; esac; fi; fi; ';
    for (const check of [former, former.replace('""|Z*) ;; ', ''), unlessServed('')])
      expect(withoutCheck(check + command)).toBe(command);
  });

  test.each(['sh', 'bash'])('%s reads the check', (shell) => {
    const line = unlessServed('echo');
    // The syntax is checked, and nothing is run.
    expect(execFileSync(shell, ['-n', '-c', line], { encoding: 'utf8' })).toBe('');
  });
});
