import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openScratchpad, type Scratchpad } from '../../src/index.ts';
import { testDir } from '../helpers/test-dir.ts';

/** Each contract of a published design, by its name there; examples are the design's own. */

interface Tools {
  pad: Scratchpad;
  call: (name: string, args?: unknown) => Promise<{ text: string; value: Record<string, unknown> }>;
  refusal: (
    name: string,
    args?: unknown,
  ) => Promise<{ kind: string; message: string; detail: Record<string, string> }>;
}

async function tools(config = '', files: Record<string, string> = {}): Promise<Tools> {
  const workspace = testDir({ ...files, ...(config === '' ? {} : { '.scratchpad/config.yaml': config }) });
  const pad = await openScratchpad({ workspace, env: { HOME: join(workspace, 'home'), TZ: 'UTC' } });
  return {
    pad,
    call: (name, args) => pad.callTool(name, args),
    refusal: async (name, args) => {
      const done: unknown = await pad.callTool(name, args).catch((error: unknown) => error);
      return done as { kind: string; message: string; detail: Record<string, string> };
    },
  };
}

describe('three spaces: session.scratchpad by action', () => {
  test('set_plan', async () => {
    const { call, pad } = await tools();
    const plan = '1. Fix auth bug\n2. Add test\n3. Update docs';
    expect((await call('session.scratchpad', { action: 'set_plan', content: plan })).text).toBe(
      'plan: 42 of 2,000 characters',
    );
    expect(await pad.plan.read()).toBe(plan);
    const progress = '1. ~~Fix auth bug~~ DONE\n2. Add test <-- current\n3. Update docs';
    await call('session.scratchpad', { action: 'set_plan', content: progress });
    expect(await pad.plan.read()).toBe(progress);
  });

  test('set_plan truncates to 2,000 characters and warns in the response', async () => {
    const { call, pad } = await tools();
    const { text, value } = await call('session.scratchpad', {
      action: 'set_plan',
      content: 'x'.repeat(2500),
    });
    expect(text).toBe(
      'plan: 2,000 of 2,000 characters\nplan truncated to 2,000 characters (original: 2,500). Consider summarizing.',
    );
    expect(value).toMatchObject({ used: 2000, limit: 2000 });
    expect((await pad.plan.read()).length).toBe(2000);
  });

  test('append_notes', async () => {
    const { call, pad } = await tools();
    await call('session.scratchpad', {
      action: 'append_notes',
      content: 'Root cause: timezone mismatch in token expiry',
    });
    await call('session.scratchpad', { action: 'append_notes', content: 'Second' });
    expect(await pad.notes.read()).toBe('Root cause: timezone mismatch in token expiry\nSecond');
  });

  test('append_notes is rejected if combined would exceed 4,000, notes unchanged', async () => {
    const { call, refusal, pad } = await tools();
    await call('session.scratchpad', { action: 'set_notes', content: 'a'.repeat(3999) });
    const refused = await refusal('session.scratchpad', { action: 'append_notes', content: 'b' });
    expect(refused).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('exceed the notes limit'),
    });
    expect(await pad.notes.read()).toBe('a'.repeat(3999));
  });

  test('set_notes truncates to 4,000 characters and warns', async () => {
    const { call } = await tools();
    const { text } = await call('session.scratchpad', { action: 'set_notes', content: 'é🦀'.repeat(2500) });
    expect(text).toContain('notes: 4,000 of 4,000 characters');
    expect(text).toContain('(original: 5,000)');
  });

  test('refs.add, refs.remove by exact match, an error if not found', async () => {
    const { call, refusal, pad } = await tools();
    await call('session.scratchpad', { action: 'refs.add', ref: 'src/auth/login.ts' });
    expect((await refusal('session.scratchpad', { action: 'refs.remove', ref: 'src/auth' })).kind).toBe(
      'refused',
    );
    await call('session.scratchpad', { action: 'refs.remove', ref: 'src/auth/login.ts' });
    expect(await pad.refs.list()).toEqual([]);
    expect((await refusal('session.scratchpad', { action: 'refs.add', ref: '' })).kind).toBe('usage');
  });

  test('refs.add drops the oldest at 50', async () => {
    const { call, pad } = await tools();
    await call('session.scratchpad', {
      action: 'refs.set',
      items: Array.from({ length: 50 }, (_, n) => `ref ${n}`),
    });
    await call('session.scratchpad', { action: 'refs.add', ref: 'newest' });
    const refs = await pad.refs.list();
    expect([refs.length, refs[0], refs.at(-1)]).toEqual([50, 'ref 1', 'newest']);
  });

  test('refs.set caps to the first 50 and drops what is not a string, silently', async () => {
    const { call, pad } = await tools();
    const items = ['src/auth/login.ts', 7, null, 'https://github.com/org/repo/issues/42', { a: 1 }];
    const { value } = await call('session.scratchpad', { action: 'refs.set', items });
    expect(value.warnings).toEqual([]);
    expect(await pad.refs.list()).toEqual(['src/auth/login.ts', 'https://github.com/org/repo/issues/42']);
    await call('session.scratchpad', {
      action: 'refs.set',
      items: Array.from({ length: 60 }, (_, n) => `r${n}`),
    });
    expect((await pad.refs.list()).at(-1)).toBe('r49');
  });

  test('each space is persisted to the session JSONL under its own key, as a tool’s', async () => {
    const { call, pad } = await tools();
    await call('session.scratchpad', { action: 'set_notes', content: 'n' });
    await call('session.scratchpad', { action: 'set_plan', content: 'p' });
    await call('session.scratchpad', { action: 'refs.add', ref: 'r' });
    const journal = readFileSync(join(pad.workspace, '.scratchpad/sessions/main/journal.jsonl'), 'utf8');
    const entries = journal
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line));
    expect(entries.map(({ customType, data, scratchpad }) => [customType, data, scratchpad.by])).toEqual([
      ['openclaw:scratchpad:notes', 'n', 'tool'],
      ['openclaw:scratchpad:plan', 'p', 'tool'],
      ['openclaw:scratchpad:refs', ['r'], 'tool'],
    ]);
  });
});

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
    const { text, value } = await call('session.scratchpad', {
      content: 'word '.repeat(3200),
      mode: 'replace',
    });
    expect(text).toMatch(
      /^Scratchpad truncated to 2000 tokens \(original: \d{4}\)\. Consider summarizing\.$/,
    );
    expect(value.tokens).toBeLessThanOrEqual(2000);
    expect(value.tokens).toBeGreaterThan(1900);
    expect((await pad.notes.read()).length).toBeGreaterThan(4000);
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

  test('maxTokens is configurable, and tokens can be counted exactly', async () => {
    const { call } = await tools('scratchpad:\n  maxTokens: 10\ntokens:\n  exact: on\n');
    const { text } = await call('session.scratchpad', { content: 'hello world' });
    expect(text).toBe('Scratchpad updated (2 tokens / 10 budget)');
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
    expect((await off.refusal('session.scratchpad', { content: 'x' })).message).toBe('there is no such tool');
  });
});

