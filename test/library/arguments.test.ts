import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAgentMemory } from '../../src/hosts/agent-memory.ts';
import {
  type MessageInput,
  openScratchpad,
  type Scratchpad,
  ScratchpadError,
  Sessions,
} from '../../src/index.ts';
import { testDir } from '../helpers/test-dir.ts';

const ROOT = testDir();

async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    const done = call();
    if (typeof done === 'object' && done !== null && Symbol.asyncIterator in done)
      for await (const _ of done as AsyncIterable<unknown>);
    return await done;
  } catch (error) {
    return error;
  }
}

async function filled(): Promise<Scratchpad> {
  const pad = await openScratchpad({ workspace: testDir() });
  await pad.notes.set('a\nb');
  await pad.plan.set('1. a\n2. b');
  await pad.refs.set(['a', 'b']);
  await pad.entries.write('e', 'x');
  return pad;
}

const message = { role: 'user', content: 'still broken!' };

test.each([
  ['messages', { messages: 'x' }],
  ['messages', { messages: null }],
  ['messages', { messages: 7 }],
  ['messages', { messages: { text: 7 } }],
  ['messages', { messages: ['still broken!'] }],
  ['messages', { messages: [{ ...message, role: 'usr' }] }],
  ['messages', { messages: [{ role: 'user' }] }],
])('assemble names %s in %j', async (where, request) => {
  const pad = await filled();
  const error = await errorOf(() => pad.assemble(request as never));
  expect(error).toBeInstanceOf(ScratchpadError);
  const { code, detail } = error as ScratchpadError;
  expect([code, detail.where]).toEqual(['ERR_SCRATCHPAD_USAGE', where]);
  expect([detail.expected, detail.found]).toEqual([expect.any(String), expect.any(String)]);
  expect((await pad.context()).text).not.toContain('Updated');
});

test('assemble takes the messages of chat APIs as they are', async () => {
  const pad = await filled();
  const messages = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'still broken!' }], timestamp: new Date() },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: '1', function: { name: 'ls', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: '1', content: 'a.ts' },
    { role: 'model', parts: [{ text: 'There is one file.' }] },
  ];
  const { source } = await pad.assemble({ messages: messages as never });
  expect(source?.transcript.skipped).toEqual([]);
});

test('assemble returns no secret of the conversation', async () => {
  const pad = await filled();
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const messages = [
    { role: 'user', content: `Use ${token} for the cart.` },
    { role: 'assistant', content: `Set TOKEN=${token}` },
  ];
  const done = await pad.assemble({ messages: messages as never });
  expect(done.source?.transcript.messages[0]?.content).toContain('[redacted: GitHub token]');
  expect(JSON.stringify(done)).not.toContain(token);
});

test('assemble refuses a session that does not exist', async () => {
  const pad = await filled();
  const error = (await errorOf(() => pad.assemble({ session: 'nobody' }))) as ScratchpadError;
  expect([error.code, error.detail.found]).toEqual(['ERR_SCRATCHPAD_REFUSED', 'nobody']);
});

test('entries.write refuses anything but text and bytes', async () => {
  const pad = await filled();
  const error = (await errorOf(() => pad.entries.write('f', ['x'] as never))) as ScratchpadError;
  expect([error.code, error.detail.found]).toEqual(['ERR_SCRATCHPAD_USAGE', '["x"]']);
  expect((await pad.entries.list()).map(({ name }) => name)).toEqual(['e']);
});

test('sessions of a directory that does not exist are refused', () => {
  expect(() => new Sessions('')).toThrow('wrong argument');
  expect(() => new Sessions('/nowhere/at/all')).toThrow(ScratchpadError);
});

test('a pad can be written as JSON and awaited like any other object', async () => {
  const pad = await filled();
  expect(JSON.parse(JSON.stringify(pad))).toMatchObject({ session: 'main', notes: {}, plan: {} });
  expect(await pad.notes).toBe(pad.notes);
  expect((pad.notes as { add?: unknown }).add).toBeUndefined();
});

