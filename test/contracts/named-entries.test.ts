import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openScratchpad, Sessions } from '../../src/index.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { moment } from './host.ts';
import { tools } from './tools.ts';

/** "Scratchpad", named entries, line by line; what the design calls by a name is called so here. */

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
    expect(first.text).toMatch(/\[48,889 characters in all; continue with offset 30000\]$/);
    const piece = await call('scratchpad_read', { name: 'x', offset: 7, limit: 6 });
    expect(piece.value.content).toBe('line 1');
    const found = await call('scratchpad_read', { name: 'x', regex: 'line \\d+7$' });
    expect(found.value).toMatchObject({ matches: 100 });
    expect(found.text.split('\n').slice(0, 2)).toEqual(['18: line 17', '28: line 27']);
    const most = await call('scratchpad_read', { name: 'x', limit: 1e8 });
    expect(most.value).toMatchObject({ characters: 30_000, nextOffset: 30_000 });
    expect(most.text).toMatch(/\[48,889 characters in all; continue with offset 30000\]$/);
    const beyond = '[offset 99999 is past the end: the entry has 48,889 characters]';
    for (const way of [{}, { regex: 'line' }])
      expect((await call('scratchpad_read', { name: 'x', offset: 99_999, ...way })).text).toBe(beyond);
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

  test('the schemas: names, types and what is required', async () => {
    const { schema } = await tools();
    const shape = async (name: string): Promise<unknown> => {
      const { properties, required } = await schema(name);
      const { scratchpad: _, ...own } = properties;
      return [Object.fromEntries(Object.entries(own).map(([key, { type }]) => [key, type])), required];
    };
    expect(await shape('scratchpad_write')).toEqual([
      { name: 'string', content: 'string' },
      ['name', 'content'],
    ]);
    expect(await shape('scratchpad_read')).toEqual([
      {
        name: 'string',
        offset: 'integer',
        limit: 'integer',
        regex: 'string',
        context: 'integer',
        session: 'string',
      },
      ['name'],
    ]);
    expect(await shape('scratchpad_edit')).toEqual([
      {
        name: 'string',
        content: 'string',
        old_string: 'string',
        new_string: 'string',
        replace_all: 'boolean',
      },
      ['name'],
    ]);
    expect(await shape('scratchpad_list')).toEqual([{}, []]);
    expect(await shape('scratchpad_delete')).toEqual([{ name: 'string' }, ['name']]);
  });

  test('scratchpad_write: a name is any non-empty string up to 200 characters, a content any string', async () => {
    const { call, refusal } = await tools();
    for (const name of ['x'.repeat(200), '🦀'.repeat(200), '..', ' a ', 'a'])
      await call('scratchpad_write', { name, content: '' });
    expect((await call('scratchpad_list')).value.entries).toHaveLength(5);
    expect((await refusal('scratchpad_write', { name: 'x'.repeat(201), content: '' })).kind).toBe('usage');
    const content = 'line\r\n\ttab \u0000 \u2028 é e\u0301 🦀 \ufeff';
    await call('scratchpad_write', { name: 'a', content });
    expect((await call('scratchpad_read', { name: 'a' })).value.content).toBe(content);
  });

  test('scratchpad_read: an offset at and past the end, a limit of 0', async () => {
    const { call } = await tools();
    await call('scratchpad_write', { name: 'x', content: 'abc' });
    for (const offset of [3, 4, 1e12]) {
      expect((await call('scratchpad_read', { name: 'x', offset })).value).toMatchObject({
        content: '',
        offset: 3,
        nextOffset: null,
      });
    }
    expect((await call('scratchpad_read', { name: 'x', limit: 0 })).value).toMatchObject({
      content: '',
      nextOffset: 0,
    });
  });

  test('scratchpad_read: regex goes on where its answer ends', async () => {
    const { call } = await tools();
    await call('scratchpad_write', {
      name: 'x',
      content: Array.from({ length: 250 }, (_, n) => `row ${n}`).join('\n'),
    });
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const { value } = await call('scratchpad_read', { name: 'x', regex: '^row', offset });
      seen.push(...(value.lines as { text: string }[]).map(({ text }) => text));
      offset = value.nextOffset as number | null;
    }
    expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => `row ${n}`));
    expect((await call('scratchpad_read', { name: 'x', regex: 'nowhere' })).text).toBe('[no line matches]');
  });

  test('scratchpad_edit: old_string is text, replace_all is false by default, an empty new_string deletes', async () => {
    const { call, refusal } = await tools();
    await call('scratchpad_write', { name: 'x', content: 'a.c abc $1' });
    expect((await refusal('scratchpad_edit', { name: 'x', old_string: 'a?c', new_string: '' })).kind).toBe(
      'refused',
    );
    await call('scratchpad_edit', { name: 'x', old_string: 'a.c', new_string: '$& $1' });
    await call('scratchpad_edit', { name: 'x', old_string: ' abc', new_string: '' });
    expect((await call('scratchpad_read', { name: 'x' })).value.content).toBe('$& $1 $1');
    expect((await refusal('scratchpad_edit', { name: 'nope', content: 'x' })).kind).toBe('refused');
  });
});