describe('notepad', () => {
  test('read_notepad returns content, empty when nothing was written', async () => {
    const { call } = await tools();
    expect((await call('read_notepad')).value).toEqual({ content: '' });
    await call('write_notepad', { content: '## Plan\n- [ ] Survey all sheets' });
    expect((await call('read_notepad', {})).value).toEqual({ content: '## Plan\n- [ ] Survey all sheets' });
  });

  test('write_notepad and update_notepad return ok: true; writing "" clears', async () => {
    const { call } = await tools();
    expect((await call('write_notepad', { content: 'a' })).value.ok).toBe(true);
    expect((await call('update_notepad', { operation: 'append', content: 'b' })).value.ok).toBe(true);
    await call('write_notepad', { content: '' });
    expect((await call('read_notepad')).value).toEqual({ content: '' });
  });

  test('update_notepad: append, prepend, find_replace, delete', async () => {
    const { call } = await tools();
    await call('update_notepad', { operation: 'append', content: '- [ ] Sheet 1' });
    await call('update_notepad', { operation: 'prepend', content: '## Plan' });
    await call('update_notepad', { operation: 'find_replace', find: '[ ]', replace: '[x]' });
    expect((await call('read_notepad')).value.content).toBe('## Plan\n- [x] Sheet 1');
    await call('update_notepad', { operation: 'delete', content: '\n- [x] Sheet 1' });
    expect((await call('read_notepad')).value.content).toBe('## Plan');
  });

  test('find_replace and delete refuse with the number of matches, replace_all replaces them', async () => {
    const { call, refusal } = await tools();
    await call('write_notepad', { content: 'x y x' });
    expect(
      (await refusal('update_notepad', { operation: 'find_replace', find: 'x', replace: 'z' })).message,
    ).toContain('2 matches');
    expect((await refusal('update_notepad', { operation: 'delete', content: 'q' })).message).toContain(
      '0 matches',
    );
    await call('update_notepad', { operation: 'find_replace', find: 'x', replace: 'z', replace_all: true });
    expect((await call('read_notepad')).value.content).toBe('z y z');
  });

  test('session.notepad for tools: read, write, append', async () => {
    const { pad } = await tools();
    await pad.notepad.write('progress:');
    await pad.notepad.append('sheet 1 done');
    expect(await pad.notepad.read()).toBe('progress:\nsheet 1 done');
  });
});