test('the mood of messages that are passed is that of the same messages in an assembly', async () => {
  const pad = await openScratchpad({ workspace: testDir() });
  const messages = [
    { role: 'user' as const, content: 'It is STILL broken, this is the third time. Stop guessing!' },
  ];
  const { state } = await pad.mood({ messages });
  expect(state.frustration).toBeGreaterThan(0.5);
  expect((await pad.mood()).state.frustration).toBe(0);
});

test('the names of the tools are valid for the APIs of models, and can be called', async () => {
  const pad = await filled();
  const tools = await pad.tools();
  // OpenAI and Anthropic allow these characters; Gemini wants a letter or a low line first.
  for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
  expect((await pad.callTool('session_scratchpad', { action: 'show' })).text).toContain('1. a');
  const refused = (await errorOf(() =>
    pad.callTool('session_scratchpad', { action: 'append_notes', content: 'x'.repeat(5000) }),
  )) as ScratchpadError;
  expect(refused.explain('tool') + pad.guidance()).not.toContain('session.scratchpad');
});

test('the hand-over of messages that are passed, which nothing keeps', async () => {
  const pad = await openScratchpad({ workspace: testDir() });
  const messages = [
    { role: 'user' as const, content: 'Round the totals to cents. Never touch the coupon code.' },
    { role: 'assistant' as const, content: 'I changed cart.py. Next I will add a test.' },
    { role: 'user' as const, content: 'ok' },
  ];
  const view = await pad.handover({ messages });
  expect(view?.text).toBe(
    [
      '[Session Scratchpad: news]',
      'The last session here: the last message was not answered',
      "The person's messages there (the prompt overrides them):",
      '- “Round the totals to cents. Never touch the coupon code.”',
      // What it announced may have become something else.
      "The agent's last messages, unchecked:",
      '- “I changed cart.py.”',
      '[End Scratchpad]\n',
    ].join('\n'),
  );
  expect(view?.state.at).toBeUndefined();
  expect(await pad.handover({ messages: [] })).toBeUndefined();
  expect(await pad.handover()).toBeUndefined();
});

test.each([
  ['session', { session: 'nobody' }],
  ['transcript', { transcript: join(ROOT, 'nope.jsonl') }],
])('the hand-over of a %s that does not exist is refused', async (name, request) => {
  const pad = await openScratchpad({ workspace: testDir() });
  const error = (await errorOf(() => pad.handover(request))) as ScratchpadError;
  expect(error).toBeInstanceOf(ScratchpadError);
  expect(error.detail.where + error.message).toContain(name);
});

