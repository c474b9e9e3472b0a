import { describe, expect, test } from 'vitest';
import { readScratchpadEntries } from '../../src/transcript/entries.ts';
import type { Message } from '../../src/transcript/read.ts';
import { readTranscriptFile, readTranscriptText } from '../../src/transcript/read.ts';
import { fixture } from './fixture.ts';

const all = { limit: Number.POSITIVE_INFINITY };

/** A message on one line, for comparing whole conversations. */
function line(message: Message): string {
  const { role, tool, sender, content } = message;
  return `${role}${tool === undefined ? '' : `(${tool})`}${sender === undefined ? '' : `<${sender}>`}: ${content}`;
}

async function lines(name: string): Promise<string[]> {
  return (await readTranscriptFile(fixture(name), all)).messages.map(line);
}

describe('Claude Code', () => {
  test('gives the words of human and agent, the tools, and nothing that was injected', async () => {
    expect(await lines('claude-code.jsonl')).toEqual([
      'user: The cart total is wrong for two coupons',
      'assistant: I will look at the totals.\nReading cart.ts first.',
      'tool(Read): {"file_path":"/home/ana/shop/src/cart.ts"}',
      'tool(Read): export const total = 1;\n',
      'user: no, the second coupon must not stack\n[image]',
      'user: and please hurry',
      'user: the rounding is still off',
      'assistant: Rounded to cents now.',
      'user: thanks, works',
    ]);
  });

  test('tells the facts of the session and what was passed over', async () => {
    const { format, facts, skipped } = await readTranscriptFile(fixture('claude-code.jsonl'), all);
    expect(format).toBe('claude-code');
    expect(facts).toEqual({
      id: '5a1f0c9e-0000-4000-8000-000000000001',
      cwd: '/home/ana/shop',
      branch: 'main',
      model: 'claude-opus-5',
      tokensUsed: 21_004,
      compactions: [
        {
          timestamp: '2026-02-05T13:02:00.000Z',
          summary: expect.stringContaining('Coupons stack wrongly.'),
        },
      ],
    });
    expect(Object.fromEntries(skipped.map(({ reason, count }) => [reason, count]))).toMatchObject({
      'record beside the conversation': expect.any(Number),
      'broken line': 1,
    });
  });

  test('keeps ids, times and the session of each message', async () => {
    const { messages } = await readTranscriptFile(fixture('claude-code.jsonl'), all);
    expect(messages[0]).toEqual({
      id: 'u4',
      role: 'user',
      content: 'The cart total is wrong for two coupons',
      session: '5a1f0c9e-0000-4000-8000-000000000001',
      timestamp: '2026-02-05T13:00:10.000Z',
    });
  });
});

describe('Codex', () => {
  test('counts each user text once, repeated words as often as they were said', async () => {
    expect(await lines('codex.jsonl')).toEqual([
      'user: Why is the build red?',
      'tool(shell): {"command":["npm","test"]}',
      'tool(shell): 1 failed\n',
      'assistant: One test fails.',
      'user: continue',
      'tool(apply_patch): *** Begin Patch',
      'tool(apply_patch): Done',
      'user: continue',
      'user: only an event tells this',
    ]);
  });

  test('what was typed is the human’s, even when it is one element', async () => {
    const text = [
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ text: '<div>why?</div>' }] },
      },
      { type: 'event_msg', payload: { type: 'user_message', message: '<div>why?</div>' } },
    ];
    const { messages } = await readTranscriptText(text.map((one) => JSON.stringify(one)).join('\n'), all);
    expect(messages.map(line)).toEqual(['user: <div>why?</div>']);
  });

  test('tells context size and compaction', async () => {
    const { facts } = await readTranscriptFile(fixture('codex.jsonl'), all);
    expect(facts).toMatchObject({
      id: '019a0000-0000-7000-8000-000000000001',
      cwd: '/home/ana/shop',
      model: 'gpt-6-codex',
      tokensUsed: 4100,
      contextWindow: 272_000,
      compactions: [{ timestamp: '2026-03-01T09:01:12.000Z', summary: 'We fixed the cart test.' }],
    });
  });

  test('reads rollouts in which completed items stand for the events', async () => {
    const { messages, facts } = await readTranscriptFile(fixture('codex-0.169.jsonl'), all);
    expect(messages.map(line)).toEqual([
      'user: run the tests',
      'assistant: Running.',
      'tool(exec_command): {"cmd":"npm test"}',
      'tool(exec_command): Chunk ID: 1\nOutput:\nok\n',
      'user: <b>again</b>',
      'user: <b>again</b>',
    ]);
    expect(facts).toMatchObject({ tokensUsed: 110, contextWindow: 258_400, cwd: '/home/ana/shop' });
  });
});