describe('named entries: when the scratchpad is used', () => {
  test('via the scratchpad parameter: a tool that answers with content saves its answer directly', async () => {
    const { call, refusal, schema } = await tools('', {
      'MEMORY.md': '- The cluster config lives in ~/.kube/lab\n',
    });
    const { text, value } = await call('memory_search', { query: 'cluster config', scratchpad: 'found' });
    expect(value.scratchpad).toMatchObject({ name: 'found', origin: 'tool: memory_search' });
    const kept = (await call('scratchpad_read', { name: 'found' })).value.content;
    expect(kept).toContain('(MEMORY.md:1)');
    expect(text).toBe(kept);
    for (const name of ['read_notepad', 'scratchpad_read', 'scratchpad_list'])
      expect((await schema(name)).properties.scratchpad?.type).toBe('string');
    expect((await refusal('read_notepad', { scratchpad: '' })).message).toBe(
      'not an entry name: it is empty',
    );
  });

  test('via the scratchpad parameter: every tool takes it, and those that answer with more than a line list it', async () => {
    const { call, schema, pad } = await tools();
    const kept = async (name: string): Promise<unknown> =>
      (await call('scratchpad_read', { name })).value.content;
    await call('session.scratchpad', { action: 'append_notes', content: 'found', scratchpad: 'done' });
    expect([await kept('done'), await pad.notes.read()]).toEqual(['notes: 5 of 4,000 characters', 'found']);
    await call('session.scratchpad', { action: 'history', scratchpad: 'changes' });
    expect(await kept('changes')).toMatch(/^1 .*notes append \(.*\) {2}\+ found$/);
    await call('scratchpad_write', { name: 'a', content: 'x', scratchpad: 'written' });
    expect([await kept('a'), await kept('written')]).toEqual(['x', '"a": 1 character (1 byte)']);
    const listing: string[] = [];
    for (const { name } of await pad.tools())
      if ((await schema(name)).properties.scratchpad !== undefined) listing.push(name);
    expect(listing).toEqual([
      'session_scratchpad',
      'scratchpad_read',
      'scratchpad_list',
      'memory_search',
      'read_notepad',
    ]);
  });

  test('what is saved by the parameter is shown as a preview when it is long', async () => {
    const { call } = await tools();
    await call('scratchpad_write', { name: 'big', content: 'row\n'.repeat(5000) });
    const { text, value } = await call('scratchpad_read', {
      name: 'big',
      limit: 12_000,
      scratchpad: 'piece',
    });
    expect(text).toMatch(/^(row\n)+\[… [\d,]+ characters left out …\]\n/);
    expect(text).toContain('kept as piece, whole in ');
    expect(text).toContain('search: scratchpad_read {"name":"piece","regex":"PATTERN"}');
    expect([text.length < 2500, value.preview]).toEqual([true, text]);
    expect((await call('scratchpad_read', { name: 'piece', limit: 4 })).value.content).toBe('row\n');
    // Nothing but what was read: no words of ours, and all of it where no piece was asked for.
    expect((await call('scratchpad_read', { name: 'piece' })).value).toMatchObject({ total: 12_000 });
    await call('scratchpad_write', { name: 'large', content: 'row\n'.repeat(20_000) });
    await call('scratchpad_read', { name: 'large', scratchpad: 'copy' });
    const copy = await call('scratchpad_read', { name: 'copy', offset: 60_000 });
    expect(copy.value).toMatchObject({ total: 80_000, content: 'row\n'.repeat(5000) });
  });

  test('automatically: an output over 30,000 characters becomes execute_command_1, _2 and a preview', async () => {
    const cwd = testDir();
    const run = (count: number) => runWarm(['run', 'head', '-c', String(count), '/dev/zero'], { cwd });
    expect((await run(30_000)).stdout).toBe('\0'.repeat(30_000));
    expect((await runWarm(['entry', 'list'], { cwd })).stdout).toBe('no entries yet\n');
    for (const name of ['execute_command_1', 'execute_command_2']) {
      const { stdout } = await run(30_001);
      expect(stdout).toContain(`[30,001 characters (30.0 kB) kept as ${name}]`);
      expect(stdout.length).toBeLessThan(2500);
      expect((await runWarm(['entry', 'read', name, '--raw'], { cwd })).stdout.length).toBe(30_001);
    }
  });

  test('automatically: a tool’s answer over 30,000 characters, too', async () => {
    const { call } = await tools();
    for (let n = 0; n < 150; n += 1)
      await call('scratchpad_write', { name: `${n} ${'x'.repeat(190)}`, content: '' });
    const { text, value } = await call('scratchpad_list');
    expect(value.scratchpad).toMatchObject({ name: 'scratchpad_list_1' });
    expect(text.length).toBeLessThan(2500);
    expect(
      (await call('scratchpad_read', { name: 'scratchpad_list_1', regex: '^"149 ' })).value.matches,
    ).toBe(1);
  });
});

