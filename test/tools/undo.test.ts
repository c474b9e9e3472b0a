import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const HOST = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' };

test.each([
  ['without a session', {}],
  ['of a session', HOST],
])("undo by a tool %s takes back the tool's changes, and no person's", async (_, host) => {
  const cwd = testDir();
  const env = { USER: 'sam' };
  const run = async (...args: string[]): Promise<string> => (await runWarm(args, { cwd, env })).stdout;
  const call = async (args: object): Promise<Record<string, unknown>> => {
    const input = JSON.stringify(args);
    const { stdout } = await runWarm(['tool', 'session.scratchpad'], {
      cwd,
      env: { ...env, ...host },
      input,
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const NONE = { error: { kind: 'refused', message: 'nothing to undo' } };

  await run('notes', 'add', 'by the person', '--init');
  expect(await call({ action: 'undo' })).toMatchObject(NONE);
  await call({ action: 'append_notes', content: 'by the agent' });
  const pad = join(cwd, 'SCRATCHPAD.md');
  writeFileSync(pad, readFileSync(pad, 'utf8').replace('by the person', 'by the person, edited'));
  await run('notes', 'add', 'by the person again');

  expect(await call({ action: 'undo' })).toMatchObject({ message: expect.stringContaining('by the agent') });
  expect(await run('notes')).toBe('by the person, edited\nby the person again\n');
  expect(await call({ action: 'undo' })).toMatchObject(NONE);
  // What is the person's own is still theirs to take back, newest first.
  expect(await run('undo')).toContain('by the person again');
  expect(await run('undo')).toContain('edited');
  expect(await run('notes')).toBe('by the person\n');
});

test('what a person has undone is not undone again by the tool', async () => {
  const cwd = testDir();
  const call = async (args: object): Promise<string> =>
    (await runWarm(['tool', 'session.scratchpad'], { cwd, input: JSON.stringify(args) })).stdout;
  await runWarm(['init'], { cwd });
  await call({ action: 'append_notes', content: 'by the agent' });
  await runWarm(['undo', '--others'], { cwd });
  expect(await call({ action: 'undo' })).toContain('nothing to undo');
});

test.each([
  ['of a session', HOST],
  ['without a session', { GEMINI_CLI: '1' }],
])('what a person has undone is not made again by an agent %s', async (_, agent) => {
  const cwd = testDir();
  const run = async (args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
    const { stdout, stderr } = await runWarm(args, { cwd, env: { USER: 'sam', ...env } });
    return stdout + stderr;
  };
  await run(['init']);
  await run(['notes', 'add', 'first by the agent'], agent);
  await run(['notes', 'add', 'then by the agent'], agent);
  await run(['undo', '--others']);
  expect(await run(['redo'], agent)).toContain('nothing to redo');
  // Its own undo is its own to take back, and so is the person's.
  await run(['undo'], agent);
  expect(await run(['redo'], agent)).toContain('first by the agent');
  expect(await run(['notes'])).toBe('first by the agent\n');
  await run(['undo', '--others']);
  expect(await run(['redo'])).toContain('first by the agent');
});

test("the command of an agent without a session takes back that agent's changes, and no person's", async () => {
  const cwd = testDir();
  const run = async (args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
    const { stdout, stderr } = await runWarm(args, { cwd, env: { USER: 'sam', ...env } });
    return stdout + stderr;
  };
  await run(['notes', 'add', 'by gemini', '--init']);
  for (const env of [
    { GEMINI_CLI: '1' },
    { CURSOR_AGENT: '1' },
    { AI_AGENT: 'zed' },
    { CODEX_SANDBOX: 'x' },
  ]) {
    expect(await run(['undo'], env)).toContain('nothing to undo');
    await run(['notes', 'add', `by ${Object.keys(env)}`], env);
    await run(['notes', 'add', 'by the person']);
    expect(await run(['undo'], env)).toContain(`by ${Object.keys(env)}`);
    expect(await run(['undo'], env)).toContain('nothing to undo');
    expect(await run(['redo'], env)).toContain(`by ${Object.keys(env)}`);
  }
});

test("a session's undo in its own pad leaves what the person wrote there", async () => {
  const cwd = testDir();
  const run = async (args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
    const { stdout, stderr } = await runWarm(args, { cwd, env: { USER: 'sam', ...env } });
    return stdout + stderr;
  };
  await run(['init']);
  await run(['notes', 'add', 'by the agent', '-s', 's1'], { ...HOST, SCRATCHPAD_INIT: '1' });
  await run(['notes', 'add', 'by the person', '-s', 's1', '--init']);
  expect(await run(['undo', '-s', 's1'], HOST)).toContain('by the agent');
  expect(await run(['undo', '-s', 's1'], HOST)).toContain('nothing to undo');
});