describe('Gemini CLI', () => {
  test('reads the JSON of the years before', async () => {
    const { messages, facts } = await readTranscriptFile(fixture('gemini.json'), all);
    expect(messages.map(line)).toEqual([
      'user: what is in a.md',
      'assistant: It holds a heading.',
      'tool(read_file): {"path":"a.md"}',
      'tool(read_file): # A',
    ]);
    expect(facts).toMatchObject({ model: 'gemini-4-pro', tokensUsed: 109 });
  });

  test('applies rewinds, newer versions of a message and metadata', async () => {
    const { messages, facts } = await readTranscriptFile(fixture('gemini.jsonl'), all);
    expect(messages.map(line)).toEqual([
      'user: what is in a.md',
      'assistant: It holds a heading.',
      'tool(read_file): {"path":"a.md"}',
      'tool(read_file): # A',
      'user: and in b.md?',
      'assistant: Nothing.',
    ]);
    expect(facts).toMatchObject({ id: '7e6f0000-0000-4000-8000-000000000002', cwd: '/home/ana/shop' });
  });

  test('a list of messages in $set replaces what came before, the records before it tell more', async () => {
    const { messages, facts } = await readTranscriptFile(fixture('gemini-resumed.jsonl'), all);
    expect(messages.map(line)).toEqual([
      'user: what is here',
      'assistant: Let me look.',
      'tool(ls): {"path":"."}',
      'tool(ls): a.md',
      'assistant: One file.',
      'user: and again',
      'assistant: Still one.',
    ]);
    expect(messages[0]?.timestamp).toBe('2026-11-01T10:00:01.000Z');
    expect(facts.tokensUsed).toBe(120);
  });

  test('a rewind after such a list cuts it', async () => {
    const user = (id: string): object => ({ id, type: 'user', content: `words ${id}` });
    const read = async (...records: object[]): Promise<string[]> => {
      const text = [{ sessionId: 's', projectHash: 'p' }, ...records]
        .map((record) => JSON.stringify(record))
        .join('\n');
      return (await readTranscriptText(text, all)).messages.map((message) => message.id);
    };
    const list = { $set: { messages: [user('a'), user('b')] } };
    expect(await read(user('a'), user('x'), list, user('c'))).toEqual(['a', 'b', 'c']);
    expect(await read(user('a'), list, user('c'), { $rewindTo: 'b' }, user('d'))).toEqual(['a', 'd']);
    expect(await read(user('a'), list, user('c'), { $rewindTo: 'c' })).toEqual(['a', 'b']);
    expect(await read(user('a'), list, user('c'), { $rewindTo: 'unknown' })).toEqual([]);
  });
});

