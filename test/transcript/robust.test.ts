import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mutate } from '../../scripts/chaos/transcript-mutations.ts';
import { randomFrom } from '../../scripts/random.ts';
import { ScratchpadError } from '../../src/errors.ts';
import { chooseWindow } from '../../src/transcript/collector.ts';
import { linesFromEnd, memorySource } from '../../src/transcript/lines.ts';
import {
  type Message,
  type ReadOptions,
  readTranscriptText,
  type Transcript,
} from '../../src/transcript/read.ts';
import { isoTime } from '../../src/transcript/time.ts';
import { fixture } from './fixture.ts';

const ROLES = ['user', 'assistant', 'tool', 'system'];
const all = { limit: Number.POSITIVE_INFINITY };

/** The transcript, or nothing for input that is refused with a reason; any other failure is one of ours. */
async function tryRead(text: string, options: ReadOptions = all): Promise<Transcript | undefined> {
  try {
    return await readTranscriptText(text, options);
  } catch (error) {
    if (error instanceof ScratchpadError && error.kind === 'usage') return undefined;
    throw error;
  }
}

function expectWellFormed({ messages }: Transcript): void {
  for (const { id, role, content, session, timestamp } of messages) {
    expect(ROLES).toContain(role);
    expect([typeof id, typeof content, typeof session]).toEqual(['string', 'string', 'string']);
    if (timestamp !== undefined) expect(new Date(timestamp).toISOString()).toBe(timestamp);
  }
}

describe('lines from the end', () => {
  test('are the lines from the start, reversed, wherever the blocks fall', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.string({ maxLength: 20 }),
            fc.integer({ min: 0, max: 200_000 }).map((n) => 'x'.repeat(n)),
          ),
          { maxLength: 8 },
        ),
        fc.boolean(),
        async (parts, ended) => {
          const lines = parts.map((part) => part.replaceAll('\n', ' '));
          const bytes = Buffer.from(lines.join('\n') + (ended ? '\n' : ''));
          const read: string[] = [];
          for await (const batch of linesFromEnd(memorySource(bytes))) {
            for (const line of batch) {
              read.push(line.bytes?.toString() ?? '');
              expect(bytes.subarray(line.at, line.at + (line.bytes?.length ?? 0)).toString()).toBe(
                read.at(-1),
              );
            }
          }
          expect(read.reverse()).toEqual(lines.filter((line) => line !== ''));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('any input', () => {
  test('any JSON value is read or refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (text) => {
        const found = await tryRead(text);
        if (found !== undefined) expectWellFormed(found);
      }),
      { numRuns: 300 },
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
        const found = await tryRead(records.map((record) => JSON.stringify(record)).join('\n'));
        if (found !== undefined) expectWellFormed(found);
      }),
      { numRuns: 400 },
    );
  });

  test('mutated sessions of every format are read or refused', async () => {
    const originals = readdirSync(fixture('')).map((name) => readFileSync(fixture(name)));
    const random = randomFrom(11);
    for (let run = 0; run < 120; run++) {
      const original = originals[run % originals.length];
      if (original === undefined) throw new Error('no fixture');
      const { bytes } = mutate(original, random, originals);
      const found = await tryRead(bytes.toString('utf8'), run % 2 === 0 ? all : {});
      if (found !== undefined) expectWellFormed(found);
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
      { numRuns: 80 },
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
    expect(isoTime(value)).toBe(expected);
  });
});
