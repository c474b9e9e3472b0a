import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ScratchpadError } from '../../src/errors.ts';
import {
  analyze,
  analyzeBySender,
  DIMENSIONS,
  loadModel,
  mapStrategy,
  parseState,
  tryLoadModel,
} from '../../src/sentiment/index.ts';
import { KeyTable, packKeys } from '../../src/sentiment/keys.ts';
import { packLexicon, unpackLexicon } from '../../src/sentiment/lexicon-file.ts';
import { MOOD_FILE } from '../../src/sentiment/load-model.ts';
import { pack, unpack } from '../../src/sentiment/pack.ts';
import type { Message, Role } from '../../src/transcript/message.ts';

const model = loadModel();
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scratchpad-model-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const say = (content: string): Message[] => [{ id: '1', role: 'user', content, session: 's' }];

describe('the trained model', () => {
  test.each([
    ['I love this, thank you so much!', 0.2, 1],
    ['This is awful and I hate it.', -1, -0.2],
  ])('%s', (text, low, high) => {
    const { valence } = analyze(say(text), { model });
    expect(valence).toBeGreaterThan(low);
    expect(valence).toBeLessThan(high);
  });

  test('gives evidence a reader can check', () => {
    const [first] = analyze(say('this is so annoying, you broke it again'), { model }).signals;
    expect(first?.evidence.length).toBeGreaterThan(0);
    expect(first?.score).toBeGreaterThan(0.3);
  });

  test('leaves other languages alone', () => {
    for (const text of [
      'これは本当にひどいです。もう嫌だ！',
      'das ist nicht gut und ich bin sehr böse',
      'это ужасно!!!',
    ]) {
      expect(analyze(say(text), { model }).emotion).toBe('neutral');
    }
  });

  test('any conversation gives a state inside its ranges, the same each time', () => {
    const roles = fc.constantFrom<Role>('user', 'assistant', 'tool', 'system');
    const content = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.lorem({ maxCount: 12 }),
      fc.constantFrom('', 'no!!!', 'constructor', '__proto__ toString', '😀'.repeat(50), '\ud800'),
    );
    const message = fc.record(
      {
        id: fc.string(),
        role: roles,
        content,
        session: fc.constant('s'),
        sender: fc.constantFrom('a', 'b', '__proto__'),
        timestamp: fc.oneof(
          fc.string({ maxLength: 10 }),
          fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((d) => d.toISOString()),
        ),
      },
      { requiredKeys: ['id', 'role', 'content', 'session'] },
    );
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 30 }),
        fc.option(fc.double(), { nil: undefined }),
        (messages, now) => {
          const options = { model, utcOffsetMinutes: 660, ...(now === undefined ? {} : { now }) };
          const state = analyze(messages, options);
          for (const dimension of [...DIMENSIONS, 'arousal', 'confidence'] as const) {
            expect(state[dimension]).toBeGreaterThanOrEqual(0);
            expect(state[dimension]).toBeLessThanOrEqual(1);
          }
          expect(Math.abs(state.valence)).toBeLessThanOrEqual(1);
          expect(parseState(JSON.stringify(state))).toEqual(state);
          expect(analyze(messages, options)).toEqual(state);
          expect(mapStrategy(state, mapStrategy(state)).style).toBe(mapStrategy(state).style);
          for (const [person, own] of analyzeBySender(messages, options))
            expect(own.sender ?? '').toBe(person);
        },
      ),
      { numRuns: 150 },
    );
  });

  test.each([
    ['one word', 'a'.repeat(1_000_000)],
    ['brackets', '(['.repeat(500_000)],
    ['paths', 'a/'.repeat(500_000)],
    ['lines', 'ERROR x\n'.repeat(125_000)],
    ['marks', '!?'.repeat(500_000)],
    ['tags', '<a '.repeat(333_000)],
    ['equals', '= '.repeat(500_000)],
    ['faces', ':)'.repeat(500_000)],
  ])('a megabyte of %s does no harm', (_, text) => {
    const state = analyze(say(text), { model });
    expect(Number.isFinite(state.frustration)).toBe(true);
  });
});

describe('loading', () => {
  test('a missing or broken file is a failure with a next step, and null for those who go on without', () => {
    expect(() => loadModel(folder)).toThrow(ScratchpadError);
    expect(tryLoadModel(folder)).toBeNull();
    for (const bytes of ['', 'SPAD', 'not a model at all', 'SPAD\u0005\u0000\u0000\u0000{}']) {
      writeFileSync(join(folder, MOOD_FILE), bytes);
      expect(() => loadModel(folder)).toThrow(/cannot be read/);
    }
  });

  test('any damage is a ScratchpadError or a model that still answers numbers', () => {
    const header = { kind: 'mood', version: 1 };
    const whole = pack({ header, sections: new Map([['a', Float32Array.from([1, 2])]]) });
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        const bytes = Uint8Array.from(whole);
        bytes[at] = byte;
        try {
          unpack(bytes, 'x');
        } catch (error) {
          expect(error).toBeInstanceOf(ScratchpadError);
        }
      }),
    );
  });
});

describe('formats', () => {
  test('a pack comes back as it went in', () => {
    const sections = new Map<string, Uint8Array | Int8Array | Float32Array>([
      ['keys', Uint8Array.from([1, 2, 3])],
      ['rows', Int8Array.from([-127, 0, 127, 5, 6])],
      ['scales', Float32Array.from([0.5, -2])],
    ]);
    const back = unpack(pack({ header: { kind: 'x' }, sections }), 'x');
    expect(back.header.kind).toBe('x');
    for (const [name, data] of sections) expect(back.sections.get(name)).toEqual(data);
  });

  test('every key finds its row and no other key does', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(4_194_303), { maxLength: 300 }), fc.nat(4_194_303), (keys, other) => {
        keys.sort((a, b) => a - b);
        const table = new KeyTable(packKeys(keys), keys.length);
        for (const [row, key] of keys.entries()) expect(table.rowOf(key)).toBe(row);
        if (!keys.includes(other)) expect(table.rowOf(other)).toBe(-1);
      }),
    );
  });

  test('a lexicon comes back, rounded', () => {
    const lexicon = new Map([
      ['good', 1.9],
      ['goodness', 2],
      ['bad', -2.5],
      [':)', 2],
      ['constructor', 0.1],
    ]);
    const back = unpackLexicon(packLexicon(lexicon));
    expect([...back.keys()].sort()).toEqual([...lexicon.keys()].sort());
    for (const [word, rating] of lexicon) expect(back.get(word)).toBeCloseTo(rating, 1);
  });
});