describe('named entries: lifecycle', () => {
  test('scoped to the session, and two sessions may have entries of one name', async () => {
    const { pad, call } = await tools();
    await call('scratchpad_write', { name: 'x', content: 'of main' });
    const other = await openScratchpad({ workspace: pad.workspace, session: 'other', env: {} });
    expect(await other.entries.list()).toEqual([]);
    await other.callTool('scratchpad_write', { name: 'x', content: 'of other' });
    expect((await call('scratchpad_read', { name: 'x' })).value.content).toBe('of main');
  });

  test('persist across turns and survive compaction', async () => {
    const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n' });
    await runWarm(['tool', 'scratchpad_write'], { cwd, input: '{"name":"rows","content":"500 rows"}' });
    await moment(cwd, 'PreCompact', { trigger: 'manual' });
    await moment(cwd, 'SessionStart', { source: 'compact' });
    const { stdout } = await runWarm(['tool', 'scratchpad_read'], { cwd, input: '{"name":"rows"}' });
    expect(JSON.parse(stdout)).toMatchObject({ content: '500 rows' });
  });

  test('deleted when the session is deleted', async () => {
    const { pad } = await tools();
    const sessions = new Sessions(pad.workspace);
    await pad.notes.set('x');
    await sessions.spawn('main', 'sub');
    const sub = await openScratchpad({ workspace: pad.workspace, session: 'sub', env: {} });
    await sub.entries.write('x', 'content');
    await sessions.delete('sub');
    expect(await sub.entries.list()).toEqual([]);
    expect(readdirSync(join(pad.workspace, '.scratchpad/sessions'))).toEqual(['main']);
  });

  test('writing to an existing name overwrites it silently', async () => {
    const { call } = await tools();
    const first = await call('scratchpad_write', { name: 'x', content: 'one' });
    const second = await call('scratchpad_write', { name: 'x', content: 'six' });
    expect(second.text).toBe(first.text);
    expect((await call('scratchpad_list')).value.entries).toHaveLength(1);
  });
});
