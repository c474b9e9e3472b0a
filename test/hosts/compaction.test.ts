import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import { testDir } from '../helpers/test-dir.ts';

/** A Claude Code transcript whose last answer read so many tokens. */
function transcript(tokens: number, at: string): string {
  const line = (type: string, message: object): string =>
    JSON.stringify({
      type,
      uuid: `${type}-${at}`,
      sessionId: 's1',
      timestamp: at,
      message: { role: type, ...message },
    });
  return [
    line('user', { content: 'work through the list please' }),
    line('assistant', {
      id: 'm1',
      model: 'claude-x',
      content: [{ type: 'text', text: 'On it.' }],
      usage: { input_tokens: tokens, cache_read_input_tokens: 0, output_tokens: 5 },
    }),
    '',
  ].join('\n');
}

function workspace(config: string): string {
  return testDir({
    'SCRATCHPAD.md':
      '# Pad\n\n## Plan\n<!-- scratchpad:plan -->\n1. Find the leak\n<!-- /scratchpad:plan -->\n',
    '.scratchpad/config.yaml': config,
    's.jsonl': transcript(180_000, '2026-02-06T01:00:00Z'),
  });
}

async function hook(
  cwd: string,
  name: string,
  more: object = {},
  now = '2026-02-06T01:01:00Z',
  host = 'claude-code',
) {
  const input = JSON.stringify({ session_id: 's1', transcript_path: join(cwd, 's.jsonl'), cwd, ...more });
  const { stdout, exitCode } = await runCli(['hook', host, name, '--now', now], { cwd, input });
  expect(exitCode).toBe(0);
  return stdout;
}

describe('the warning', () => {
  test('comes once a cycle, at the share that is set, with the figures of the transcript', async () => {
    const cwd = workspace('compaction:\n  window: 200000\n');
    const first = await hook(cwd, 'UserPromptSubmit', { prompt: 'go on' });
    expect(first).toContain('Context is approaching the token limit (180,000 of 200,000 tokens, 90 %)');
    expect(await hook(cwd, 'UserPromptSubmit', { prompt: 'go on' })).not.toContain('token limit');
    expect(await hook(cwd, 'PostToolUse', { tool_name: 'Bash' })).toBe('');
    await hook(cwd, 'SessionStart', { source: 'compact' }, '2026-02-06T01:05:00Z');
    // The figures are still those of the time before.
    expect(await hook(cwd, 'UserPromptSubmit', {}, '2026-02-06T01:06:00Z')).not.toContain('token limit');
    writeFileSync(join(cwd, 's.jsonl'), transcript(171_000, '2026-02-06T02:00:00Z'));
    expect(await hook(cwd, 'PostToolUse', { tool_name: 'Bash' }, '2026-02-06T02:01:00Z')).toContain(
      '(171,000 of 200,000 tokens, 85 %)',
    );
  });

  test('below the share, or turned off, there is none', async () => {
    const low = workspace('compaction:\n  window: 300000\n');
    expect(await hook(low, 'UserPromptSubmit')).not.toContain('token limit');
    const off = workspace('compaction:\n  window: 200000\n  warnAt: 0\n');
    expect(await hook(off, 'UserPromptSubmit')).not.toContain('token limit');
  });
});

test('hints are counted from the start that a host tells of', async () => {
  const cwd = testDir({
    'SCRATCHPAD.md': '# Pad\n',
    '.scratchpad/config.yaml': 'nudgeAfterTurns: 2\ncompaction:\n  warnAt: 0\n',
  });
  const turn = async (more: object = {}): Promise<boolean> =>
    (await hook(cwd, 'before_prompt_build', more, undefined, 'openclaw')).includes(
      '[Hint: The scratchpad is still empty after 2 turns;',
    );
  expect([await turn({ source: 'startup' }), await turn()]).toEqual([false, true]);
  expect([await turn(), await turn({ source: 'startup' }), await turn()]).toEqual([false, false, true]);
});

describe('before and after', () => {
  test('the pad is kept as it was, with what a person had just edited', async () => {
    const cwd = workspace('ttl: 30m\n');
    await runCli(['notes', 'append', 'one'], { cwd });
    const pad = join(cwd, 'SCRATCHPAD.md');
    writeFileSync(pad, readFileSync(pad, 'utf8').replace('one', 'one\ntwo, by hand'));
    expect(await hook(cwd, 'PreCompact', { trigger: 'auto' })).toBe('');
    const [kept = ''] = readdirSync(join(cwd, '.scratchpad/snapshots'));
    expect(readFileSync(join(cwd, '.scratchpad/snapshots', kept), 'utf8')).toContain('two, by hand');
    expect((await runCli(['history'], { cwd })).stdout).toContain('edit');
  });

  test('compaction.hold: once holds one automatic compaction a cycle, and never a manual one', async () => {
    const cwd = workspace('compaction:\n  hold: once\n');
    expect(await hook(cwd, 'PreCompact', { trigger: 'manual' })).toBe('');
    const held = JSON.parse(await hook(cwd, 'PreCompact', { trigger: 'auto' })) as Record<string, string>;
    expect(held).toEqual({ decision: 'block', reason: expect.stringContaining('Held once') });
    expect(await hook(cwd, 'PreCompact', { trigger: 'auto' })).toBe('');
    await hook(cwd, 'SessionStart', { source: 'compact' });
    expect(await hook(cwd, 'PreCompact', { trigger: 'auto' })).toContain('"decision":"block"');
  });

  test('the pad goes back in with the review hint, which is not repeated', async () => {
    const cwd = workspace('nudgeAfterCompaction: 1\n');
    const back = await hook(cwd, 'SessionStart', { source: 'compact' });
    expect(back).toContain('[Hint: The conversation was compacted;');
    expect(back).toContain('1. Find the leak');
    expect(await hook(cwd, 'UserPromptSubmit')).not.toContain('[Hint');
  });

  test('hosts without a moment after it are told at the next prompt', async () => {
    const cwd = workspace('nudgeAfterCompaction: 1\n');
    expect(await hook(cwd, 'PreCompress', { trigger: 'auto' }, undefined, 'gemini-cli')).toBe('{}\n');
    expect(await hook(cwd, 'BeforeAgent', {}, undefined, 'gemini-cli')).toContain(
      '[Hint: The conversation was compacted;',
    );
    expect(await hook(cwd, 'BeforeAgent', {}, undefined, 'gemini-cli')).not.toContain('[Hint');
    const other = { session_id: 's2' };
    await hook(cwd, 'PostCompact', other, undefined, 'codex');
    expect(await hook(cwd, 'UserPromptSubmit', other, undefined, 'codex')).toContain(
      '[Hint: The conversation was compacted;',
    );
  });
});