describe('named entries', () => {
  test('scratchpad_write overwrites silently, scratchpad_read reads', async () => {
    const { call } = await tools();
    await call('scratchpad_write', { name: 'notes/api', content: 'one' });
    await call('scratchpad_write', { name: 'notes/api', content: 'two' });
    expect((await call('scratchpad_read', { name: 'notes/api' })).value).toEqual({
      name: 'notes/api',
      content: 'two',
      offset: 0,
      characters: 3,
      total: 3,
      nextOffset: null,
    });
  });

  test('scratchpad_read: offset, limit 30,000, regex with at most 100 lines', async () => {
    const { call } = await tools();
    const content = Array.from({ length: 5000 }, (_, n) => `line ${n}`).join('\n');
    await call('scratchpad_write', { name: 'x', content });
    const first = await call('scratchpad_read', { name: 'x' });
    expect(first.value).toMatchObject({ characters: 30_000, nextOffset: 30_000 });
    expect(first.text).toMatch(/\[48,889 characters in all; go on with offset 30000\]$/);
    const piece = await call('scratchpad_read', { name: 'x', offset: 7, limit: 6 });
    expect(piece.value.content).toBe('line 1');
    const found = await call('scratchpad_read', { name: 'x', regex: 'line \\d+7$' });
    expect(found.value).toMatchObject({ matches: 100 });
    expect(found.text.split('\n').slice(0, 2)).toEqual(['18: line 17', '28: line 27']);
  });

  test('scratchpad_edit: content, or old_string and new_string, never both', async () => {
    const { call, refusal } = await tools();
    await call('scratchpad_write', { name: 'x', content: 'a b a' });
    expect(
      (await refusal('scratchpad_edit', { name: 'x', old_string: 'a', new_string: 'c' })).message,
    ).toContain('2 matches in x');
    await call('scratchpad_edit', { name: 'x', old_string: 'a', new_string: 'c', replace_all: true });
    expect((await call('scratchpad_read', { name: 'x' })).value.content).toBe('c b c');
    for (const bad of [
      {},
      { content: 'x', old_string: 'a', new_string: 'b' },
      { old_string: 'a' },
      { content: 'x', new_string: 'b' },
    ]) {
      expect((await refusal('scratchpad_edit', { name: 'x', ...bad })).kind).toBe('usage');
    }
    await call('scratchpad_edit', { name: 'x', content: 'whole' });
    expect((await call('scratchpad_read', { name: 'x' })).value.content).toBe('whole');
  });

  test('scratchpad_list: name, size, creation time; scratchpad_delete', async () => {
    const { call, refusal } = await tools();
    await call('scratchpad_write', { name: 'a', content: 'äö' });
    const { value } = await call('scratchpad_list');
    expect(value.entries).toMatchObject([
      {
        name: 'a',
        characters: 2,
        bytes: 4,
        created: expect.stringMatching(/Z$/),
        origin: 'tool: scratchpad_write',
      },
    ]);
    await call('scratchpad_delete', { name: 'a' });
    expect((await call('scratchpad_list')).value).toEqual({ entries: [] });
    expect((await refusal('scratchpad_delete', { name: 'a' })).kind).toBe('refused');
  });

  test.each([
    ['scratchpad_write', { name: '', content: 'x' }],
    ['scratchpad_write', { name: 'a\0b', content: 'x' }],
    ['scratchpad_write', { name: 'x'.repeat(10_000), content: 'x' }],
    ['scratchpad_write', { name: 'x' }],
    ['scratchpad_write', { name: 7, content: 'x' }],
    ['scratchpad_read', { name: 'x', offset: -1 }],
    ['scratchpad_read', { name: 'x', limit: '5' }],
    ['scratchpad_read', { name: 'x', regex: '(' }],
    ['scratchpad_read', { name: 'x', regex: '(?=x)' }],
    ['scratchpad_read', 'x'],
    ['scratchpad_list', { all: true }],
    ['session.scratchpad', { action: 'drop' }],
    ['session.scratchpad', {}],
    ['session.scratchpad', { action: 'refs.add' }],
    ['session.scratchpad', { mode: 'replace' }],
    ['update_notepad', { operation: 'append' }],
    ['update_notepad', { operation: 'find_replace', find: '', replace: 'x' }],
    ['write_notepad', {}],
    ['memory_search', { query: ' ' }],
    ['analyze_messages', { messages: 'x' }],
    ['analyze_messages', { messages: [] }],
    ['__proto__', {}],
    ['scratchpad_write', JSON.parse('{"name":"x","content":"y","__proto__":1}')],
  ])('invalid arguments are refused as such: %s %j', async (name, args) => {
    const { refusal, call } = await tools();
    await call('scratchpad_write', { name: 'x', content: 'y' });
    const refused = await refusal(name, args);
    expect(refused.kind).toBe('usage');
    expect(refused.message.length).toBeGreaterThan(10);
  });

  test('hostile names are names, and nothing leaves the session', async () => {
    const { call, pad } = await tools('', { 'x.txt': 'outside' });
    for (const name of ['../x.txt', '../../../../x.txt', 'con', '🦀', '.git/config', '/etc/passwd']) {
      await call('scratchpad_write', { name, content: `of ${name}` });
      expect((await call('scratchpad_read', { name })).value.content).toBe(`of ${name}`);
    }
    expect(readFileSync(join(pad.workspace, 'x.txt'), 'utf8')).toBe('outside');
    expect(existsSync(join(pad.workspace, '.git'))).toBe(false);
  });
});

