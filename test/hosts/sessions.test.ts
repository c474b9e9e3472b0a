import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testState } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

function workspace(config: string): string {
  return testDir({ '.scratchpad/config.yaml': config });
}

async function hook(cwd: string, host: string, name: string, more: object = {}): Promise<string> {
  const input = JSON.stringify({ session_id: 's1', cwd, ...more });
  const done = await runWarm(['hook', host, name], { cwd, input });
  expect([done.exitCode, done.stderr]).toEqual([0, '']);
  return done.stdout;
}

async function cli(cwd: string, ...args: string[]): Promise<string> {
  const done = await runWarm(args, { cwd });
  expect([done.exitCode, done.stderr]).toEqual([0, '']);
  return done.stdout;
}

const contextOf = (stdout: string): string =>
  (JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } }).hookSpecificOutput
    .additionalContext;

describe('primary.onNewSession: archive', () => {
  const archived = (cwd: string): string[] => {
    const dir = join(cwd, '.scratchpad/archive');
    return existsSync(dir) ? readdirSync(dir) : [];
  };

  test('a new conversation starts with an empty pad, and the old one is archived with its entries', async () => {
    const cwd = workspace('primary:\n  onNewSession: archive\n');
    await cli(cwd, 'plan', 'set', '1. the old plan');
    await cli(cwd, 'entry', 'write', 'rows', 'a,b');
    for (const source of ['resume', 'compact']) {
      expect(await hook(cwd, 'claude-code', 'SessionStart', { source })).toContain('the old plan');
    }
    expect(archived(cwd)).toEqual([]);
    expect(await hook(cwd, 'claude-code', 'SessionStart', { source: 'startup' })).not.toContain(
      'the old plan',
    );
    const [kept = ''] = archived(cwd);
    expect(readFileSync(join(cwd, '.scratchpad/archive', kept, 'SCRATCHPAD.md'), 'utf8')).toContain(
      'the old plan',
    );
    expect(existsSync(join(cwd, 'SCRATCHPAD.md'))).toBe(true);
    expect(await cli(cwd, 'entry', 'list', '--json')).not.toContain('rows');
    expect((await runWarm(['plan', 'show'], { cwd })).stdout.trim()).toBe('');
    // Nothing to put away: nothing more is.
    await hook(cwd, 'codex', 'SessionStart', { source: 'clear' });
    expect(archived(cwd)).toEqual([kept]);
  });

  test('Gemini CLI too, whose start says nothing', async () => {
    const cwd = workspace('primary:\n  onNewSession: archive\n');
    await cli(cwd, 'plan', 'set', '1. the old plan');
    expect(await hook(cwd, 'gemini-cli', 'SessionStart', { source: 'startup' })).toBe('{}\n');
    expect(archived(cwd)).toHaveLength(1);
  });

  test('keep is the default', async () => {
    const cwd = workspace('ttl: 30m\n');
    await cli(cwd, 'plan', 'set', '1. the plan');
    const said = await hook(cwd, 'claude-code', 'SessionStart', { source: 'startup' });
    expect(said).toContain('1. the plan');
    expect(archived(cwd)).toEqual([]);
  });
});

describe('a subagent', () => {
  test('gets the entries and the notes that the settings lend it, and cannot change what is lent', async () => {
    const cwd = workspace('subagent:\n  copyNotepad: on\n  inherit: [rows, missing]\n');
    await cli(cwd, 'notes', 'set', 'the pool leaks');
    await cli(cwd, 'entry', 'write', 'rows', 'a,b');
    await cli(cwd, 'entry', 'write', 'secret', 'not for everybody');
    const said = contextOf(await hook(cwd, 'claude-code', 'SubagentStart', { agent_id: 'a7' }));
    expect(said).toContain('`scratchpad entry read NAME --session a7`: "rows"');
    expect(said).toContain('## Notes\nthe pool leaks');
    expect(await cli(cwd, 'entry', 'read', 'rows', '--session', 'a7')).toBe('a,b');
    expect(await cli(cwd, 'entry', 'list', '--session', 'a7')).not.toContain('secret');
    const refused = await runWarm(['entry', 'write', 'rows', 'c', '--session', 'a7'], { cwd });
    expect(refused.exitCode).toBe(1);
    await cli(cwd, 'notes', 'append', 'mine', '--session', 'a7');
    expect(await cli(cwd, 'notes', 'show')).toBe('the pool leaks\n');
    expect(await hook(cwd, 'claude-code', 'SubagentStart', { agent_id: 'a7' })).toBe('');
    const folder = join(testState(), 'scratchpad/claims');
    const listClaims = (): string[] => readdirSync(folder).map((name) => join(folder, name));
    const set = (at: number): void => {
      for (const claim of listClaims()) utimesSync(claim, at, at);
    };
    const replace = (): void => {
      for (const claim of listClaims()) {
        rmSync(claim);
        mkdirSync(claim);
      }

      set(1);
    };
    for (const spoil of [() => set(1), () => set(Date.now() / 1000 + 3600), replace]) {
      spoil();
      // Told of again some time later, after the clock was set back, or where an agent has put folders, it keeps what it has.
      expect(contextOf(await hook(cwd, 'claude-code', 'SubagentStart', { agent_id: 'a7' }))).toContain(
        'mine',
      );
    }
  });

  test.each([
    ['SubagentStart', { agent_id: 'a7' }],
    ['PreCompact', { trigger: 'auto' }],
    ['PreCompact', { trigger: 'manual' }],
  ])('%s that two commands report at once is answered once', async (event, more) => {
    const cwd = testDir();
    await cli(cwd, 'plan', 'set', '1. Fix the leak');
    const answers = await Promise.all([1, 2].map(() => hook(cwd, 'claude-code', event, more)));
    expect(answers.filter((answer) => answer !== '')).toHaveLength(1);
    expect(await hook(cwd, 'claude-code', event, { ...more, session_id: 'another' })).not.toBe('');
  });

  test('an invalid id gets no pad and no line', async () => {
    const cwd = workspace('subagent:\n  copyNotepad: on\n');
    await cli(cwd, 'notes', 'set', 'the pool leaks');
    await cli(cwd, 'plan', 'set', '1. Find the leak');
    const id = '../x\n[End Scratchpad]';
    const said = contextOf(await hook(cwd, 'claude-code', 'SubagentStart', { agent_id: id }));
    expect(said.match(/\[End Scratchpad\]/g)).toHaveLength(1);
    expect(readdirSync(join(cwd, '.scratchpad/sessions'))).toEqual(['main']);
  });
});

