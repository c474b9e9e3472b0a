import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../scripts/random.ts';
import { ScratchpadError } from '../../src/base/errors.ts';
import { parseIsoTime } from '../../src/transcript/content.ts';
import { readScratchpadEntries } from '../../src/transcript/entries.ts';
import {
  chooseWindow,
  type Message,
  readTranscriptFile,
  readTranscriptText,
  type Transcript,
} from '../../src/transcript/read.ts';
import { createMemorySource, readLines } from '../../src/transcript/source.ts';
import { runs } from '../helpers/runs.ts';
import { testDir } from '../helpers/test-dir.ts';
import { fixture } from './fixture.ts';
import { mutate } from './mutations.ts';

const ROLES = ['user', 'assistant', 'tool', 'system'];
const all = { limit: Number.POSITIVE_INFINITY };

/** The transcript, or nothing for input that is refused with a reason; any other failure is one of ours. */
async function tryRead(read: () => Promise<Transcript>): Promise<Transcript | undefined> {
  return read().catch(refused);
}

function refused(error: unknown): undefined {
  if (!(error instanceof ScratchpadError && error.kind === 'usage')) throw error;
}

function expectWellFormed({ messages }: Transcript): void {
  for (const { id, role, content, session, timestamp } of messages) {
    expect(ROLES).toContain(role);
    expect([typeof id, typeof content, typeof session]).toEqual(['string', 'string', 'string']);
    if (timestamp !== undefined) expect(new Date(timestamp).toISOString()).toBe(timestamp);
  }
}

describe('lines', () => {
  test('are those of the text, wherever the blocks fall', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ maxLength: 20 }),
            fc.integer({ min: 0, max: 200_000 }).map((n) => 'x'.repeat(n)),
          ),
          { maxLength: 8 },
        ),
        fc.boolean(),
        (parts, ended) => {
          const lines = parts.map((part) => part.replaceAll('\n', ' '));
          const bytes = Buffer.from(lines.join('\n') + (ended ? '\n' : ''));
          const read: string[] = [];
          for (const line of readLines(createMemorySource(bytes), 0)) {
            read.push(line.bytes?.toString() ?? '');
            expect(bytes.subarray(line.at, line.at + (line.bytes?.length ?? 0)).toString()).toBe(read.at(-1));
          }
          expect(read).toEqual(lines.filter((line) => line !== ''));
        },
      ),
      { numRuns: runs(30) },
    );
  });
});

describe('any input', () => {
  test('any JSON value is read or refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (text) => {
        const found = await tryRead(() => readTranscriptText(text, all));
        if (found !== undefined) expectWellFormed(found);
      }),
      { numRuns: runs(20) },
    );
  });

  test('records of any shape with the keys that hosts use are read or refused', async () => {
    const keys = [
      'type',
      'role',
      'message',
      'content',
      'payload',
      'uuid',
      'id',
      'parentId',
      'sessionId',
      'timestamp',
      '$set',
      '$rewindTo',
      'toolCalls',
      'customType',
      'targetId',
      'attachment',
    ];
    const words = [
      'user',
      'assistant',
      'message',
      'response_item',
      'event_msg',
      'session',
      'leaf',
      'reset',
      'custom',
      'gemini',
      'tool_use',
      'tool_result',
      'text',
      'a',
      'b',
      '',
    ];
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(...words),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('record'),
      ),
      record: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 6 }),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 12 }), async (records) => {
        const found = await tryRead(() =>
          readTranscriptText(records.map((record) => JSON.stringify(record)).join('\n'), all),
        );
        if (found !== undefined) expectWellFormed(found);
      }),
      { numRuns: runs(30) },
    );
  });

  test('mutated sessions of every format are read or refused, in bounded time', {
    timeout: 3_600_000,
  }, async () => {
    const originals = readdirSync(fixture('')).map((name) => readFileSync(fixture(name)));
    const path = join(testDir(), 'transcript');
    const random = createRandom(process.env.RUNS === undefined ? 11 : Date.now());
    for (let run = 0; run < runs(40); run++) {
      const original = originals[run % originals.length];
      if (original === undefined) throw new Error('no fixture');
      const { bytes, names } = mutate(original, random, originals);
      writeFileSync(path, bytes);
      const before = process.cpuUsage();
      const found = await tryRead(() => readTranscriptFile(path, run % 2 === 0 ? all : {}));
      const { user, system } = process.cpuUsage(before);
      // Processor time: the machine may be busy with other work.
      expect((user + system) / 1000, names.join(', ')).toBeLessThan(2000);
      if (found !== undefined) expectWellFormed(found);
      if (run % 5 === 0) await readScratchpadEntries(path).catch(refused);
    }
  });
});