describe('a compression of Gemini CLI', () => {
  const list = (...messages: object[]): object => ({ $set: { messages } });
  const entry = (id: string, type: string, text: string, timestamp: string): object => ({
    id,
    timestamp,
    type,
    content: [{ text }],
  });
  const records = [
    { sessionId: 's', projectHash: 'p', startTime: '2026-11-22T04:57:00.000Z' },
    entry('a', 'user', 'the pool leaks', '2026-11-22T04:57:10.000Z'),
    entry('b', 'gemini', 'I will look.', '2026-11-22T04:57:20.000Z'),
    list(
      entry('x', 'user', '<session_context>\nhere\n</session_context>', '2026-11-22T04:57:47.589Z'),
      entry('y', 'user', 'release() is skipped on timeout.', '2026-11-22T04:57:47.758Z'),
      entry('z', 'gemini', 'Got it. Thanks for the additional context!', '2026-11-22T04:57:47.758Z'),
    ),
    entry('c', 'user', 'go on', '2026-11-22T04:57:47.761Z'),
  ];

  test('is a compaction: what came before stays, and its summary nobody said', async () => {
    const copies = [entry('k', 'user', 'the pool leaks', ''), entry('l', 'gemini', 'Half done.', '')];
    const compressed = list(...(records[3] as { $set: { messages: object[] } }).$set.messages, ...copies);
    const text = [...records.slice(0, 3), compressed, compressed, records[4]]
      .map((record) => JSON.stringify(record))
      .join('\n');
    const { messages, facts } = await readTranscriptText(text, all);
    expect(messages.map(line)).toEqual([
      'user: the pool leaks',
      'assistant: I will look.',
      'assistant: Half done.',
      'user: go on',
    ]);
    expect(facts.compactions).toEqual([
      { timestamp: '2026-11-22T04:57:47.758Z', summary: 'release() is skipped on timeout.' },
    ]);
  });

  test('the same words from anybody at any other time are a message', async () => {
    const said = entry(
      'd',
      'gemini',
      'Got it. Thanks for the additional context!',
      '2026-11-22T04:58:00.000Z',
    );
    const text = [...records.slice(0, 3), said].map((record) => JSON.stringify(record)).join('\n');
    const { messages, facts } = await readTranscriptText(text, all);
    expect(messages).toHaveLength(3);
    expect(facts.compactions).toEqual([]);
  });
});