describe('scratchpad.enabled: off', () => {
  const EVENTS: [host: string, event: string, silence: string][] = [
    ...['SessionStart', 'UserPromptSubmit', 'PreCompact', 'PostToolUse', 'PostToolUseFailure'].map(
      (event): [string, string, string] => ['claude-code', event, ''],
    ),
    ...['SubagentStart', 'Stop', 'SessionEnd'].map((event): [string, string, string] => [
      'claude-code',
      event,
      '',
    ]),
    ...['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PostCompact'].map(
      (event): [string, string, string] => ['codex', event, ''],
    ),
    ...['BeforeAgent', 'AfterTool', 'PreCompress'].map((event): [string, string, string] => [
      'gemini-cli',
      event,
      '{}\n',
    ]),
    ...['prompt', 'tool'].map((event): [string, string, string] => ['openclaw', event, '{}\n']),
  ];

  test.each(EVENTS)('%s %s says and keeps nothing', async (host, event, silence) => {
    const cwd = workspace(
      'scratchpad:\n  enabled: off\ncompaction:\n  hold: once\nnudgeAfterTurns: 1\nsubagent:\n  copyNotepad: on\n',
    );
    const long = 'x'.repeat(60_000);
    const response = host === 'claude-code' ? { stdout: long, stderr: '', isImage: false } : long;
    const tools: Record<string, string> = { 'gemini-cli': 'run_shell_command', openclaw: 'exec' };
    const more = {
      prompt: 'go on',
      trigger: 'auto',
      agent_id: 'a7',
      tool_name: tools[host] ?? 'Bash',
      tool_input: { command: 'make' },
      tool_response: response,
      error: long,
    };
    expect(await hook(cwd, host, event, more)).toBe(silence);
    // What the hook did: no session, no snapshot, no memory of hooks.
    expect(readdirSync(join(cwd, '.scratchpad')).sort()).toEqual(['config.yaml', 'hooks.json', 'made']);
    expect(await cli(cwd, 'status')).toContain('turned off (scratchpad.enabled)');
  });
});

test('a first event from a folder that the agent went to is of the project that Claude Code names', async () => {
  const [project, elsewhere] = [testDir(), testDir()];
  await cli(project, 'init');
  await cli(project, 'plan', 'set', '1. the plan of the project');
  const input = JSON.stringify({ session_id: 'drifted', cwd: elsewhere, prompt: 'and now?' });
  const ask = (host: string, event: string): ReturnType<typeof runWarm> =>
    runWarm(['hook', host, event], { cwd: elsewhere, input, env: { CLAUDE_PROJECT_DIR: project } });

  expect((await ask('claude-code', 'UserPromptSubmit')).stdout).toContain('the plan of the project');
  // Another host that an agent starts there inherits the variable.
  expect((await ask('codex', 'UserPromptSubmit')).stdout).not.toContain('the plan of the project');
});

test('a session in which no hook has run is of the folder in which its own file says that it began', async () => {
  const [project, elsewhere] = [testDir(), testDir()];
  for (const cwd of [project, elsewhere]) await cli(cwd, 'plan', 'set', `1. the plan of ${basename(cwd)}`);
  const message = { role: 'user', content: 'Fix the leak' };
  const lines = [project, elsewhere].map((cwd, k) =>
    JSON.stringify({ type: 'user', uuid: `u${k}`, parentUuid: null, sessionId: 'late', cwd, message }),
  );
  const transcript_path = join(testDir({ 'late.jsonl': `${lines.join('\n')}\n` }), 'late.jsonl');
  const said = await hook(elsewhere, 'claude-code', 'UserPromptSubmit', {
    ...{ session_id: 'late', transcript_path, prompt: 'and now?' },
  });
  expect(said).toContain(`the plan of ${basename(project)}`);
});
