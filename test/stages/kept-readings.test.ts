import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCache, writeCache } from '../../src/fs/cache.ts';
import { loadModel, type SentimentModel } from '../../src/sentiment/index.ts';
import { tokenize } from '../../src/sentiment/words.ts';
import { KeptReadings } from '../../src/stages/mood.ts';
import { WindowCache } from '../../src/transcript/window-cache.ts';
import { testDir } from '../helpers/test-dir.ts';

const TEXTS = ['the upload test is flaky again', 'great, that works!', 'Ünïcode 日本語 and more', ''];
const model = loadModel();

/** The model, and how often it was asked. */
function counted(name = model.name): SentimentModel & { asked: number } {
  const counting = {
    name,
    heads: model.heads,
    lexicon: model.lexicon,
    asked: 0,
    score(...said: Parameters<SentimentModel['score']>) {
      counting.asked += 1;
      return model.score(...said);
    },
  };
  return counting;
}

function readAll(file: string, texts = TEXTS, name?: string): { asked: number; readings: unknown[] } {
  const asked = counted(name);
  const cache = new WindowCache(file);
  const kept = new KeptReadings(asked, cache);
  const readings = texts.map((text) => kept.score(text, tokenize(text)));
  cache.keep();
  return { asked: asked.asked, readings };
}

const cacheFile = (): string => join(testDir({ '.scratchpad/cache/': '' }), '.scratchpad/cache/window.json');

test('what was read is not read again, and has the same bits', () => {
  const file = cacheFile();
  const plain = TEXTS.map((text) => model.score(text, tokenize(text)));
  expect(readAll(file)).toEqual({ asked: TEXTS.length, readings: plain });
  expect(readAll(file)).toEqual({ asked: 0, readings: plain });
  expect(readAll(file, [...TEXTS, 'new words', 'new words'])).toMatchObject({ asked: 1 });
});

test('only the last window is kept, and no words of it', () => {
  const file = cacheFile();
  readAll(file);
  readAll(file, ['great, that works!', 'another one']);
  expect(readAll(file, TEXTS.slice(0, 1)).asked).toBe(1);
  readAll(file, TEXTS);
  expect(readFileSync(file, 'utf8')).not.toMatch(/upload|works|日本/);
});

test.each([
  ['nothing', ''],
  ['no JSON', '{"version"'],
  ['another shape', '[1, 2]'],
  ['null', 'null'],
])('%s in the file is read anew', (_, content) => {
  const file = cacheFile();
  writeFileSync(file, content);
  expect(readAll(file).asked).toBe(TEXTS.length);
  expect(readAll(file).asked).toBe(0);
});

test('damaged readings, and those of another model, are ignored', () => {
  const file = cacheFile();
  readAll(file);
  const kept = readCache(file) as { mood: { values: [string, unknown[]][] } };
  for (const [at, numbers] of [[1], ['x'], null].entries()) {
    const damaged = structuredClone(kept);
    (damaged.mood.values[at] as unknown[])[1] = numbers;
    writeCache(file, damaged);
    expect(readAll(file).asked).toBe(1);
  }
  expect(readAll(file, TEXTS, 'another').asked).toBe(TEXTS.length);
});

test('a folder that is not a workspace is left alone', () => {
  const file = join(testDir(), '.scratchpad/cache/window.json');
  expect(readAll(file).asked).toBe(TEXTS.length);
  expect(readAll(file).asked).toBe(TEXTS.length);
});
