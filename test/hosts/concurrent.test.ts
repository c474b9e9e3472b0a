import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toJsonText } from '../../src/base/text/json.ts';
import { digestText } from '../../src/base/text/strings.ts';
import { takeTurn } from '../../src/hosts/session-memory.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const AGENTS = [
  { host: 'claude-code', event: 'UserPromptSubmit', session: 's1', work: 'the database migration fails' },
  { host: 'codex', event: 'UserPromptSubmit', session: 's2', work: 'paint the button blue' },
] as const;
type Agent = (typeof AGENTS)[number];
const ROUNDS = 3;

async function prompt(cwd: string, { host, event, session, work }: Agent): Promise<string> {
  const input = JSON.stringify({ session_id: session, cwd, prompt: `please go on: ${work}` });
  const done = await runCli(['hook', host, event], { cwd, input });
  expect([done.exitCode, done.stderr]).toEqual([0, '']);
  return contextOf(done.stdout);
}

async function start(cwd: string, { host, session }: Agent): Promise<string> {
  const input = JSON.stringify({ session_id: session, cwd, source: 'clear' });
  return contextOf((await runCli(['hook', host, 'SessionStart'], { cwd, input })).stdout);
}

function contextOf(stdout: string): string {
  const answer = JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } };
  return answer.hookSpecificOutput.additionalContext;
}

test('two host sessions at once: a pad each and a shared one, nothing lost, no state of the other', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. Ship it'], { cwd });
  const turn = async (agent: Agent, k: number): Promise<void> => {
    const own = ['--session', agent.session];
    await runWarm(['notes', 'append', `${agent.session} alone ${k}`, ...own], { cwd });
    const [shared, said] = await Promise.all([
      runCli(['notes', 'append', `for all from ${agent.session} ${k}`], { cwd }),
      prompt(cwd, agent),
    ]);
    expect(shared.exitCode).toBe(0);
    const [other] = AGENTS.filter(({ session }) => session !== agent.session) as [Agent];
    expect(said).toContain(`${agent.session} alone ${k}`);
    expect(said).not.toContain(`${other.session} alone`);
    if (k === 0) expect(said).toContain('## Shared Plan\n1. Ship it');
    // A state that was made from the other's words is never shown; none is better than that.
    expect(said).not.toContain(other.work);
  };
  await Promise.all(
    AGENTS.map(async (agent) => {
      for (let k = 0; k < ROUNDS; k += 1) await turn(agent, k);
    }),
  );
  const { stdout } = await runWarm(['notes', 'show'], { cwd });
  const lines = AGENTS.flatMap(({ session }) =>
    Array.from({ length: ROUNDS }, (_, k) => `for all from ${session} ${k}`),
  );
  expect(stdout.trimEnd().split('\n').sort()).toEqual(lines.sort());
  for (const agent of AGENTS) {
    // A window that begins anew is told all of it.
    const said = await start(cwd, agent);
    for (const line of lines) expect(said).toContain(line);
  }
});

test('subagents that start at once are all known to their parent', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. Ship it'], { cwd });
  const hook = (event: string, more: object) => {
    const input = JSON.stringify({ session_id: 's1', cwd, hook_event_name: event, ...more });
    return runCli(['hook', 'claude-code', event], { cwd, input });
  };
  await hook('UserPromptSubmit', { prompt: 'ship it' });
  const agents = Array.from({ length: 6 }, (_, k) => `agent-${k}`);
  await Promise.all(agents.map((id) => hook('SubagentStart', { agent_id: id })));
  for (const id of agents)
    await runWarm(['notes', 'append', `seen by ${id}`, '--init', '--session', id], { cwd });
  const told = contextOf((await hook('PostToolUse', { tool_name: 'Task', tool_response: '{}' })).stdout);
  for (const id of agents) expect(told).toContain(`Subagent ${id} noted: seen by ${id}`);
});

