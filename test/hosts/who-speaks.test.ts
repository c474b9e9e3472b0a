import { describe, expect, test } from 'vitest';
import { checkId } from '../../src/hosts/protocol.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const FURIOUS = 'this is STILL broken!!! I told you three times now, stop guessing and actually fix it';

type Prompt = [name: string, host: string, event: string, more: object];

const OTHERS: Prompt[] = [
  ['a subagent of Codex', 'codex', 'UserPromptSubmit', { agent_id: 'a7' }],
  ['a subagent of Claude Code', 'claude-code', 'UserPromptSubmit', { agent_id: 'a7', source: 'user' }],
  ...['system', 'loop_wakeup', 'schedule_wakeup', 'poll_event', 'one that nobody knows yet'].map(
    (source): Prompt => [`source ${source} in Claude Code`, 'claude-code', 'UserPromptSubmit', { source }],
  ),
  [
    'a notification in an older Claude Code',
    'claude-code',
    'UserPromptSubmit',
    { prompt: `<task-notification>${FURIOUS}</task-notification>` },
  ],
  ...['heartbeat', 'cron', 'memory', 'overflow'].map(
    (trigger): Prompt => [`a ${trigger} in OpenClaw`, 'openclaw', 'prompt', { trigger }],
  ),
  [
    'another session in OpenClaw',
    'openclaw',
    'prompt',
    { trigger: 'user', inputProvenance: { kind: 'inter_session' } },
  ],
  [
    'the parent of a subagent in OpenClaw',
    'openclaw',
    'prompt',
    { session_id: 'agent:main:subagent:7', trigger: 'user' },
  ],
];

const PERSONS: Prompt[] = [
  ['a person at Claude Code', 'claude-code', 'UserPromptSubmit', { source: 'user' }],
  ['a run without a terminal', 'claude-code', 'UserPromptSubmit', { source: 'sdk' }],
  ['a person at an older Claude Code', 'claude-code', 'UserPromptSubmit', {}],
  ['a person at Codex', 'codex', 'UserPromptSubmit', {}],
  ['a person at Gemini CLI', 'gemini-cli', 'BeforeAgent', {}],
  [
    'a person in OpenClaw',
    'openclaw',
    'prompt',
    { trigger: 'user', inputProvenance: { kind: 'external_user' } },
  ],
  ['a person in an older OpenClaw', 'openclaw', 'prompt', {}],
];

async function said(cwd: string, [, host, event, more]: Prompt): Promise<string> {
  const input = JSON.stringify({ session_id: 's1', cwd, prompt: FURIOUS, ...more });
  const done = await runWarm(['hook', host, event], { cwd, input });
  expect([done.exitCode, done.stderr]).toEqual([0, '']);
  return done.stdout;
}

async function workspace(): Promise<string> {
  const cwd = testDir({ '.scratchpad/.gitignore': '*\n' });
  await runWarm(['plan', 'set', '1. Find the leak'], { cwd });
  return cwd;
}

/** The file, and the state that is kept beside it until the turn ends. */
async function readPad(cwd: string): Promise<string> {
  const [file, state] = [await runWarm(['show'], { cwd }), await runWarm(['show', 'state'], { cwd })];
  return file.stdout + state.stdout;
}

describe('words that are not the person’s', () => {
  test.each(OTHERS)('%s: no mood, no topic, the pad as it was', async (...prompt) => {
    const cwd = await workspace();
    const before = await readPad(cwd);
    const answer = await said(cwd, prompt);
    expect(answer).not.toContain('STILL broken');
    expect(await readPad(cwd)).toBe(before);
  });

  test('a timer’s prompt still finds the plan and what has changed in the window', async () => {
    const cwd = await workspace();
    const timer: Prompt = ['', 'claude-code', 'UserPromptSubmit', { source: 'loop_wakeup' }];
    expect(await said(cwd, timer)).toContain('Find the leak');
    expect(await said(cwd, timer)).toBe('');
    await runWarm(['notes', 'append', 'the pool has 40 connections'], { cwd });
    expect(await said(cwd, timer)).toContain('the pool has 40 connections');
  });

  test('a subagent’s prompt is told nothing and counts as nothing told to its parent', async () => {
    const cwd = await workspace();
    expect(await said(cwd, ['', 'codex', 'UserPromptSubmit', { agent_id: 'a7' }])).toBe('');
    expect(await said(cwd, ['', 'codex', 'UserPromptSubmit', {}])).toContain('Find the leak');
  });

  test('what a subagent writes with our commands is news to its parent', async () => {
    const cwd = await workspace();
    const call = {
      tool_name: 'Bash',
      tool_input: { command: 'scratchpad notes append "found by the child"' },
      tool_response: { stdout: '', stderr: '' },
    };
    await said(cwd, ['', 'claude-code', 'UserPromptSubmit', { source: 'user' }]);
    await runWarm(['notes', 'append', 'found by the child'], { cwd });
    await said(cwd, ['', 'claude-code', 'PostToolUse', { ...call, agent_id: 'a7' }]);
    const next = await said(cwd, ['', 'claude-code', 'UserPromptSubmit', { source: 'user' }]);
    expect(next).toContain('found by the child');
  });

  test('a compaction of a subagent is none of its parent’s', async () => {
    const cwd = await workspace();
    const prompt: Prompt = ['', 'claude-code', 'UserPromptSubmit', { source: 'user' }];
    expect(await said(cwd, prompt)).toContain('Find the leak');
    await said(cwd, ['', 'claude-code', 'PostCompact', { trigger: 'auto', agent_id: 'a7' }]);
    expect(await said(cwd, prompt)).not.toContain('Find the leak');
  });
});

test.each(PERSONS)('%s is heard', async (...prompt) => {
  const cwd = await workspace();
  await said(cwd, prompt);
  const pad = await readPad(cwd);
  for (const words of ['STILL broken', '**Primary:** frustrated']) expect(pad).toContain(words);
});

test('an id that could be a key is told to no model', () => {
  const ids = [
    '0f44aaaa-aaaa-4aaa-8aaa-a44a44a44a44',
    'a7',
    'ses_dd873a305ffeRRobyCSpTCYJ2q',
    'agent:main:subagent:7',
  ];
  expect(ids.map(checkId)).toEqual(ids);
  const token = `ghp_${'a1B2'.repeat(9)}`;
  expect([token, `agent:${token}`, 'a b', 'a\nb', '`x`', '', undefined].map(checkId)).not.toContainEqual(
    expect.any(String),
  );
});
