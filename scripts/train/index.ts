/**
 * Trains the sentiment model and writes its files.
 *
 *   npx tsx scripts/train/index.ts DATA [--out models] [--lexicon FILE] [--seed 1]
 *
 * DATA is the folder of the training sets (models/NOTICE.md names them with their licences), --lexicon
 * vader_lexicon.txt. The same data and seed give the same bytes. Takes about a minute on one core; run
 * `scripts/train/reader.ts` afterwards.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AFFECT_FILE, buildAffectInputs, MOOD_FILE, readFrustration } from '../../src/sentiment/model.ts';
import { computeAuc, roundTo } from '../evaluate/stats.ts';
import { readArguments } from '../script.ts';
import { makeExample, readCorpus, readLexicon } from './examples.ts';
import { HEADS } from './heads.ts';
import { answer, type Text, trainLinear, type Weights } from './linear.ts';
import { fitLogistic } from './logistic.ts';
import { packAffect, packMood } from './pack.ts';
import { type EmoBankRow, readRows } from './rows.ts';
import { countVocabulary, indexWords, type Vocabulary } from './vocabulary.ts';

/** Features that occur in fewer texts are dropped; EmoBank has a sixth of the texts. */
const LEAST_TEXTS = 50;
const LEAST_EMOBANK = 7;

const [paths, options] = readArguments('DATA [--out models] [--lexicon FILE] [--seed 1]', 1, {
  out: 'models',
  lexicon: '',
  seed: 1,
});
const [folder = ''] = paths;
const { out, seed } = options;
const started = Date.now();
const lexicon = readLexicon(options.lexicon || undefined);

const corpus = readCorpus(folder, lexicon);
// Single words only provide letter n-grams; they do not count for which features are kept.
const vocabulary = countVocabulary(
  corpus.fit.filter(({ inputs }) => inputs.at(-1) !== 0),
  LEAST_TEXTS,
);
const fit = corpus.fit.map((text) => indexWords(text, vocabulary));
say(`${fit.length} texts, ${corpus.kept.length} kept back, ${vocabulary.keys.length} features`);
const weights = trainLinear(fit, {
  ...{ seed, features: vocabulary.keys.length, epochs: 6, step: 0.05, inputStep: 0.03, dropout: 0.2 },
  kinds: HEADS.map((name) => (name === 'valence' ? 'linear' : 'logistic')),
});
const kept = corpus.kept.map((text) => indexWords(text, vocabulary));
const mood = packMood(weights, vocabulary, HEADS, lexicon, fitCalibration(kept));
writeFileSync(join(out, MOOD_FILE), mood.bytes);
say(`${MOOD_FILE}: ${mood.bytes.length} bytes, ${mood.id}`);
trainAffect(folder, { weights, vocabulary }, mood.id);

/** Turns frustration into a probability, fitted on the texts kept back. */
function fitCalibration(texts: readonly Text[]): [number, number] {
  const judged = texts.filter(({ targets }) => !Number.isNaN(targets[HEADS.indexOf('strained')]));
  const truth = judged.map(({ targets }) => targets[HEADS.indexOf('strained')] ?? 0);
  const outputs = judged.map((text) => {
    const answers = answer(weights, text);
    return readFrustration((head) => answers[HEADS.indexOf(head)] ?? 0);
  });
  const inputs = outputs.map((x) => [x]);
  const { start, weights: slopes } = fitLogistic(
    inputs,
    truth,
    truth.map(() => 1),
    [1e-3],
  );
  const line: [number, number] = [roundTo(slopes[0] ?? 1, 4), roundTo(start, 4)];
  say(`frustration: n ${truth.length}, auc ${computeAuc(outputs, truth).toFixed(3)}`);
  return line;
}

/** Valence and arousal, each in standard deviations from its mean. */
function trainAffect(data: string, main: { weights: Weights; vocabulary: Vocabulary }, base: string): void {
  const rows = readRows<EmoBankRow>(data, 'emobank_train');
  const hashed = rows.map(({ text }) => makeExample(text, lexicon));
  const own = countVocabulary(hashed, LEAST_EMOBANK);
  const texts = hashed.map((text, i): Text => {
    const answers = answer(main.weights, indexWords(text, main.vocabulary));
    const { v = 3, a = 3 } = rows[i] ?? {};
    const targets = Float32Array.from([v - 3, a - 3]);
    return {
      ...indexWords(text, own),
      inputs: buildAffectInputs(text.inputs, answers, rows[i]?.text.length ?? 0),
      targets,
    };
  });
  const learnt = [
    { epochs: 30, step: 0.006 },
    { epochs: 14, step: 0.006 },
  ].map((options, which) =>
    trainLinear(
      texts.map((text) => ({ ...text, targets: text.targets.slice(which, which + 1) })),
      { ...options, seed, features: own.keys.length, kinds: ['linear'], inputStep: 0.02, dropout: 0.3 },
    ),
  );
  const both: Weights = { width: 2, rows: listColumns('rows'), inputs: listColumns('inputs') };
  const bytes = packAffect(base, both, own);
  writeFileSync(join(out, AFFECT_FILE), bytes);
  say(`${AFFECT_FILE}: ${bytes.length} bytes, ${own.keys.length} features`);

  function listColumns(part: 'rows' | 'inputs'): Float32Array {
    const scaled = learnt.map((one) => {
      const spread = computeDeviation(texts.map((text) => answer(one, text)[0] ?? 0));
      return one[part].map((x) => x / spread);
    });
    const [first = new Float32Array()] = scaled;
    return Float32Array.from({ length: first.length * 2 }, (_, i) => scaled[i % 2]?.[i >> 1] ?? 0);
  }
}

function computeDeviation(xs: readonly number[]): number {
  const mean = xs.reduce((sum, x) => sum + x, 0) / xs.length;
  return Math.sqrt(xs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / xs.length);
}

function say(line: string): void {
  process.stdout.write(`${((Date.now() - started) / 1000).toFixed(0).padStart(4)} s  ${line}\n`);
}