describe('assembler: memory and mood', () => {
  test('memory_search: lines that a person can open', async () => {
    const { call } = await tools('', {
      'MEMORY.md': '# Lab\n\n- The cluster config lives in ~/.kube/lab\n- Lunch is at noon\n',
    });
    const { text, value } = await call('memory_search', { query: 'where is the cluster config?' });
    expect(text).toContain('(MEMORY.md:3)');
    expect(value.results).toMatchObject([
      { path: 'MEMORY.md', line: 3, text: expect.stringContaining('~/.kube/lab') },
    ]);
  });

  test('analyze_messages, get_state, get_strategy', async () => {
    const messages = [
      {
        role: 'user',
        content: 'this is STILL broken!!! I told you twice, stop guessing',
        timestamp: '2026-02-06T01:00:00Z',
      },
    ];
    const { call } = await tools();
    const { value } = await call('analyze_messages', { messages });
    expect(value.state).toMatchObject({ emotion: 'frustrated', windowSize: 1 });
    expect(value.strategy).toMatchObject({ style: 'concise', preamble: false });
    const nobody = await call('get_state');
    expect(nobody.value.state).toMatchObject({ confidence: 0, windowSize: 0 });
    expect((await call('get_strategy')).value.strategy).toMatchObject({ style: 'neutral' });
  });
});
