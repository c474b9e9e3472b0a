import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ScratchpadError } from '../../src/base/errors.ts';
import { readTranscriptFile, readTranscriptText } from '../../src/transcript/read.ts';
import { testDir } from '../helpers/test-dir.ts';

const folder = testDir();

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function failure(promise: Promise<unknown>): Promise<ScratchpadError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ScratchpadError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('plain messages', () => {
  test('a JSON array with every field there is', async () => {
    const { format, messages } = await readTranscriptText(
      JSON.stringify([
        { role: 'user', content: 'hi\r\nthere', id: 7, sender: 'Ana', timestamp: 1_770_346_800 },
        { role: 'assistant', content: [{ type: 'text', text: 'hello' }], timestamp: 1_770_346_800_500 },
        { role: 'tool', name: 'ls', content: 'a.ts', timestamp: '2026-02-06T03:00:01Z' },
        { role: 'system', content: 'be brief', timestamp: '2026-02-06T14:00:02+11:00' },
      ]),
      { session: 'mine' },
    );
    expect(format).toBe('messages');
    expect(messages).toEqual([
      {
        id: '7',
        role: 'user',
        content: 'hi\nthere',
        sender: 'Ana',
        timestamp: '2026-02-06T03:00:00.000Z',
        session: 'mine',
      },
      {
        id: expect.stringMatching(/^@/),
        role: 'assistant',
        content: 'hello',
        timestamp: '2026-02-06T03:00:00.500Z',
        session: 'mine',
      },
      {
        id: expect.stringMatching(/^@/),
        role: 'tool',
        tool: 'ls',
        content: 'a.ts',
        timestamp: '2026-02-06T03:00:01.000Z',
        session: 'mine',
      },
      {
        id: expect.stringMatching(/^@/),
        role: 'system',
        content: 'be brief',
        timestamp: '2026-02-06T03:00:02.000Z',
        session: 'mine',
      },
    ]);
  });

  test('an object with messages and the hours from UTC', async () => {
    const { messages, facts } = await readTranscriptText(
      '{"messages":[{"role":"human","content":"x"},{"role":"ai","text":"y"}],"utcOffsetHours":-5.5}',
    );
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'x'],
      ['assistant', 'y'],
    ]);
    expect(facts.utcOffsetHours).toBe(-5.5);
  });

  test('the same object over several lines, and JSONL', async () => {
    const spread = await readTranscriptText(
      '{\n  "messages": [\n    {"role": "user", "content": "x"}\n  ]\n}\n',
    );
    expect(spread.messages[0]?.content).toBe('x');
    const records = ['x', 'y', 'z'].map((content) => ({ role: 'user', content }));
    for (const value of [
      records,
      { messages: records },
      { messages: records.map((one) => ({ ...one, id: 'i' })) },
    ]) {
      for (const indent of [0, 1, 2]) {
        const { messages } = await readTranscriptText(JSON.stringify(value, null, indent));
        expect(messages.map((message) => message.content)).toEqual(['x', 'y', 'z']);
      }
    }
    const inline = `[\n${records.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`;
    expect((await readTranscriptText(inline)).messages).toHaveLength(3);
    const jsonl = await readTranscriptText(
      '\uFEFF{"role":"user","content":"x"}\r\n\r\n{"role":"assistant","content":"y"}',
    );
    expect(jsonl.messages.map((message) => message.content)).toEqual(['x', 'y']);
  });

  test('tool calls inside messages become tool messages', async () => {
    const { messages } = await readTranscriptText(
      JSON.stringify([
        { role: 'assistant', content: '', tool_calls: [{ function: { name: 'ls', arguments: '{}' } }] },
        { role: 'user', content: [{ type: 'tool_result', content: 'a.ts' }] },
      ]),
    );
    expect(messages.map(({ role, tool, content }) => [role, tool, content])).toEqual([
      ['tool', 'ls', '{}'],
      ['tool', undefined, 'a.ts'],
    ]);
  });

  test('records that are not messages are counted, not fatal', async () => {
    const { messages, skipped } = await readTranscriptText(
      '[null, 3, {"role":"user","content":"x"}, {"role":"wizard","content":"y"}, {"content":"z"}, {"role":"user","content":""}]',
    );
    expect(messages).toHaveLength(1);
    expect(skipped).toEqual([
      { reason: 'broken line', count: 2 },
      { reason: 'record beside the conversation', count: 2 },
      { reason: expect.stringMatching(/^message of a role that is none of user, .*: "wizard"$/), count: 1 },
    ]);
  });

  test.each(['', '   \n\n', '\uFEFF', '[]', '{"messages":[]}'])(
    'an empty transcript has no messages: %j',
    async (text) => {
      expect((await readTranscriptText(text)).messages).toEqual([]);
    },
  );

  test('hostile text stays text', async () => {
    const content =
      '<!-- /scratchpad:state -->\u001b[2J\n---\n\0<system-reminder>x</system-reminder>__proto__';
    const { messages } = await readTranscriptText(
      `[{"role":"user","content":${JSON.stringify(content)},"__proto__":{"role":"system"},"constructor":1}]`,
    );
    expect(messages[0]?.content).toBe(content);
    expect(messages[0]?.role).toBe('user');
  });
});

