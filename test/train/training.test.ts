import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadModel } from '../../src/sentiment/model.ts';
import { analyzeMood } from '../../src/sentiment/state.ts';
import { bundled } from '../helpers/script.ts';
import { testDir } from '../helpers/test-dir.ts';

const SCRIPT = bundled('scripts/train/index.ts');
const packed = (rows: object[]) => gzipSync(rows.map((row) => JSON.stringify(row)).join('\n'));

/** A data folder of invented rows: what is bad is called bad, what is good good. */
function dataFolder(): string {
  const things = [
    'the lamp',
    'our garden',
    'that film',
    'my bike',
    'the soup',
    'this song',
    'her coat',
    'a book',
  ];
  const rows = Array.from({ length: 160 }, (_, i) => {
    const bad = i % 2 === 0;
    const thing = things[i % things.length] ?? '';
    return {
      id: `r${i}`,
      bad,
      text: `I think ${thing} is ${bad ? 'bad and it makes me angry' : 'good, thank you'} ${i}`,
    };
  });
  return testDir({
    'data/goemo_train.jsonl.gz': packed(
      rows.map(({ id, text, bad }) => ({ id, text, labels: [bad ? 'anger' : 'gratitude'] })),
    ),
    'data/incivility_dev.jsonl.gz': packed(
      rows.map(({ id, text, bad }) => ({ id, text, thread: id, label: bad ? 'Bitter frustration' : 'None' })),
    ),
    'data/s4_train.jsonl.gz': packed(rows.map(({ id, text, bad }) => ({ id, text, y: bad ? -1 : 1 }))),
    'data/emobank_train.jsonl.gz': packed(
      rows.map(({ id, text, bad }) => ({ id, text, v: bad ? 2 : 4, a: 3, d: 3 })),
    ),
    'lexicon.txt': 'bad\t-2.5\ngood\t1.9\nangry\t-2.3\nthank\t1.5\n',
    'a/': '',
    'b/': '',
    'c/': '',
  });
}

function train(folder: string, out: string, seed: number): Buffer[] {
  const files = { lexicon: 'lexicon.txt', out };
  const options = Object.entries(files).flatMap(([name, file]) => [`--${name}`, join(folder, file)]);
  const args = [SCRIPT, join(folder, 'data'), ...options, '--seed', String(seed)];
  execFileSync(process.execPath, args, { stdio: 'pipe' });
  return ['mood.bin', 'affect-emobank.bin'].map((name) => readFileSync(join(folder, out, name)));
}

describe('training', () => {
  let folder = '';
  beforeAll(() => {
    folder = dataFolder();
  });

  test('the same data and seed give the same bytes, another seed others', { timeout: 120_000 }, () => {
    const first = train(folder, 'a', 1);
    const second = train(folder, 'b', 1);
    const other = train(folder, 'c', 2);
    expect(first[0]?.equals(second[0] ?? Buffer.alloc(0))).toBe(true);
    expect(first[1]?.equals(second[1] ?? Buffer.alloc(0))).toBe(true);
    expect(first[0]?.equals(other[0] ?? Buffer.alloc(0))).toBe(false);
  });

  test('the model can be loaded and has learnt', () => {
    const model = loadModel(join(folder, 'a'));
    const valence = (content: string): number =>
      analyzeMood([{ id: '1', role: 'user', content, session: 's' }], { model }).valence;
    expect(valence('I think the lamp is bad')).toBeLessThan(valence('I think the lamp is good') - 0.15);
  });
});
