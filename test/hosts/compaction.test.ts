import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** A Claude Code transcript whose last answer read so many tokens. */
function transcript(tokens: number, at: string, model = 'claude-x'): string {
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
      model,
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
  const { stdout, exitCode } = await runWarm(['hook', host, name, '--now', now], { cwd, input });
  expect(exitCode).toBe(0);
  return stdout;
}

describe('the warning', () => {
  test('is given once per cycle, at the configured share, with the figures of the transcript', async () => {
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

  test.each([
    ['claude-opus-5-5', 180_000, false],
    ['claude-opus-5-5', 860_000, true],
    ['claude-sonnet-4-5', 180_000, true],
    ['claude-sonnet-4-5', 260_000, false],
    ['claude-x', 180_000, false],
  ])('%s with %d tokens: by the size of its own context, or not at all', async (model, tokens, warned) => {
    const cwd = workspace('ttl: 30m\n');
    const padding = JSON.stringify({ type: 'system', content: 'x'.repeat(200_000) });
    writeFileSync(join(cwd, 's.jsonl'), `${padding}\n${transcript(tokens, '2026-02-06T01:00:00Z', model)}`);
    expect((await hook(cwd, 'UserPromptSubmit', { prompt: 'go on' })).includes('token limit')).toBe(warned);
  });

  test('the large variant of a model, which only the start names', async () => {
    const cwd = workspace('ttl: 30m\n');
    const padding = JSON.stringify({ type: 'system', content: 'x'.repeat(200_000) });
    const words = transcript(180_000, '2026-02-06T01:00:00Z', 'claude-sonnet-4-5');
    writeFileSync(join(cwd, 's.jsonl'), `${padding}\n${words}`);
    await hook(cwd, 'SessionStart', { source: 'startup', model: 'claude-sonnet-4-5[1m]' });
    expect(await hook(cwd, 'UserPromptSubmit', { prompt: 'go on' })).not.toContain('token limit');
  });

  test('below the share, or turned off, there is none', async () => {
    const low = workspace('compaction:\n  window: 300000\n');
    expect(await hook(low, 'UserPromptSubmit')).not.toContain('token limit');
    const off = workspace('compaction:\n  window: 200000\n  warnAt: 0\n');
    expect(await hook(off, 'UserPromptSubmit')).not.toContain('token limit');
  });
});

test('hints are counted from the session start that the host reports', async () => {
  const cwd = testDir({
    'SCRATCHPAD.md': '# Pad\n',
    '.scratchpad/config.yaml': 'nudgeAfterTurns: 2\ncompaction:\n  warnAt: 0\n',
  });
  const turn = async (more: object = {}): Promise<boolean> =>
    (await hook(cwd, 'prompt', more, undefined, 'openclaw')).includes(
      '[Hint: The scratchpad is still empty after 2 turns;',
    );
  expect([await turn({ source: 'startup' }), await turn()]).toEqual([false, true]);
  expect([await turn(), await turn({ source: 'startup' }), await turn()]).toEqual([false, false, true]);
});

test('a change of any space counts as use, whoever made it', async () => {
  const cwd = testDir({ '.scratchpad/config.yaml': 'nudgeTurnsSinceLastUse: 2\ncompaction:\n  warnAt: 0\n' });
  const hinted = async (): Promise<boolean> =>
    (await hook(cwd, 'UserPromptSubmit', { prompt: 'go on' })).includes('has not changed for 2 turns');
  await runWarm(['plan', 'set', '1. a'], { cwd });
  expect([await hinted(), await hinted(), await hinted()]).toEqual([false, true, false]);
  const uses: string[][] = [
    ['refs', 'add', 'src/a.ts'],
    ['notes', 'append', 'b'],
    ['plan', 'done', '1'],
    ['refs', 'remove', 'src/a.ts'],
    ['notes', 'append', 'mine alone', '--session', 's1'],
  ];
  for (const use of uses) {
    expect((await runWarm(use, { cwd })).exitCode).toBe(0);
    expect([await hinted(), await hinted(), await hinted()]).toEqual([false, false, true]);
  }
  const pad = join(cwd, 'SCRATCHPAD.md');
  writeFileSync(pad, readFileSync(pad, 'utf8').replace('b\n', 'b, by hand\n'));
  expect([await hinted(), await hinted(), await hinted()]).toEqual([false, false, true]);
  // A resumed session is counted from its resume.
  await hook(cwd, 'SessionStart', { source: 'resume' });
  expect([await hinted(), await hinted()]).toEqual([false, true]);
});

/** What the request for the summary is told. */
const GOES_AHEAD = /^Keep each requirement/;

describe('before and after', () => {
  test("a person's latest edit is in the journal", async () => {
    const cwd = workspace('ttl: 30m\n');
    await runWarm(['notes', 'append', 'one'], { cwd });
    const pad = join(cwd, 'SCRATCHPAD.md');
    writeFileSync(pad, readFileSync(pad, 'utf8').replace('one', 'one\ntwo, by hand'));
    expect(await hook(cwd, 'PreCompact', { trigger: 'auto' })).toMatch(GOES_AHEAD);
    expect((await runWarm(['history'], { cwd })).stdout).toMatch(/edit.*two, by hand/);
  });

  test('compaction.hold: once holds an automatic compaction, and once more for the turn in which the model knows why', async () => {
    const cwd = workspace('compaction:\n  hold: once\n  window: 300000\n');
    const compact = (trigger = 'auto'): Promise<string> => hook(cwd, 'PreCompact', { trigger });
    expect(await compact('manual')).toMatch(GOES_AHEAD);
    expect(JSON.parse(await compact())).toEqual({
      decision: 'block',
      reason: expect.stringContaining('Held by scratchpad'),
    });
    expect(await hook(cwd, 'PostToolUse', { tool_name: 'Bash' })).toContain('is held for one turn');
    expect(await compact()).toContain('"decision":"block"');
    expect(await compact()).toMatch(GOES_AHEAD);
    await hook(cwd, 'SessionStart', { source: 'compact' }, '2026-02-06T01:05:00Z');
    writeFileSync(join(cwd, 's.jsonl'), transcript(180_000, '2026-02-06T02:00:00Z'));
    expect(await compact()).toContain('"decision":"block"');
    // Nobody could be told: it goes ahead.
    expect(await compact()).toMatch(GOES_AHEAD);
  });

  test('a compaction is held only if another turn fits', async () => {
    for (const window of [190_000, 0]) {
      const cwd = workspace(`compaction:\n  hold: once\n  window: ${window}\n`);
      expect(await hook(cwd, 'PreCompact', { trigger: 'auto' })).toMatch(GOES_AHEAD);
    }
  });

  test('hosts that cannot hold a compaction do not claim to', async () => {
    const cwd = workspace('compaction:\n  hold: once\n');
    expect(await hook(cwd, 'PreCompact', { trigger: 'auto' }, undefined, 'codex')).toBe('');
    expect(await hook(cwd, 'PreCompress', { trigger: 'auto' }, undefined, 'gemini-cli')).toBe('{}\n');
    expect((await runWarm(['status'], { cwd })).stdout).not.toContain('held');
  });

  test('the pad goes back in with the review hint, which is not repeated', async () => {
    const cwd = workspace('nudgeAfterCompaction: 1\n');
    const back = await hook(cwd, 'SessionStart', { source: 'compact' });
    expect(back).toContain('[Hint: The conversation was compacted;');
    expect(back).toContain('1. Find the leak');
    expect(await hook(cwd, 'UserPromptSubmit')).not.toContain('[Hint');
  });

  test('Gemini CLI announces compressions that do not happen: its transcript shows those that did', async () => {
    const cwd = workspace('nudgeAfterCompaction: 1\n');
    const chat = (compressedAt?: string): void => {
      const entry = (type: string, text: string, timestamp: string): object => ({
        id: `${type}-${timestamp}`,
        timestamp,
        type,
        content: [{ text }],
      });
      const records = [
        { sessionId: 's1', projectHash: 'p', startTime: '2026-02-06T01:00:00Z' },
        entry('user', 'the pool leaks', '2026-02-06T01:01:00Z'),
        ...(compressedAt === undefined
          ? []
          : [
              {
                $set: {
                  messages: [
                    entry('user', `what is known at ${compressedAt}`, compressedAt),
                    entry('gemini', 'Got it. Thanks for the additional context!', compressedAt),
                  ],
                },
              },
            ]),
      ];
      writeFileSync(join(cwd, 's.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    };
    const gemini = (name: string, time: string): Promise<string> =>
      hook(cwd, name, { trigger: 'auto' }, `2026-02-06T${time}Z`, 'gemini-cli');
    chat('2026-02-06T00:59:00Z');
    expect(await gemini('SessionStart', '01:00:00')).toBe('{}\n');
    expect(await gemini('BeforeAgent', '01:01:00')).not.toContain('[Hint');
    chat();
    for (const time of ['01:01:01', '01:01:10', '01:01:20']) {
      expect(await gemini('PreCompress', time)).toBe('{}\n');
    }
    expect(await gemini('BeforeAgent', '01:02:00')).not.toContain('[Hint');
    chat('2026-02-06T01:02:10Z');
    expect(await gemini('PreCompress', '01:02:30')).toBe('{}\n');
    expect(await gemini('BeforeAgent', '01:03:00')).toContain('[Hint: The conversation was compacted;');
    expect(await gemini('BeforeAgent', '01:04:00')).not.toContain('[Hint');
  });

  test('Copilot, which reports none: one at the end of a process is noticed when the session is resumed', async () => {
    const cwd = workspace('ttl: 30m\n');
    const file = join(cwd, 's.jsonl');
    const add = (type: string, data: object, timestamp: string): void =>
      appendFileSync(file, `${JSON.stringify({ type, data, id: timestamp, timestamp, parentId: null })}\n`);
    const tell = (name: string, more: object, time: string): Promise<string> =>
      hook(cwd, name, more, `2026-02-06T${time}Z`, 'copilot');
    writeFileSync(file, '');
    add('session.start', { sessionId: 's1', version: 1 }, '2026-02-06T01:00:00Z');
    await tell('sessionStart', { source: 'new' }, '01:00:00');
    expect(await tell('userPromptSubmitted', { prompt: 'the pool leaks' }, '01:00:01')).toContain('the leak');
    add('user.message', { content: 'the pool leaks' }, '2026-02-06T01:00:02Z');
    add('assistant.message', { content: 'On it.' }, '2026-02-06T01:00:03Z');
    await tell('sessionEnd', {}, '01:00:04');
    expect(await tell('userPromptSubmitted', { prompt: 'go on' }, '01:00:05')).toBe('');
    add('session.compaction_complete', { success: true, summaryContent: 'it leaks' }, '2026-02-06T01:00:06Z');
    await tell('sessionEnd', {}, '01:00:07');
    await tell('sessionStart', { source: 'resume' }, '01:01:00');
    expect(await tell('userPromptSubmitted', { prompt: 'go on' }, '01:01:01')).toContain('Find the leak');
  });

  test('Copilot runs the hooks of a start and of its first prompt at once: a late start takes nothing back', async () => {
    const cwd = workspace('ttl: 30m\n');
    const tell = (name: string, more: object, time: string): Promise<string> =>
      hook(cwd, name, more, `2026-02-06T${time}Z`, 'copilot');
    expect(await tell('userPromptSubmitted', { prompt: 'the pool leaks' }, '01:00:00')).toContain('the leak');
    await tell('sessionStart', { source: 'new' }, '01:00:01');
    expect(await tell('userPromptSubmitted', { prompt: 'go on' }, '01:00:05')).toBe('');
  });

  test('Gemini CLI compresses at half of a million tokens: the warning comes before that', async () => {
    const cwd = workspace('ttl: 30m\n');
    const chat = (tokens: number): void => {
      const records = [
        { sessionId: 's1', projectHash: 'p', startTime: '2026-02-06T01:00:00Z' },
        { id: 'u', type: 'user', timestamp: '2026-02-06T01:00:10Z', content: 'x'.repeat(200_000) },
        {
          id: 'g',
          type: 'gemini',
          timestamp: '2026-02-06T01:00:20Z',
          content: 'On it.',
          tokens: { input: tokens, output: 0, total: tokens },
        },
      ];
      writeFileSync(join(cwd, 's.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    };
    const prompt = (): Promise<string> =>
      hook(cwd, 'BeforeAgent', { prompt: 'go on' }, undefined, 'gemini-cli');
    chat(300_000);
    expect(await prompt()).not.toContain('token limit');
    chat(450_000);
    expect(await prompt()).toContain('(450,000 of 524,288 tokens, 85 %)');
    // Beside a preview it is still told.
    const call = {
      session_id: 's2',
      tool_name: 'run_shell_command',
      tool_response: { llmContent: 'x'.repeat(40_000) },
    };
    const shown = await hook(cwd, 'AfterTool', call, undefined, 'gemini-cli');
    expect(JSON.parse(shown)).toEqual({
      decision: 'deny',
      reason: expect.stringMatching(/kept as execute_command_1[\s\S]*\(450,000 of 524,288 tokens, 85 %\)/),
    });
  });

  test('hosts that ignore the text of a start get it at the next prompt', async () => {
    const cwd = workspace('nudgeAfterCompaction: 1\n');
    const other = { session_id: 's2' };
    await hook(cwd, 'PostCompact', other, undefined, 'codex');
    expect(await hook(cwd, 'UserPromptSubmit', other, undefined, 'codex')).toContain(
      '[Hint: The conversation was compacted;',
    );
  });
});