describe('the window', () => {
  const message = fc.record({
    role: fc.constantFrom('user' as const, 'assistant' as const, 'tool' as const, 'system' as const),
    id: fc.uuid(),
    content: fc.constant('x'),
    session: fc.constant('s'),
  });

  test('is a subsequence with at most the limit, the newest words of the human first of all', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 80 }),
        fc.integer({ min: 1, max: 30 }),
        (messages, limit) => {
          const window = chooseWindow(messages, limit);
          const all: Message[] = messages;
          const places = window.map((chosen) => all.indexOf(chosen));
          expect(places).toEqual([...places].sort((a, b) => a - b));
          const spoken = window.filter(({ role }) => role !== 'tool');
          expect(spoken).toHaveLength(Math.min(limit, messages.filter(({ role }) => role !== 'tool').length));
          expect(window.length - spoken.length).toBeLessThanOrEqual(limit);
          const humans = messages.filter(({ role }) => role === 'user').slice(-Math.ceil(limit / 2));
          for (const human of humans) expect(window).toContain(human);
        },
      ),
    );
  });

  test('read from the end is the window of the whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 120 }),
        fc.integer({ min: 1, max: 12 }),
        async (messages, limit) => {
          const text = messages.map((one) => JSON.stringify(one)).join('\n');
          const window = (await readTranscriptText(text, { limit })).messages.map(({ id }) => id);
          const whole = (await readTranscriptText(text, all)).messages;
          expect(window).toEqual(chooseWindow(whole, limit).map(({ id }) => id));
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

describe('timestamps', () => {
  test.each([
    ['2026-02-06T03:00:00+11:00', '2026-02-05T16:00:00.000Z'],
    ['2026-02-06T03:00:00', '2026-02-06T03:00:00.000Z'],
    ['2026-02-06 03:00', '2026-02-06T03:00:00.000Z'],
    ['1770346800', '2026-02-06T03:00:00.000Z'],
    [1_770_346_800, '2026-02-06T03:00:00.000Z'],
    [1_770_346_800_123, '2026-02-06T03:00:00.123Z'],
    ['yesterday', undefined],
    ['2026-99-99T00:00:00Z', undefined],
    [Number.NaN, undefined],
    [1e300, undefined],
    [-5, undefined],
    [null, undefined],
    [{}, undefined],
  ])('%j is %s', (value, expected) => {
    expect(parseIsoTime(value)).toBe(expected);
  });
});

describe('a damaged line', () => {
  const line = (n: number, content: unknown = `words ${n}`): string =>
    JSON.stringify({
      type: 'user',
      uuid: `u${n}`,
      parentUuid: n === 1 ? null : `u${n - 1}`,
      sessionId: 's',
      cwd: '/w',
      message: { role: 'user', content },
    });
  const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  const deep = `{"type":"user","uuid":"d","sessionId":"s","message":{"content":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
  const input = `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`;
  const call = `{"type":"assistant","uuid":"c","sessionId":"s","message":{"content":[{"type":"tool_use","id":"t","name":"x","input":${input}}]}}`;

  test.each<[string, string, string[]]>([
    ['records without a line feed between them', `${line(1)}${line(2)}\n${line(3)}\n`, ['1', '2', '3']],
    ['NUL bytes between records', `${line(1)}${'\0'.repeat(900)}${line(2)}\n`, ['1', '2']],
    ['NUL bytes around lines', `\0\0${line(1)}\n${'\0'.repeat(9)}\n\0${line(2)}\0\n`, ['1', '2']],
    ['a record behind one that was cut off', `${line(1).slice(0, -30)}${line(2)}\n${line(3)}\n`, ['2', '3']],
    ['a record behind one that was cut off in its words', `${line(1).slice(0, -8)}${line(2)}\n`, ['2']],
    [
      'records without a line feed, the last unfinished',
      `${line(1)}\n${line(2)}${line(3).slice(0, -9)}`,
      ['1'],
    ],
    ['a record with many levels', `${line(1)}\n${deep}\n${line(2)}\n`, ['1', '2']],
    ['a call with many levels', `${line(1)}\n${call}\n${line(2)}\n`, ['1', '2']],
    ['a record with levels that hosts write', `${line(1)}\n${line(2, nested(30))}\n${line(3)}\n`, ['1', '3']],
  ])('%s', async (_, text, expected) => {
    const { messages } = await readTranscriptText(text, all);
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content.slice(-1));
    expect(said).toEqual(expected);
  });
});
