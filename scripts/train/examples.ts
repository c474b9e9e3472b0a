import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { extractFeatures, tokenize } from '../../src/sentiment/features.ts';
import { extractProse } from '../../src/transcript/pasted-text.ts';
import { EMOTIONS, GROUPS, HEADS, POLARITY } from './heads.ts';
import type { Text } from './linear.ts';
import { readValues } from './pack.ts';
import {
  computeBucket,
  type GoEmotionsRow,
  type IncivilityRow,
  isHeldThread,
  type PolarityRow,
  readRows,
} from './rows.ts';

/** Texts to train on, and texts held out for calibration. */
export interface Corpus {
  fit: Text[];
  kept: Text[];
}

export function makeExample(text: string, lexicon: ReadonlyMap<string, number>): Text {
  const prose = extractProse(text);
  const { grams, dense } = extractFeatures(prose, tokenize(prose), lexicon);
  const sparse = readValues(grams);
  return {
    features: Int32Array.from(sparse.keys()),
    values: Float32Array.from(sparse.values()),
    inputs: dense,
    targets: new Float32Array(HEADS.length).fill(Number.NaN),
    weight: 1,
  };
}

/** Everything that the permissively licensed weights are trained on. */
export function readCorpus(folder: string, lexicon: ReadonlyMap<string, number>): Corpus {
  const corpus: Corpus = { fit: [], kept: [] };
  for (const row of readRows<GoEmotionsRow>(folder, 'goemo_train')) {
    const example = makeExample(row.text, lexicon);
    fromEmotions(example.targets, row.labels);
    (computeBucket(row.id) < 8 ? corpus.kept : corpus.fit).push(example);
  }
  for (const row of readRows<IncivilityRow>(folder, 'incivility_dev')) {
    if (isHeldThread(row.thread)) continue;
    const example = makeExample(row.text, lexicon);
    set(example.targets, 'uncivil', row.label === 'None' ? 0 : 1);
    set(example.targets, 'strained', row.label === 'None' ? 0 : 1);
    set(example.targets, 'technical', 1);
    set(example.targets, 'impatient', IMPATIENT.has(row.label) ? 1 : 0);
    example.weight = 2;
    (computeBucket(row.thread) >= 92 ? corpus.kept : corpus.fit).push(example);
  }
  for (const row of readRows<PolarityRow>(folder, 's4_train')) {
    const example = makeExample(row.text, lexicon);
    set(example.targets, 'technical', 1);
    set(example.targets, 'technical negative', row.y < 0 ? 1 : 0);
    set(example.targets, 'technical positive', row.y > 0 ? 1 : 0);
    set(example.targets, 'valence', row.y * 0.7);
    (computeBucket(row.id) < 8 ? corpus.kept : corpus.fit).push(example);
  }
  for (const [word, rating] of lexicon) {
    if (!/^[a-z]{3,}$/.test(word)) continue;
    const example = makeExample(word, lexicon);
    // The dense features contain the answer; the letter n-grams have to learn it without them.
    example.inputs.fill(0);
    set(example.targets, 'valence', rating / 4);
    example.weight = 0.5;
    corpus.fit.push(example);
  }
  return corpus;
}

const IMPATIENT = new Set(['Bitter frustration', 'Impatience', 'Mocking', 'Entitlement', 'Irony']);

function fromEmotions(targets: Float32Array, labels: readonly string[]): void {
  for (const emotion of EMOTIONS) set(targets, emotion, labels.includes(emotion) ? 1 : 0);
  for (const [group, members] of GROUPS) set(targets, group, labels.some((l) => members.has(l)) ? 1 : 0);
  set(targets, 'technical', 0);
  let sum = 0;
  let signs = 0;
  for (const label of labels) {
    const sign = POLARITY.get(label);
    if (sign === undefined) continue;
    sum += sign;
    signs++;
  }
  set(targets, 'valence', signs === 0 ? 0 : (sum / signs) * 0.7);
}

function set(targets: Float32Array, head: string, value: number): void {
  targets[findPlace(head)] = value;
}

function findPlace(head: string): number {
  const index = HEADS.indexOf(head);
  if (index < 0) throw new Error(`no head ${head}`);
  return index;
}

/**
 * The VADER lexicon (C. J. Hutto, MIT): word, tab, mean valence, and more that
 * is not used. By default the copy inside the `vader-sentiment` package.
 */
export function readLexicon(
  file = join(dirname(readPackageFile()), 'vader_lexicon.txt'),
): Map<string, number> {
  const lexicon = new Map<string, number>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [word, valence] = line.split('\t');
    if (word === undefined || valence === undefined || word.trim() === '') continue;
    const rating = Number(valence);
    if (Number.isFinite(rating)) lexicon.set(word.trim(), rating);
  }
  return lexicon;
}

const readPackageFile = (): string => createRequire(import.meta.url).resolve('vader-sentiment/package.json');
