import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packLexicon } from '../../scripts/train/pack.ts';
import { ScratchpadError } from '../../src/base/errors.ts';
import { findNumber, loadModel, MOOD_FILE, openLexicon, tryLoadModel } from '../../src/sentiment/model.ts';
import { analyzeMood, analyzeMoodsBySender } from '../../src/sentiment/state.ts';
import { mapStrategy } from '../../src/sentiment/strategy.ts';
import { DIMENSIONS } from '../../src/sentiment/types.ts';
import type { Message, Role } from '../../src/transcript/types.ts';

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
    const { valence } = analyzeMood(say(text), { model });
    expect(valence).toBeGreaterThan(low);
    expect(valence).toBeLessThan(high);
  });

  test('hears sarcasm, if not loudly', () => {
    const level = (text: string) => analyzeMood(say(text), { model }).frustration;
    expect(level('Great, another hallucinated API')).toBeGreaterThan(2 * level('Great, another API'));
  });

  test('gives evidence a reader can check', () => {
    const [first] = analyzeMood(say('this is so annoying, you broke it again'), { model }).signals;
    expect(first?.evidence.length).toBeGreaterThan(0);
    expect(first?.score).toBeGreaterThan(0.3);
  });

  test.each([
    'これは本当にひどいです。もう嫌だ！',
    '这太糟糕了,我很生气!!!',
    '정말 짜증나네요, 또 고장났어요',
    'هذا سيء للغاية ولا يعمل أبدا',
    'यह बहुत बुरा है, कुछ भी काम नहीं करता',
    'это ужасно!!!',
    'το σύστημα είναι χάλια',
    'che schifo, non funziona mai niente',
    'dit is waardeloos, het werkt nooit',
    'bu çok kötü, hiç çalışmıyor',
    'to jest okropne, nic nie działa',
    'det här är skit, det fungerar aldrig',
  ])('leaves another language alone: %s', (text) => {
    const state = analyzeMood(say(text), { model });
    expect(state).toMatchObject({ emotion: 'not read', secondary: null });
    expect(state.confidence).toBeLessThan(0.4);
    expect(mapStrategy(state).style).toBe('neutral');
  });

  test.each([
    'Die Tests schlagen fehl, kannst du das bitte ansehen?',
    'no funciona el botón de la página, puedes mirarlo',
    'le bouton ne marche pas, peux-tu regarder ?',
    'o botão não funciona, pode ver o que é?',
    'the label says "merde" and the test checks that it does',
  ])('a plain report is none: %s', (text) => {
    expect(analyzeMood(say(text), { model }).emotion).toMatch(/^(?:neutral|not read)$/);
  });

  test('reads English with a foreign word in it', () => {
    expect(analyzeMood(say('I hate this, c’est nul'), { model }).emotion).toBe('frustrated');
  });

  test('any conversation gives a state inside its ranges, the same each time', () => {
    const roles = fc.constantFrom<Role>('user', 'assistant', 'tool', 'system');
    const content = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.lorem({ maxCount: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 120 }),
      fc.string({ unit: 'grapheme-composite', maxLength: 60 }),
      fc.constantFrom(
        '',
        ' ',
        '\n\n',
        'no!!!',
        'constructor',
        '__proto__ toString',
        '😀'.repeat(50),
        '\ud800',
      ),
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
          const options = { model, ...(now === undefined ? {} : { now }) };
          const state = analyzeMood(messages, options);
          for (const dimension of [...DIMENSIONS, 'arousal', 'confidence'] as const) {
            expect(state[dimension]).toBeGreaterThanOrEqual(0);
            expect(state[dimension]).toBeLessThanOrEqual(1);
          }
          expect(Math.abs(state.valence)).toBeLessThanOrEqual(1);
          expect(analyzeMood(messages, options)).toEqual(state);
          for (const [person, own] of analyzeMoodsBySender(messages, options))
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
    const state = analyzeMood(say(text), { model });
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

  test('any damage is a ScratchpadError or a model', () => {
    const whole = serialize({ header: { kind: 'mood' }, sections: { a: Float32Array.from([1, 2]) } });
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        const bytes = Buffer.from(whole);
        bytes[at] = byte;
        try {
          writeFileSync(join(folder, MOOD_FILE), bytes);
          loadModel(folder);
        } catch (error) {
          expect(error).toBeInstanceOf(ScratchpadError);
        }
      }),
    );
  });
});

describe('formats', () => {
  test('every key finds its row and no other key does', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(4_194_303), { maxLength: 300 }), fc.nat(4_194_303), (keys, other) => {
        keys.sort((a, b) => a - b);
        const table = Uint32Array.from(keys);
        for (const [row, key] of keys.entries()) expect(findNumber(table, key)).toBe(row);
        if (!keys.includes(other)) expect(findNumber(table, other)).toBe(-1);
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
    const back = openLexicon(packLexicon(lexicon));
    expect(back.has('toString')).toBe(false);
    for (const [word, rating] of lexicon) expect(back.get(word)).toBeCloseTo(rating, 1);
  });
});
