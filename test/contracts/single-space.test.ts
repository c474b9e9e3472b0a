import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { moment } from './host.ts';
import { tools } from './tools.ts';

/** "Session Scratchpad Extension", one space under a budget of tokens, line by line; examples are the design's own. */

const LONG = 'The July rows of EMEA are counted twice. '.repeat(300);

describe('single-space tool: session.scratchpad by mode', () => {
  test('replace is the default; the answer has tokens and budget', async () => {
    const { call, pad } = await tools();
    const content = '## Plan\n1. Fix X\n2. Test Y';
    const { text } = await call('session.scratchpad', { content });
    expect(text).toMatch(/^Scratchpad updated \(\d+ tokens \/ 2000 budget\)$/);
    expect(await pad.notes.read()).toBe(content);
    await call('session.scratchpad', { content: '3. Ship', mode: 'append' });
    expect(await pad.notes.read()).toBe(`${content}\n3. Ship`);
  });

  test('replace truncates to maxTokens and warns with both figures', async () => {
    const { call, pad } = await tools();
    const { text, value } = await call('session.scratchpad', { content: LONG, mode: 'replace' });
    expect(text).toMatch(
      /^Scratchpad truncated to 2000 tokens \(original: \d{4}\)\. Consider summarizing\.\n[\s\S]*the whole text is kept as the entry notes_1$/,
    );
    expect(value).toMatchObject({ limit: 2000, unit: 'tokens', maxTokens: 2000 });
    expect(value.tokens).toBeLessThanOrEqual(2000);
    expect(value.used).toBe(value.tokens);
    // Nothing but the budget cuts.
    expect((await pad.notes.read()).length).toBeGreaterThan(7000);
    expect((await call('scratchpad_read', { name: 'notes_1' })).text).toBe(LONG);
  });

  test('append rejects with current, added and budget figures, and changes nothing', async () => {
    const { call, refusal, pad } = await tools();
    await call('session.scratchpad', { content: 'word '.repeat(1400) });
    const before = await pad.notes.read();
    const { kind, message } = await refusal('session.scratchpad', {
      content: 'word '.repeat(900),
      mode: 'append',
    });
    expect([kind, message]).toEqual([
      'refused',
      expect.stringMatching(
        /^Append would exceed 2000 token budget \(current: \d{4}, append: \d{3,4}\)\. Use mode 'replace' to rewrite, or reduce content\.$/,
      ),
    ]);
    expect(await pad.notes.read()).toBe(before);
  });

  test('the budget of tokens is the only limit: prose over the 4,000 characters of notes is kept whole', async () => {
    const { call, refusal, pad } = await tools();
    const prose = 'The July rows of EMEA are counted twice, so the total is too high. '.repeat(100);
    const { text, value } = await call('session.scratchpad', { content: prose });
    expect(text).toBe(`Scratchpad updated (${value.tokens} tokens / 2000 budget)`);
    expect(await pad.notes.read()).toBe(prose);
    await call('session.scratchpad', { content: 'ok', mode: 'append' });
    expect(await pad.notes.read()).toBe(`${prose}\nok`);
    // The actions have the notes' own limit, and say it.
    expect(
      (await refusal('session.scratchpad', { action: 'append_notes', content: 'ok' })).detail,
    ).toMatchObject({
      expected: expect.stringContaining('4,000 characters'),
    });
    expect(await pad.notes.read()).toBe(`${prose}\nok`);
  });

  test('maxTokens is configurable', async () => {
    const { call } = await tools('scratchpad:\n  maxTokens: 10\n');
    const { text } = await call('session.scratchpad', { content: 'hello world' });
    expect(text).toBe('Scratchpad updated (2 tokens / 10 budget)');
    const large = await tools('scratchpad:\n  maxTokens: 5000\n');
    await large.call('session.scratchpad', { content: LONG });
    expect(await large.pad.notes.read()).toBe(LONG);
  });

  test('injection: the block goes before the user message, and enabled: false removes tool and injection', async () => {
    const { call, pad } = await tools();
    await call('session.scratchpad', { content: '## Plan\n1. Fix X' });
    const { text } = await pad.context();
    expect(text).toMatch(
      /^\[Session Scratchpad - your persistent working memory\]\n[\s\S]*1\. Fix X\n\[End Scratchpad\]\n$/,
    );
    const off = await tools('scratchpad:\n  enabled: false\n');
    await off.pad.notes.append('kept all the same');
    expect((await off.pad.context()).text).toBe('');
    expect((await off.pad.tools()).map(({ name }) => name)).not.toContain('session.scratchpad');
    expect((await off.refusal('session.scratchpad', { content: 'x' })).message).toBe('no such tool');
  });

  test('the schema has content, and mode with replace and append', async () => {
    const { properties, required } = await (await tools()).schema('session.scratchpad');
    expect(properties.content).toMatchObject({ type: 'string' });
    expect(properties.mode).toMatchObject({
      type: 'string',
      enum: ['replace', 'append'],
      description: expect.stringContaining('replace: overwrite the entire scratchpad (default)'),
    });
    expect(required).toEqual([]);
    const [tool] = await (await tools()).pad.tools();
    expect(tool?.description).toContain('notes: 4,000, or 2,000 tokens without action');
    expect(tool?.description).toContain(
      'Persist important working state (plans, findings, decisions) that survives context compaction',
    );
  });

  test('data flow: saved at turn N, before the model at N+1, and at N+8 after a compaction', async () => {
    const { call, pad } = await tools();
    await call('session.scratchpad', { content: '## Plan\n1. Fix X\n2. Test Y', mode: 'replace' });
    const block =
      /\[Session Scratchpad - your persistent working memory\]\n[\s\S]*## Plan\n1\. Fix X\n2\. Test Y\n[\s\S]*\[End Scratchpad\]/;
    const { workspace } = pad;
    expect(await moment(workspace, 'UserPromptSubmit', { prompt: 'continue with step 2' })).toMatch(block);
    await moment(workspace, 'PreCompact', { trigger: 'auto' });
    // The window before it holds the block: it is not said twice.
    expect(await moment(workspace, 'UserPromptSubmit', { prompt: 'yes' })).not.toMatch(block);
    expect(await moment(workspace, 'SessionStart', { source: 'compact' })).toMatch(block);
  });

  test('order: steer text, scratchpad, user message', async () => {
    const { call, pad } = await tools('nudgeAfterCompaction: 1\n');
    await call('session.scratchpad', { content: 'Fix X' });
    // The host puts the prompt behind what it is given.
    expect(await moment(pad.workspace, 'SessionStart', { source: 'compact' })).toMatch(
      /^\[Hint: [^\n]*\]\n\n\[Session Scratchpad/,
    );
  });

  test('session resume: the last entry is what counts', async () => {
    const { call, pad } = await tools();
    for (const content of ['first', 'second', 'third']) await call('session.scratchpad', { content });
    const again = await tools('', {}, pad.workspace);
    expect(await again.pad.notes.read()).toBe('third');
    rmSync(pad.path);
    expect(await again.pad.notes.read()).toBe('third');
  });

  test('append at the budget is taken, one token more is not', async () => {
    const { call, refusal, pad } = await tools('scratchpad:\n  maxTokens: 4\n');
    await call('session.scratchpad', { content: 'hello world' });
    expect(
      (await refusal('session.scratchpad', { content: 'one two three four', mode: 'append' })).message,
    ).toMatch(/^Append would exceed 4 token budget \(current: 2, append: 4\)/);
    expect((await call('session.scratchpad', { content: '!', mode: 'append' })).text).toBe(
      'Scratchpad updated (4 tokens / 4 budget)',
    );
    expect(await pad.notes.read()).toBe('hello world\n!');
  });

  test('system prompt guidance: what to save, the budget, the modes; nothing of the tool when it is off', async () => {
    const { pad } = await tools('scratchpad:\n  maxTokens: 1500\n');
    const text = pad.guidance();
    expect(text).toMatch(
      /^## Session Scratchpad\nYou have a persistent scratchpad tool \(session_scratchpad\) that survives context compaction\.\n/,
    );
    expect(text).toContain('multi-step plans, key findings, important decisions, accumulated state');
    expect(text).toContain('Budget: ~1500 tokens.');
    expect(text).toContain('mode "replace" to overwrite');
    // Only a host with hooks shows it by itself.
    const inHosts = (await runWarm(['guidance', '--tools'], { cwd: pad.workspace })).stdout.split('\n');
    expect(text).not.toContain('A host with hooks');
    expect(inHosts.filter((line) => !text.includes(line.replace('session.', 'session_')))).toEqual([
      expect.stringContaining('A host with hooks'),
    ]);
    const off = await tools('scratchpad:\n  enabled: false\n');
    expect(off.pad.guidance()).not.toMatch(/session[._]scratchpad/);
    expect(await moment(off.pad.workspace, 'UserPromptSubmit', { prompt: 'x' })).toBe('');
  });
});