describe('an event is answered once', () => {
  const report = async (cwd: string, event: string, more: object): Promise<boolean> => {
    const input = JSON.stringify({ session_id: 's1', cwd, ...more });
    return (await runCli(['hook', 'claude-code', event], { cwd, input })).stdout.includes('Ship it');
  };
  const times = (answers: readonly boolean[]): number => answers.filter(Boolean).length;

  test.each(['startup', 'clear', 'compact', 'resume'])(
    'a start (%s) that is reported again',
    async (source) => {
      const cwd = testDir();
      await runWarm(['plan', 'set', '1. Ship it'], { cwd });
      const first = await report(cwd, 'SessionStart', { source });
      expect([first, await report(cwd, 'SessionStart', { source })]).toEqual([true, false]);
    },
  );

  test('by two commands at the same instant', async () => {
    const cwd = testDir();
    await runWarm(['plan', 'set', '1. Ship it'], { cwd });
    const start = { source: 'startup' };
    expect(times(await Promise.all([1, 2].map(() => report(cwd, 'SessionStart', start))))).toBe(1);
    await runWarm(['plan', 'set', '1. Ship it today'], { cwd });
    const prompt = { prompt: 'hello' };
    expect(times(await Promise.all([1, 2].map(() => report(cwd, 'UserPromptSubmit', prompt))))).toBe(1);
  });

  test('by the process whose turn it is, however long it takes; another event is answered beside it', async () => {
    const data = testDir();
    const first = await takeTurn(data, 's1', 'a prompt', 1000);
    expect(await takeTurn(data, 's1', 'a prompt', 10)).toBe('same');
    expect(await takeTurn(data, 's1', 'another prompt', 10)).toBeUndefined();
    // A lock that an agent has left there does not silence that event for good.
    for (const hours of [-1, 1]) {
      const at = Date.now() / 1000 + hours * 3600;
      utimesSync(join(data, 'hosts/s1.json.turn'), at, at);
      expect(await takeTurn(data, 's1', 'a prompt', 10)).toBeUndefined();
    }
    if (first !== 'same') first?.release();
    expect(await takeTurn(data, 's1', 'a prompt', 1000)).toMatchObject({ release: expect.any(Function) });
  });

  test('by the process that tells news beside a result; another one replaces the output, too', async () => {
    const cwd = testDir();
    await runWarm(['plan', 'set', '1. Find the port'], { cwd });
    await report(cwd, 'SessionStart', { source: 'startup' });
    await report(cwd, 'SubagentStart', { agent_id: 'a1' });
    await runWarm(['notes', 'append', 'Ship it by port 80', '--session', 'a1'], { cwd });
    const response = { stdout: 'a line of it\n'.repeat(4000), stderr: '' };
    const called = { tool_name: 'Bash', tool_use_id: 't1', tool_input: {}, tool_response: response };
    const input = JSON.stringify({ session_id: 's1', cwd, ...called });
    const key = digestText(toJsonText(['PostToolUse', undefined, undefined, 't1']));
    const turn = await takeTurn(join(cwd, '.scratchpad'), 's1', key, 1000);

    const { stdout } = await runWarm(['hook', 'claude-code', 'PostToolUse'], { cwd, input });
    expect(stdout).toContain('kept as execute_command_1');
    expect(stdout).not.toContain('Ship it');
    if (turn !== 'same') turn?.release();
  });

  test('what is told beside results of tools that ran side by side', async () => {
    const cwd = testDir();
    await runWarm(['plan', 'set', '1. Find the port'], { cwd });
    await report(cwd, 'SessionStart', { source: 'startup' });
    await report(cwd, 'SubagentStart', { agent_id: 'a1' });
    await runWarm(['notes', 'append', 'Ship it by port 80', '--session', 'a1'], { cwd });
    const called = { tool_name: 'Read', tool_response: '{}' };
    expect(times(await Promise.all([1, 2, 3].map(() => report(cwd, 'PostToolUse', called))))).toBe(1);
  });

  test('a long output is stored once', async () => {
    const cwd = testDir();
    await runWarm(['plan', 'set', '1. Ship it'], { cwd });
    const response = {
      stdout: 'a line of it\n'.repeat(4000),
      stderr: '',
      interrupted: false,
      isImage: false,
    };
    const called = { tool_name: 'Bash', tool_input: { command: 'make' }, tool_response: response };
    await Promise.all([1, 2].map(() => report(cwd, 'PostToolUse', called)));
    const { stdout } = await runWarm(['entry', 'list', '--session', 's1'], { cwd });
    expect(stdout.match(/execute_command_\d/g)).toEqual(['execute_command_1']);
  });
});
