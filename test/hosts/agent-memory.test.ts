import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAgentMemory } from '../../src/hosts/agent-memory.ts';
import { minimalEnv, PROGRAM } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const LIBRARY = join(PROGRAM, '../../dist/agent-memory.js');

/** A host whose session makes a plan, and that is killed then. */
function runKilledHost(workspace: string, env: NodeJS.ProcessEnv): void {
  const program = `
    const { openAgentMemory } = await import(${JSON.stringify(LIBRARY)});
    const memory = openAgentMemory({ host: 'opencode', workspace: ${JSON.stringify(workspace)} });
    await memory.tell('prompt', { sessionId: 'killed', prompt: 'find the leak' });
    await memory.call('session_scratchpad', { action: 'set_plan', content: '1. Find the leak' }, { sessionId: 'killed' });
    await memory.settled();
    process.kill(process.pid, 'SIGKILL');`;
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env,
    encoding: 'utf8',
  });
  expect([signal, stderr]).toEqual(['SIGKILL', '']);
}

test('a session ends with the process of a host that our code runs in: its plan is handed over at once', async () => {
  const workspace = testDir();
  const env = minimalEnv();
  await runWarm(['init'], { cwd: workspace, env });
  runKilledHost(workspace, env);
  const memory = openAgentMemory({ host: 'opencode', workspace, env });
  const { context } = await memory.tell('prompt', { sessionId: 'next', prompt: 'hello' });
  await memory.settled();
  expect(context).toContain('left within the hour by the last session');
  expect(context).toContain('1. Find the leak');
  expect(context).not.toContain('may be running');
});

test('the session of a host that still runs keeps its plan', async () => {
  const workspace = testDir();
  const env = minimalEnv();
  await runWarm(['init'], { cwd: workspace, env });
  const memory = openAgentMemory({ host: 'opencode', workspace, env });
  await memory.tell('prompt', { sessionId: 'first', prompt: 'find the leak' });
  const set = { action: 'set_plan', content: '1. Find the leak' };
  await memory.call('session_scratchpad', set, { sessionId: 'first' });
  const { context } = await memory.tell('prompt', { sessionId: 'second', prompt: 'hello' });
  await memory.settled();
  expect(context).toContain('Find the leak, 0 of 1 done; it may be running');
  expect(context).not.toContain('1. Find the leak');
});

test('a refused call says what was expected, what was found and what to do, as over MCP', async () => {
  const workspace = testDir();
  const env = minimalEnv();
  await runWarm(['init'], { cwd: workspace, env });
  const memory = openAgentMemory({ host: 'opencode', workspace, env });
  const call = (name: string, params: unknown) => memory.call(name, params, { sessionId: 'one' });

  const limit = await call('memory_search', { query: 'port', limit: 0 });
  expect(limit.failed).toBe(true);
  expect(limit.text).toMatch(/limit[\s\S]*expected: [\s\S]*found: +0/);
  expect(limit.details).toMatchObject({ error: { kind: 'usage', found: expect.stringContaining('0') } });

  const missing = await call('session_scratchpad', { action: 'refs.remove', ref: 'src/a.ts' });
  expect(missing.text).toContain('next:');

  const unknown = await call('session_scratchpad', { action: 'no_such_action' });
  expect(unknown.text).toMatch(/expected: .*set_notes/);
  expect(unknown.text).toMatch(/found: +.*no_such_action/);
});