describe('pi and OpenClaw', () => {
  test('version 1 has no ids and no branches', async () => {
    const { messages, facts } = await readTranscriptFile(fixture('pi-v1.jsonl'), all);
    expect(messages.map(line)).toEqual([
      'user: port the selector',
      'assistant: Reading.',
      'tool(read): {"path":"a.ts"}',
      'tool(read): body',
    ]);
    expect(facts).toMatchObject({ cwd: '/home/ana/shop', model: 'claude-sonnet-4-5', tokensUsed: 40 });
  });

  test('version 3 follows the leaf and leaves other branches out', async () => {
    const { messages, facts } = await readTranscriptFile(fixture('pi-v3-branches.jsonl'), all);
    expect(messages.map(line)).toEqual([
      'user: first',
      'assistant: one',
      'user: second',
      'system: from an extension',
      'assistant: two',
    ]);
    expect(facts.compactions).toEqual([
      { timestamp: '2026-01-18T00:00:09.000Z', summary: 'We spoke of one and two.' },
    ]);
    expect(await readScratchpadEntries(fixture('pi-v3-branches.jsonl'))).toEqual({ notes: 'kept notes' });
    expect(facts.tokensUsed).toBe(1500);
  });

  test('version 4 obeys leaf and reset', async () => {
    const { messages } = await readTranscriptFile(fixture('openclaw-v4.jsonl'), all);
    expect(messages.map(line)).toEqual(['user: after the reset', 'assistant: fresh answer']);
    expect(await readScratchpadEntries(fixture('openclaw-v4.jsonl'))).toEqual({ plan: '1. ship' });
  });

  test('group chats: the sender is kept, the wrapping is not', async () => {
    expect(await lines('openclaw-group.jsonl')).toEqual([
      'user<+15550100>: is the oven on?',
      'user<Bea>: I turned it off',
      'user<Don>: Then who left the door open?',
      'user<Eli>: Not me.',
      'user: ok thanks',
      'user: [Sat] is a weekday to me',
    ]);
  });

  test('a lost line does not lose what came before it', async () => {
    const entries = ['a', 'b', 'c', 'd', 'e'].map((id, index, ids) => ({
      type: 'message',
      id,
      parentId: ids[index - 1] ?? null,
      message: { role: 'user', content: `words ${id}` },
    }));
    const text = [{ type: 'session', version: 3, id: 's' }, ...entries.filter((entry) => entry.id !== 'c')]
      .map((entry) => JSON.stringify(entry))
      .join('\n');
    const { messages } = await readTranscriptText(text, all);
    expect(messages.map((message) => message.id)).toEqual(['a', 'b', 'd', 'e']);
  });

  test('silent replies are no words, and names are one short line', async () => {
    const text = [
      { type: 'message', message: { role: 'assistant', content: 'HEARTBEAT_OK' } },
      { type: 'message', message: { role: 'toolResult', toolName: `a\n${'b'.repeat(500)}`, content: 'x' } },
    ];
    const { messages } = await readTranscriptText(text.map((one) => JSON.stringify(one)).join('\n'), all);
    expect(messages.map((message) => message.tool)).toEqual([`a ${'b'.repeat(198)}`]);
  });

  test.each([
    'Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.',
    'Check HEARTBEAT.md and do what it says. If nothing is due, stay silent.',
    'Look around. If all is well, reply HEARTBEAT_OK.',
    '[cron:12 morning] Send the brief',
  ])("the turn of a timer is nobody's, and ages nothing: %s", async (prompt) => {
    const say = (role: string, content: string, timestamp: string) => ({
      type: 'message',
      timestamp: `2026-11-${timestamp}:00Z`,
      message: { role, content },
    });
    const call = { type: 'toolCall', id: 'c', name: 'exec', arguments: { command: 'date' } };
    const text = [
      say('user', 'tomorrow we need the guest list', '29T20:03'),
      say('user', prompt, '30T06:30'),
      say('assistant', [call] as never, '30T06:30'),
      say('assistant', 'Reminder: the rider is due.', '30T06:31'),
    ];
    const read = (rows: object[]) =>
      readTranscriptText(rows.map((one) => JSON.stringify(one)).join('\n'), {
        limit: 20,
        maxAgeMs: 3_600_000,
      });
    expect((await read(text)).messages.map(({ content }) => content)).toEqual([
      'tomorrow we need the guest list',
    ]);
    const next = say('user', 'why did you reply HEARTBEAT_OK?', '30T06:40');
    const after = [next, say('assistant', 'Nothing was due.', '30T06:41')];
    expect((await read([...text, ...after])).messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  test('ids that JSON spells in other ways are found', async () => {
    const odd = ['\u00e9', '\ud800', 'a"b', 'c\\d', '\u2028'];
    const text = odd.map((id, index) => {
      const entry = {
        type: 'message',
        id,
        parentId: odd[index - 1] ?? null,
        message: { role: 'user', content: 'x' },
      };
      return JSON.stringify(entry).replace('\u00e9', '\\u00e9');
    });
    const { messages } = await readTranscriptText(
      [...text, '{"type":"leaf","id":"l","targetId":"\\u2028"}'].join('\n'),
      all,
    );
    expect(messages.map((message) => message.id)).toEqual(odd);
  });

  test('what a reset keeps is kept', async () => {
    const entry = (id: string, parentId: string | null) => ({
      type: 'message',
      id,
      parentId,
      message: { role: 'user', content: id },
    });
    const text = [
      entry('a', null),
      entry('b', 'a'),
      entry('c', 'b'),
      { type: 'reset', id: 'r', parentId: 'c', firstKeptEntryId: 'b' },
      entry('d', 'r'),
    ];
    const { messages } = await readTranscriptText(text.map((one) => JSON.stringify(one)).join('\n'), all);
    expect(messages.map((message) => message.id)).toEqual(['b', 'c', 'd']);
  });
});
