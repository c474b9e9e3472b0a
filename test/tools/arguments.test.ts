import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tools } from '../contracts/tools.ts';

test('show says that there is no scratchpad before the first change', async () => {
  const { call } = await tools();
  const show = async (): Promise<string> => (await call('session.scratchpad', { action: 'show' })).text;
  expect(await show()).toContain('no scratchpad here yet');
  await call('session.scratchpad', { action: 'append_notes', content: 'x' });
  expect(await show()).toContain('(empty)');
});

describe('arguments', () => {
  test.each([
    ['scratchpad_write', { name: '', content: 'x' }],
    ['scratchpad_write', { name: 'a\0b', content: 'x' }],
    ['scratchpad_write', { name: 'x'.repeat(10_000), content: 'x' }],
    ['scratchpad_write', { name: 'x' }],
    ['scratchpad_write', { name: 7, content: 'x' }],
    ['scratchpad_read', { name: 'x', offset: -1 }],
    ['scratchpad_read', { name: 'x', limit: 'five' }],
    ['scratchpad_read', { name: 'x', limit: '-5' }],
    ['scratchpad_read', { name: 'x', regex: '(' }],
    ['scratchpad_read', { name: 'x', regex: '(?=x)' }],
    ['scratchpad_read', 'x'],
    ['scratchpad_list', { all: true }],
    ['session.scratchpad', { action: 'drop' }],
    ['session.scratchpad', {}],
    ['session.scratchpad', { action: 'set_notes', content: 'x', mode: 'append' }],
    ['session.scratchpad', { action: 'refs.add' }],
    ['session.scratchpad', { action: 'plan.done', steps: [] }],
    ['session.scratchpad', { action: 'append_notes', content: 'x', mode: 'replace' }],
    ['session.scratchpad', { action: 'plan.done', content: '3' }],
    ['session.scratchpad', { action: 'plan.current', steps: [2, 3] }],
    ['session.scratchpad', { action: 'undo', steps: [1] }],
    ['session.scratchpad', { mode: 'replace' }],
    ['update_notepad', { operation: 'append' }],
    ['update_notepad', { operation: 'find_replace', find: '', replace: 'x' }],
    ['write_notepad', {}],
    ['memory_search', { query: ' ' }],
    ['__proto__', {}],
    ['scratchpad_write', JSON.parse('{"name":"x","content":"y","__proto__":1}')],
  ])('invalid arguments are refused as such: %s %j', async (name, args) => {
    const { refusal, call } = await tools();
    await call('scratchpad_write', { name: 'x', content: 'y' });
    const refused = await refusal(name, args);
    expect(refused.kind).toBe('usage');
    expect(refused.message.length).toBeGreaterThan(10);
  });

  test('a ref and a list of refs are both added; an empty one was left out', async () => {
    const { call, pad } = await tools();
    await call('session.scratchpad', { action: 'refs.add', ref: 'a.ts', items: ['b.ts'], content: '' });
    expect(await pad.refs.list()).toEqual(['a.ts', 'b.ts']);
    await call('session.scratchpad', { action: 'set_notes', content: 'x', mode: 'replace', items: [] });
    expect(await pad.notes.read()).toBe('x');
  });

  test('lists, numbers and truths may come as text', async () => {
    const { call, pad } = await tools();
    for (const items of [
      [{ path: 'c.ts', line: 3 }, { uri: '\ufeffd.ts' }],
      ['\u200b', 'c.ts\u200b', 'd.ts'],
    ]) {
      await call('session.scratchpad', { action: 'refs.set', items });
      expect(await pad.refs.list()).toEqual(['c.ts', 'd.ts']);
    }
    for (const items of [
      ...['["a.ts", "b.ts"]', "['a.ts', 'b.ts']", '```json\n["a.ts", "b.ts"]\n```', '[a.ts, b.ts]'],
      ...[
        '- a.ts\n---\n- b.ts',
        'a.ts\nb.ts',
        '1. a.ts\n2. `b.ts`',
        'a.ts,b.ts',
        '"a.ts,b.ts"',
        'a.ts; b.ts',
      ],
      ...[['a.ts', 'b.ts'], ['a.ts,b.ts'], ['["a.ts","b.ts"]']],
    ]) {
      await call('session.scratchpad', { action: 'refs.set', items: 'z.ts' });
      await call('session.scratchpad', { action: 'refs.set', items });
      expect(await pad.refs.list()).toEqual(['a.ts', 'b.ts']);
    }
    await call('session.scratchpad', { action: 'refs.set', items: 'c.ts' });
    expect(await pad.refs.list()).toEqual(['c.ts']);
    await call('session.scratchpad', { action: 'refs.set', items: 'https://e.org/?x=1,2' });
    expect(await pad.refs.list()).toEqual(['https://e.org/?x=1,2']);
    await call('session.scratchpad', { action: 'undo' });
    await call('scratchpad_write', { name: 'x', content: '0123456789' });
    expect((await call('scratchpad_read', { name: 'x', offset: '2', limit: '3' })).value.content).toBe('234');
    const none = await call('scratchpad_read', { name: 'x', limit: 0 });
    expect(none.text).toBe('\n[10 characters in all]');
    expect((await call('scratchpad_read', { name: 'x', offset: '' })).value.content).toBe('0123456789');
    await call('session.scratchpad', { action: 'undo', count: '1' });
    expect(await pad.refs.list()).toEqual(['a.ts', 'b.ts']);
    await call('session.scratchpad', { action: 'refs.remove', ref: ['a.ts', 'b.ts'] });
    expect(await pad.refs.list()).toEqual([]);
    const whole = ['https://e.org/map?ll=52.5,13.4', 'https://e.org/a/b,c/d', 'src/a,b.ts'];
    await call('session.scratchpad', { action: 'refs.set', items: whole });
    expect(await pad.refs.list()).toEqual(whole);
    for (const yes of ['true', 'Yes', '1', 1]) {
      await call('write_notepad', { content: 'a a' });
      await call('update_notepad', { operation: 'find_replace', find: 'a', replace: 'b', replace_all: yes });
      expect(await pad.notes.read()).toBe('b b');
    }
  });

  test.each([
    ['["Fix it", "Test it"]', '- Fix it\n- Test it'],
    [
      '[{"step": "Fix it", "status": "completed"}, {"step": "Test it", "status": "pending"}]',
      '- [x] Fix it\n- [ ] Test it',
    ],
    [
      [
        { content: 'Fix it', status: 'in_progress', activeForm: 'Fixing' },
        { content: 'Test it', status: 'pending' },
      ],
      '- [ ] Fix it\n- [ ] Test it',
    ],
    [{ tasks: [{ title: 'Fix it', done: true }] }, '- [x] Fix it'],
    ['[1, 2]', '[1, 2]'],
  ])('a plan may come as a list of tasks: %j', async (content, plan) => {
    const { call, pad } = await tools();
    await call('session.scratchpad', { action: 'set_plan', content });
    expect(await pad.plan.read()).toBe(plan);
  });

  test('a text may come as a number, or as data', async () => {
    const { call, pad } = await tools();
    await call('session.scratchpad', { action: 'set_notes', content: 5433 });
    expect(await pad.notes.read()).toBe('5433');
    await call('scratchpad_write', { name: 'x', content: { port: 5433 } });
    expect((await call('scratchpad_read', { name: 'x' })).value.content).toBe('{\n  "port": 5433\n}');
  });

  test.each<[steps: unknown, done: number[]]>([
    ['step 2', [2]],
    ['#2', [2]],
    ['２', [2]],
    ['2.', [2]],
    ['steps 1 and 3', [1, 3]],
    ['1 to 3', [1, 2, 3]],
    ['Schritte 1–2', [1, 2]],
    ['[1, 3]', [1, 3]],
    [
      ['step 1', '3'],
      [1, 3],
    ],
    ['write tests', [2]],
    ['2. Write tests', [2]],
  ])('steps may come as %j', async (steps, done) => {
    const { call, pad } = await tools();
    await call('session.scratchpad', {
      action: 'set_plan',
      content: ['1. Read', '2. Write tests', '3. Ship'],
    });
    await call('session.scratchpad', { action: 'plan.done', steps });
    const lines = (await pad.plan.read()).split('\n');
    expect(lines.flatMap((line, k) => (line.endsWith('DONE') ? [k + 1] : []))).toEqual(done);
  });

  test('a set of refs with nothing usable changes nothing', async () => {
    const { call, pad, refusal } = await tools();
    await call('session.scratchpad', { action: 'refs.set', items: ['a.ts'] });
    for (const items of [
      '',
      '  ',
      [],
      '[]',
      ['---', '***'],
      [''],
      [null, 7],
      ['x'.repeat(2000)],
      'null',
      '{}',
      'undefined',
    ])
      expect((await refusal('session.scratchpad', { action: 'refs.set', items })).kind).toBe('refused');
    expect(await pad.refs.list()).toEqual(['a.ts']);
  });

  test('refs.clear removes all refs, and a list that is broken is none', async () => {
    const { call, pad, refusal } = await tools();
    await call('session.scratchpad', { action: 'refs.set', items: ['a.ts'] });
    for (const items of ['["a","b"', '["a","b]', "['a', 'b'", '[{"path":"a"', '["a"] and more']) {
      const { kind, detail } = await refusal('session.scratchpad', { action: 'refs.set', items });
      expect([kind, detail.where, detail.expected]).toEqual(['usage', 'items', 'a list']);
    }
    expect(await pad.refs.list()).toEqual(['a.ts']);
    await call('session.scratchpad', { action: 'refs.set', items: '[the docs](docs/a.md)' });
    expect(await pad.refs.list()).toEqual(['[the docs](docs/a.md)']);
    await call('session.scratchpad', { action: 'refs.clear' });
    expect(await pad.refs.list()).toEqual([]);
  });

  test.each([null, [], '', 2.5, true, { n: 2 }])('steps that are %j finish no step', async (steps) => {
    const { call, pad, refusal } = await tools();
    await call('session.scratchpad', { action: 'set_plan', content: '1. Read\n2. Ship' });
    const { kind, detail } = await refusal('session.scratchpad', { action: 'plan.done', steps });
    expect([kind, detail.where]).toEqual(['usage', 'steps']);
    expect(detail.found).toContain(JSON.stringify(steps === '' ? [] : steps));
    expect(await pad.plan.read()).toBe('1. Read\n2. Ship');
    await call('session.scratchpad', { action: 'append_notes', content: 'x', steps: null });
    await call('session.scratchpad', { action: 'plan.done' });
    expect(await pad.plan.read()).toBe('1. ~~Read~~ DONE\n2. Ship');
  });

  test('scratchpad_read says that a session is not known', async () => {
    const { refusal } = await tools();
    const { message, detail } = await refusal('scratchpad_read', { name: 'x', session: 'nope' });
    expect([message, detail.found]).toEqual(['no session of that id has entries here', 'nope']);
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
});
