import { join } from 'node:path';
import { mask } from '../../src/hearing/own-words.ts';
import { featuresOf } from '../../src/sentiment/features.ts';
import { tokenize } from '../../src/sentiment/words.ts';
import { chatMessages } from './chat.ts';
import type { Example } from './example.ts';
import { EMOTIONS, GROUPS, HEADS, POLARITY } from './heads.ts';
import { valuesOf } from './pack.ts';
import {
  bucketOf,
  type GoEmotionsRow,
  type IncivilityRow,
  isHeldThread,
  type PolarityRow,
  readRows,
} from './rows.ts';
import { meaningOf, type WordVectors } from './vectors.ts';

/** Texts to train on, and texts held out for calibration. */
export interface Corpus {
  fit: Example[];
  kept: Example[];
}

/** The parts that turn a text into an example. */
export interface Sources {
  lexicon: ReadonlyMap<string, number>;
  vectors: WordVectors;
}

export function exampleOf(text: string, { lexicon, vectors }: Sources): Example {
  const { prose } = mask(text);
  const { grams, dense } = featuresOf(prose, tokenize(prose), lexicon);
  const sparse = valuesOf(grams);
  return {
    features: Int32Array.from(sparse.keys()),
    values: Float32Array.from(sparse.values()),
    dense,
    meaning: meaningOf(sparse, vectors),
    targets: new Float32Array(HEADS.length).fill(Number.NaN),
    weight: 1,
  };
}

/** Everything that the permissively licensed weights are trained on. */
export function readCorpus(folder: string, sources: Sources, withChat = true): Corpus {
  const corpus: Corpus = { fit: [], kept: [] };
  for (const row of readRows<GoEmotionsRow>(folder, 'goemo_train')) {
    const example = exampleOf(row.text, sources);
    fromEmotions(example.targets, row.labels);
    (bucketOf(row.id) < 8 ? corpus.kept : corpus.fit).push(example);
  }
  for (const row of readRows<IncivilityRow>(folder, 'incivility_dev')) {
    if (isHeldThread(row.thread)) continue;
    const example = exampleOf(row.text, sources);
    set(example.targets, 'uncivil', row.label === 'None' ? 0 : 1);
    set(example.targets, 'strained', row.label === 'None' ? 0 : 1);
    set(example.targets, 'technical', 1);
    set(example.targets, 'impatient', IMPATIENT.has(row.label) ? 1 : 0);
    example.weight = 2;
    (bucketOf(row.thread) >= 92 ? corpus.kept : corpus.fit).push(example);
  }
  for (const row of readRows<PolarityRow>(folder, 's4_train')) {
    const example = exampleOf(row.text, sources);
    set(example.targets, 'technical', 1);
    set(example.targets, 'technical negative', row.y < 0 ? 1 : 0);
    if (row.y >= 0) for (const head of CHAT) set(example.targets, head, 0);
    set(example.targets, 'technical positive', row.y > 0 ? 1 : 0);
    set(example.targets, 'valence', row.y * 0.7);
    (bucketOf(row.id) < 8 ? corpus.kept : corpus.fit).push(example);
  }
  if (withChat) addChat(corpus, sources, join(folder, 'chat'));
  for (const [word, rating] of sources.lexicon) {
    if (!/^[a-z]{3,}$/.test(word)) continue;
    const example = exampleOf(word, sources);
    // The dense features contain the answer; the letter n-grams have to learn it without them.
    example.dense.fill(0);
    example.meaning.fill(0);
    set(example.targets, 'valence', rating / 4);
    example.weight = 0.5;
    corpus.fit.push(example);
  }
  return corpus;
}

/** Messages to an agent, written for this project; the other corpora provide the negative examples. */
function addChat(corpus: Corpus, sources: Sources, folder: string): void {
  for (const example of [...corpus.fit, ...corpus.kept]) {
    const strained = example.targets[place('strained')] ?? Number.NaN;
    if (strained === 0) set(example.targets, 'chat displeased', 0);
    if (!Number.isNaN(strained)) {
      set(example.targets, 'chat urgent', 0);
      set(example.targets, 'chat tired', 0);
    }
  }
  for (const { kind, text, weight } of chatMessages(folder, 7)) {
    const example = exampleOf(text, sources);
    example.weight = weight;
    const displeased = kind === 'complaint' || kind === 'sarcasm';
    set(example.targets, 'chat displeased', displeased ? 1 : 0);
    set(example.targets, 'chat urgent', kind === 'urgent' ? 1 : 0);
    set(example.targets, 'chat tired', kind === 'tired' ? 1 : 0);
    set(example.targets, 'chat playful', kind === 'playful' ? 1 : 0);
    if (kind === 'pleased') set(example.targets, 'pleased', 1);
    if (kind === 'curious' || kind === 'ordinary' || kind === 'pleased')
      set(example.targets, 'frustrated', 0);
    if (kind === 'ordinary') set(example.targets, 'uncivil', 0);
    corpus.fit.push(example);
  }
}

const CHAT = ['chat displeased', 'chat urgent', 'chat tired'];
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
  targets[place(head)] = value;
}

function place(head: string): number {
  const index = HEADS.findIndex((h) => h.name === head);
  if (index < 0) throw new Error(`no head ${head}`);
  return index;
}