test.each<[string, (block: string, words: string) => readonly unknown[]]>([
  ['text before the words', (block, words) => [{ role: 'user', content: block + words }]],
  ['text after the words', (block, words) => [{ role: 'user', content: `${words}\n${block}` }]],
  ['a part of the content', (block, words) => [{ role: 'user', content: [block, words].map(textPart) }]],
  ['a message of its own', (block, words) => [block, words].map((content) => ({ role: 'user', content }))],
  ['parts', (block, words) => [{ role: 'user', parts: [{ text: block }, { text: words }] }]],
])('what the scratchpad said is not taken for the words of the person: %s', async (_, sent) => {
  const pad = await filled();
  const words = 'Round the totals to cents. Never touch the coupon code.';
  const { text } = await pad.context();
  const earlier = [{ role: 'user', content: 'Keep the old column names, Ines reads them.' }] as const;
  const left = await pad.handover({ messages: earlier });
  expect(text).toContain('1. a');
  expect(left?.text).toContain('Ines');
  const messages = sent(`${left?.text}${text}`, words) as never;
  const next = await pad.handover({ messages });
  expect(next?.messages.map((said) => said.text.trim())).toEqual([words]);
  const { source } = await pad.assemble({ messages });
  expect(source?.transcript.messages.map((message) => message.content.trim())).toEqual([words]);
  expect((await pad.context()).text).not.toMatch(/“\[?Session|Ines/);
});

const textPart = (text: string): object => ({ type: 'text', text });

test('an option that is not known is refused, before anything goes to another place', async () => {
  const options = { workspace: ROOT, sesion: 'x' } as object;
  const error = (await errorOf(() => openScratchpad(options))) as ScratchpadError;
  expect([error.code, error.detail.where]).toEqual(['ERR_SCRATCHPAD_USAGE', 'sesion']);
});

test.each([
  ['workspace', { workspace: 7 }, '7'],
  ['workspace', { workspace: join(ROOT, 'nope') }, join(ROOT, 'nope')],
  ['session', { session: 7 }, '7'],
  ['now', { now: 'yesterday' }, '"yesterday"'],
  ['env', { env: null }, 'null'],
  ['options', null, 'null'],
])('openScratchpad names %s in %j', async (where, options, found) => {
  const error = (await errorOf(() => openScratchpad(options as never))) as ScratchpadError;
  expect(error).toBeInstanceOf(ScratchpadError);
  expect([error.code, error.detail.where]).toEqual(['ERR_SCRATCHPAD_USAGE', where]);
  expect([error.detail.expected, error.detail.found]).toEqual([expect.any(String), found]);
  expect(existsSync(join(ROOT, 'nope'))).toBe(false);
});

test.each([Number.NaN, 8.7e15, new Date()])('a clock that gives %s is named', async (time) => {
  const pad = await openScratchpad({ workspace: testDir(), now: () => time as number });
  for (const call of [() => pad.notes.append('x'), () => pad.context()]) {
    const error = (await errorOf(call)) as ScratchpadError;
    expect([error.code, error.detail.where]).toEqual(['ERR_SCRATCHPAD_USAGE', 'now']);
  }
});

type Call = (...args: unknown[]) => unknown;

/** Every function of an object, by its name. */
function listCalls(target: object, prefix: string): [string, Call][] {
  const names = new Set<string>();
  for (
    let from: object | null = target;
    from && from !== Object.prototype;
    from = Object.getPrototypeOf(from)
  )
    for (const name of Object.getOwnPropertyNames(from)) names.add(name);
  names.delete('constructor');
  return [...names].flatMap((name) => {
    const call: unknown = Reflect.get(target, name);
    return typeof call === 'function' ? [[prefix + name, call.bind(target) as Call] as [string, Call]] : [];
  });
}

/** What works the entries from inside: no program can name it. */
const INNER = [
  'entries.index',
  'entries.store',
  'entries.change',
  'entries.getTime',
  'entries.checkWritable',
];

test('no function of the library answers a wrong argument with an error that is not its own', async () => {
  const pad = await filled();
  const calls = [
    ...listCalls(pad, ''),
    ...(['notes', 'plan', 'refs', 'notepad', 'entries', 'memory'] as const).flatMap((part) =>
      listCalls(pad[part], `${part}.`),
    ),
    ...listCalls(new Sessions(pad.workspace), 'sessions.'),
  ].filter(([name]) => !INNER.includes(name));
  expect(calls.length).toBeGreaterThan(60);
  const wrong = [null, undefined, 7, Number.NaN, {}, [], true, () => 1];
  const right = ['main', 'e', {}];

  for (const [name, call] of calls)
    for (const index of [0, 1, 2])
      for (const value of wrong) {
        const error = await errorOf(() => call(...right.with(index, value as never).slice(0, index + 1)));
        if (!(error instanceof Error)) continue;
        expect([name, index, value, error]).toEqual([name, index, value, expect.any(ScratchpadError)]);
      }
});

test('a wrong argument of a function is named, and changes nothing', async () => {
  const pad = await filled();
  const sessions = new Sessions(pad.workspace);
  const read = async () => [(await pad.context()).text, (await pad.entries.list()).length];
  const before = await read();
  const [found, message] = [expect.any(String), { messages: [{ role: 'user', content: 'x' }] }];
  for (const [call, where, expected] of [
    [() => pad.notes.set(null as never), 'text', 'string'],
    [() => pad.notes.clear(null as never), 'options', 'object'],
    [() => pad.notes.clear({ al: true } as never), 'al', 'only all'],
    [() => pad.notes.replace('a', 'b', { all: 'no' } as never), 'all', 'boolean'],
    [() => pad.plan.done(true as never), 'steps', 'string or whole number'],
    [() => pad.plan.move(1, Number.NaN), 'to', 'whole number'],
    [() => pad.plan.take('2' as never), 'number', 'whole number'],
    [() => pad.refs.add(['x'] as never), 'refs', 'string'],
    [() => pad.refs.set('x' as never), 'items', 'array'],
    [() => pad.notepad.update(null as never), 'options', 'object'],
    [() => pad.entries.keep(undefined as never), 'output', 'string'],
    [() => pad.entries.edit('e', undefined as never), 'edit', 'object'],
    [() => pad.assemble({ ...message, transcript: 7 } as never), 'transcript', 'string'],
    [() => pad.assemble({ mesages: [] } as never), 'mesages', expect.stringMatching(/^only messages, /)],
    [() => pad.mood(null as never), 'options', 'object'],
    [() => pad.handover({ transcript: null } as never), 'transcript', 'string'],
    [() => pad.memory.search('x', { limit: '3' } as never), 'limit', 'whole number'],
    [() => pad.callTool(undefined as never), 'name', 'string'],
    [() => pad.undo(1.5), 'count', 'whole number'],
    [() => pad.entries.read('e', { offset: -1 }), 'offset', 'whole number'],
    [() => sessions.spawn('main', 'k', { inherit: 'e' } as never), 'inherit', 'array'],
    [() => new Sessions(undefined as never), 'workspace', 'string'],
    [() => new Sessions(pad.workspace, null as never), 'options', 'object'],
    [() => openAgentMemory(undefined as never), 'host', 'string'],
    [() => openAgentMemory({ host: 'pi', workspace: 7 } as never), 'workspace', 'string'],
    [() => openAgentMemory({ host: 'pi' }).guard(null as never), 'handlers', 'object'],
  ] as const) {
    const error = (await errorOf(call)) as ScratchpadError;
    expect(error).toBeInstanceOf(ScratchpadError);
    expect(error.message).toMatch(/^\S+ was called with a wrong argument: nothing was done$/);
    expect([error.code, error.detail]).toEqual(['ERR_SCRATCHPAD_USAGE', { where, expected, found }]);
  }
  expect(await read()).toEqual(before);

  // What the types allow goes through.
  await pad.plan.done(1, 'b');
  await pad.notes.replace('a', 'c', { all: true });
  await pad.refs.set(['x', 7]);
  await pad.notes.clear({ all: undefined });
  await pad.notes.set('c\nb');
  expect([await pad.notes.read(), await pad.refs.list()]).toEqual(['c\nb', ['x']]);
});

test('a time or an offset that is none is named as a problem', async () => {
  const pad = await filled();
  const listProblems = async (utcOffsetHours: unknown, timestamp?: unknown) => {
    const problems: string[] = [];
    const text = JSON.stringify({ messages: [{ ...message, timestamp }], utcOffsetHours });
    await pad.assemble({ messages: { text, name: 'stdin' }, onProblem: (problem) => problems.push(problem) });
    return problems;
  };
  for (const offset of [99, '5', -15])
    expect(await listProblems(offset)).toEqual(['stdin: 1 invalid utcOffsetHours, ignored']);
  expect(await listProblems(5.5, 'banana')).toEqual(['stdin: 1 invalid timestamp, ignored']);
  expect(await listProblems(null, null)).toEqual([]);
  expect(await listProblems(undefined, '2026-02-06T01:30:00Z')).toEqual([]);
});

test('the arguments of a tool as the text that the model wrote', async () => {
  const pad = await filled();
  expect((await pad.callTool('session_scratchpad', '{"action":"show"}')).text).toContain('1. a');
  for (const [args, where] of [
    ['{"action":', 'the arguments'],
    ['{}', 'action'],
    [{}, 'action'],
    [{ action: 'set_notes' }, 'content'],
  ] as const) {
    const error = (await errorOf(() => pad.callTool('session_scratchpad', args))) as ScratchpadError;
    expect([error.code, error.detail.where]).toEqual(['ERR_SCRATCHPAD_USAGE', where]);
    expect(error.message).not.toContain('session.scratchpad');
  }
  const unknown = (await errorOf(() => pad.callTool('nope'))) as ScratchpadError;
  expect(unknown.detail.expected).toMatch(/^session_scratchpad, /);
});

test('an error as JSON says what it says', async () => {
  const pad = await filled();
  const error = await errorOf(() => pad.plan.done(9));
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({
    kind: 'refused',
    code: 'ERR_SCRATCHPAD_REFUSED',
    message: expect.stringContaining('no step 9'),
    expected: 'one of 1, 2',
  });
});

test('items of a list that are no messages are passed over', async () => {
  const pad = await filled();
  const messages: MessageInput[] = [
    { type: 'reasoning', id: 'r' },
    { role: 'user', content: 'Keep the column names.' },
    { type: 'function_call', name: 'ls' },
  ];
  expect((await pad.handover({ messages }))?.messages.map(({ text }) => text)).toEqual([
    'Keep the column names.',
  ]);
});

test('a program with an environment of its own reads back what it wrote', async () => {
  const pad = await openScratchpad({ workspace: testDir(), env: { HOME: testDir() } });
  await pad.callTool('scratchpad_write', { name: 'log', content: 'found it' });
  expect((await pad.callTool('scratchpad_read', { name: 'log' })).text).toBe('found it');
  await pad.notes.append('noted');
  expect((await pad.callTool('session_scratchpad', { action: 'show' })).text).toContain('noted');
});

test('a step is its number, also as text, and an empty list is none', async () => {
  const pad = await filled();
  await pad.plan.set('1. Fix bug 2\n2. Ship 9\n3. Tell');
  await pad.plan.done('2');
  expect(await pad.plan.read()).toBe('1. Fix bug 2\n2. ~~Ship 9~~ DONE\n3. Tell');
  for (const call of [
    () => pad.plan.done('9'),
    () => pad.plan.done('2.5'),
    () => pad.plan.current('1-3'),
    () => pad.plan.done([]),
    () => pad.plan.done(...([] as unknown as [number])),
    () => pad.plan.undone([]),
    () => pad.plan.remove([]),
    () => pad.plan.done([[1]] as never),
    () => pad.plan.done(null as never),
  ])
    expect(await errorOf(call)).toBeInstanceOf(ScratchpadError);
  expect(await pad.plan.read()).toBe('1. Fix bug 2\n2. ~~Ship 9~~ DONE\n3. Tell');
  await pad.plan.undone(['2']);
  await pad.plan.doneCurrent();
  await pad.plan.done([2, 'Tell']);
  expect(await pad.plan.read()).toBe('1. ~~Fix bug 2~~ DONE\n2. ~~Ship 9~~ DONE\n3. ~~Tell~~ DONE');
});

test('a role that is not known is named among good messages, and alone', async () => {
  const pad = await filled();
  const unknown = { role: 'usr', content: 'oh no' };
  const notice = /2 messages of a role that is none of user, .*developer: "usr"/;
  const problems: string[] = [];
  const { notices } = await pad.assemble({ messages: [message, unknown, unknown] });
  expect(notices).toEqual([expect.stringMatching(notice)]);
  const onProblem = (problem: string): void => void problems.push(problem);
  await pad.assemble({ messages: [message, unknown, unknown], onProblem });
  expect(problems).toEqual([expect.stringMatching(notice)]);
  const alone = (await errorOf(() => pad.assemble({ messages: [unknown, unknown] }))) as ScratchpadError;
  expect(alone.detail.found).toMatch(notice);
});

test('messages name what the program called, and say what is meant', async () => {
  const pad = await filled();
  const pattern = (await errorOf(() => pad.entries.search('e', /x/g as never))) as ScratchpadError;
  expect(pattern.detail.found).toBe('/x/g; its text is in .source');
  const limit = (await errorOf(() => pad.memory.search('x', { limit: 0 }))) as ScratchpadError;
  expect(limit.message).toBe('memory.search was called with invalid arguments');
  expect((await pad.notes.append('')).message).toBe('nothing changed: the text is empty');
  expect((await pad.refs.add()).message).toBe('nothing changed');
  const { text } = await pad.entries.keep('x'.repeat(60), { limit: 10 });
  expect(text).toMatch(/^xxxxx\n\[… 50 characters left out …\]\nxxxxx\n/);
});
