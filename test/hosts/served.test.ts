import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { getSocketPath, MARK } from '../../src/hosts/ask-server.ts';
import { afterEachTest } from '../helpers/cleanup.ts';
import { type CliResult, minimalEnv, PROGRAM, runCli } from '../helpers/run-cli.ts';
import { testDir } from '../helpers/test-dir.ts';

/** This process plays the host: it starts the server, and runs the hooks. */
async function started(cwd: string, state: string): Promise<ReturnType<typeof spawn>> {
  const env = { ...minimalEnv(), XDG_STATE_HOME: state };
  const server = spawn(process.execPath, [PROGRAM, 'mcp'], {
    cwd,
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  afterEachTest(() => void server.kill('SIGKILL'));
  const socket = getSocketPath(join(state, 'scratchpad/servers'), process.pid);
  afterEachTest(() => rmSync(dirname(socket), { recursive: true, force: true }));
  for (let waited = 0; !existsSync(socket) && waited < 20_000; waited += 20) await sleep(20);
  return server;
}

/** What a hook needs to ask a server, and nothing that could answer in its place. */
function bareProgram(): string {
  const copy = join(testDir(), 'bin/scratchpad.js');
  for (const file of ['bin/scratchpad.js', 'dist/cli/base.start.cjs', 'dist/cli/hosts.ask-server.cjs']) {
    const to = join(dirname(copy), '..', file);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(dirname(PROGRAM), '..', file), to);
  }
  return copy;
}

interface At {
  cwd: string;
  state: string;
  program?: string;
}

const hook = ({ cwd, state, program }: At, prompt: string, session = 's1'): Promise<CliResult> =>
  runCli(['hook', 'gemini-cli', 'BeforeAgent', '--tools'], {
    ...{ cwd, program },
    env: { XDG_STATE_HOME: state },
    input: JSON.stringify({ session_id: session, cwd, hook_event_name: 'BeforeAgent', prompt }),
  });

async function workspace(state = testDir()): Promise<{ cwd: string; state: string }> {
  const cwd = testDir();
  await runCli(['plan', 'set', '1. Find the leak'], { cwd, env: { XDG_STATE_HOME: state } });
  return { cwd, state };
}

test.each([
  ['', ''],
  [', also where the path of the state folder is too long for a socket', 'a'.repeat(100)],
])(
  'a command hook is answered by the server of its host, which remembers what was said%s',
  async (_, below) => {
    const at = await workspace(join(testDir(), below));
    const alone = await hook(at, 'find it', 's0');
    expect(alone.stdout).toContain('Find the leak');
    await started(at.cwd, at.state);
    const bare = { ...at, program: bareProgram() };
    const first = await hook(bare, 'find it');
    expect([first.exitCode, first.stderr, first.stdout]).toEqual([0, '', alone.stdout]);
    const second = await hook(bare, 'find it now');
    expect(second.stdout).not.toContain('Find the leak');
  },
);

test('a hook whose server is stopped or gone answers by itself; what the server did not say stays unsaid', async () => {
  const at = await workspace();
  const server = await started(at.cwd, at.state);
  server.kill('SIGSTOP');
  const asked = await hook(at, 'find it');
  expect([asked.exitCode, asked.stdout]).toEqual([0, expect.stringContaining('Find the leak')]);
  // Nobody is there to answer: the host is told nothing, and in good time.
  const none = await hook({ ...at, program: bareProgram() }, 'find it', 's2');
  expect(none.stdout).not.toContain('Find the leak');
  server.kill('SIGCONT');
  await sleep(500);
  const later = await hook(at, 'find it', 's2');
  expect(later.stdout).toContain('Find the leak');
  server.kill('SIGKILL');
  const gone = await hook(at, 'find it', 's3');
  expect(gone.stdout).toContain('Find the leak');
});

test('a hook answers by itself where a file is in the place of the home', async () => {
  const cwd = testDir();
  const home = { HOME: '/dev/null', XDG_STATE_HOME: '/dev/null', XDG_CONFIG_HOME: '/dev/null' };
  await runCli(['plan', 'set', '1. Find the leak'], { cwd, env: home });
  const input = JSON.stringify({ session_id: 's1', cwd, hook_event_name: 'SessionStart', source: 'startup' });
  const { stdout } = await runCli(['hook', 'claude-code', 'SessionStart'], { cwd, env: home, input });
  expect(stdout).toContain('Find the leak');
});

test.each<[string, string]>([
  ['is closed before its end', `${MARK}{"context":"a`],
  ['is closed behind a sentence', `${MARK}{"context":"Half of it.`],
  ['is of a server that was killed when it had read the event', MARK],
  ['is of a server of another version', '.{"context":"anything"}.'],
  ['has no beginning', `{"context":"anything"}${MARK}`],
  ['is longer than any', `${MARK}${'x'.repeat(5 * 1024 * 1024)}${MARK}`],
])('a command hook answers by itself where the answer of a server %s', async (_, answer) => {
  const at = await workspace();
  const folder = join(at.state, 'scratchpad/servers');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => undefined).on('end', () => client.end(answer));
    client.resume();
  });
  afterEachTest(() => void server.close());
  await new Promise<void>((resolve) => server.listen(join(folder, `${process.pid}.sock`), resolve));
  const done = await hook(at, 'find it');
  expect([done.exitCode, done.stdout]).toEqual([0, expect.stringContaining('Find the leak')]);
});