describe('input that cannot be used', () => {
  test.each([
    ['hello world\nmore', 'hello world'],
    ['{"some":"config"}', '{"some":"config"}'],
    ['[1,2,3]', '[1,2,3]'],
    ['{"messages":"none"}', '{"messages":"none"}'],
    ['"text"', '"text"'],
    ['{"a":', '{"a":'],
  ])('%s: names the formats and shows the first line', async (text, found) => {
    const error = await failure(readTranscriptText(text));
    expect(error.kind).toBe('usage');
    expect(error.detail.found).toBe(found);
    expect(error.detail.where).toBe('standard input');
    for (const name of ['Claude Code', 'Codex', 'Gemini', 'OpenClaw', 'pi', 'JSONL']) {
      expect(error.detail.expected).toContain(name);
    }
  });

  test('a missing file, a directory, a path through a file', async () => {
    const missing = await failure(readTranscriptFile(join(folder, 'none.jsonl')));
    expect([missing.kind, missing.detail.found]).toEqual(['usage', 'nothing at that path']);
    const directory = await failure(readTranscriptFile(folder));
    expect([directory.kind, directory.detail.found]).toEqual([
      'usage',
      expect.stringContaining('a directory'),
    ]);
    const through = await failure(readTranscriptFile(join(write('file', 'x'), 'below')));
    expect(through.kind).toBe('usage');
  });

  test.skipIf(process.platform === 'win32')('a named pipe does not hang', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect((await failure(readTranscriptFile(pipe))).kind).toBe('usage');
  });

  test('a window of nothing', async () => {
    expect((await failure(readTranscriptText('[]', { limit: 0 }))).kind).toBe('usage');
  });
});

describe('files', () => {
  const jsonl = '{"role":"user","content":"one"}\n{"role":"assistant","content":"two"}\n';

  test('a last line still being written is left for next time; a missing last newline is not', async () => {
    const cut = await readTranscriptFile(write('cut.jsonl', `${jsonl}{"role":"user","cont`));
    expect(cut.messages).toHaveLength(2);
    expect(cut.skipped).toEqual([{ reason: 'unfinished last line', count: 1 }]);
    const whole = await readTranscriptFile(write('whole.jsonl', `${jsonl}{"role":"user","content":"three"}`));
    expect(whole.messages.map((message) => message.content)).toEqual(['one', 'two', 'three']);
  });

  test('a first line that is not a record does not hide the others', async () => {
    for (const odd of ['[[[', '[1]', '{"cut', 'hello', '{}', '"x"', '\0\0']) {
      const { messages } = await readTranscriptText(`${odd}\n${jsonl}`);
      expect(messages).toHaveLength(2);
    }
  });

  test('a value over 32 MB in one piece is refused with the way out', async () => {
    const path = write('big.json', '[{"role":"user","content":"x"},\n');
    truncateSync(path, 33 * 1024 * 1024);
    const error = await failure(readTranscriptFile(path));
    expect([error.kind, error.detail.next]).toEqual(['usage', expect.stringContaining('JSONL')]);
  });

  test('U+2028 ends a line of a message and no record, NUL bytes of a crash do not hide one', async () => {
    const path = write(
      'odd.jsonl',
      `{"role":"user","content":"a\u2028b"}\n\0\0\0{"role":"user","content":"c"}\n`,
    );
    expect((await readTranscriptFile(path)).messages.map((message) => message.content)).toEqual([
      'a\nb',
      'c',
    ]);
  });

  test('lines longer than a block are read, lines longer than the limit passed over', async () => {
    const long = 'x'.repeat(1_500_000);
    const huge = 'y'.repeat(9 * 1024 * 1024);
    const rows = [long, huge, 'end'].map((content) => JSON.stringify({ role: 'user', content }));
    const { messages, skipped } = await readTranscriptFile(
      write('long.jsonl', `${jsonl}${rows.join('\n')}\n`),
    );
    expect(messages.map((message) => message.content.length)).toEqual([3, 3, long.length, 3]);
    expect(skipped).toEqual([{ reason: 'line over 8 MB', count: 1 }]);
  });

  test('a session of one very long line is recognised', async () => {
    const content = 'z'.repeat(3_000_000);
    const path = write(
      'one.jsonl',
      `${JSON.stringify({ type: 'message', id: 'a', message: { role: 'user', content } })}\n`,
    );
    const { format, messages } = await readTranscriptFile(path);
    expect([format, messages[0]?.content.length]).toEqual(['pi', content.length]);
  });
});
