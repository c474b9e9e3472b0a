/**
 * Figures of the sentiment engine, through `analyze`, called as an assembly calls it.
 *
 *   npx tsx scripts/evaluate/sentiment.ts DATA
 *
 * DATA is the folder of the evaluation sets.
 */
import { loadModel } from '../../src/sentiment/model.ts';
import { analyzeMood } from '../../src/sentiment/state.ts';
import type { SentimentState } from '../../src/sentiment/types.ts';
import { readArguments } from '../script.ts';
import { FRUSTRATED } from '../train/heads.ts';
import {
  type EmoBankRow,
  type GoEmotionsRow,
  type IncivilityRow,
  isHeldThread,
  readRows,
  type SatisfactionRow,
  type TweetRow,
} from '../train/rows.ts';
import { listPastedCases, readDialogues } from './sentiment-sets.ts';
import {
  computeAuc,
  computeF1,
  computePearson,
  findBestThreshold,
  mean,
  pick,
  runBootstrap,
  show,
} from './stats.ts';

const [[folder = '']] = readArguments('DATA', 1, {});
const model = loadModel();
const read = (text: string): SentimentState =>
  analyzeMood([{ id: '1', role: 'user', content: text, session: 's' }], { model });

type Measure = (scores: readonly number[], truth: readonly number[]) => number;

/** One line of the table. */
function renderRow(
  name: string,
  must: string,
  scores: readonly number[],
  truth: readonly number[],
  measure: Measure,
  groups?: readonly (string | number)[],
): void {
  // With thousands of dialogue turns, fewer rounds give the same interval.
  const rounds = truth.length > 6000 ? 200 : 500;
  const options = { rounds, groupOf: (i: number) => groups?.[i] ?? i };
  const interval = runBootstrap(truth.length, (s) => measure(pick(scores, s), pick(truth, s)), options);
  process.stdout.write(`| ${name} | ${truth.length} | ${show(interval)} | ${must} |\n`);
}

process.stdout.write('| measure | n | value | must |\n|---|---|---|---|\n');
const tweets = readRows<TweetRow>(folder, 'vader_tweets').map(
  ({ text, v }) => [read(text).valence, v] as const,
);
const emobank = readRows<EmoBankRow>(folder, 'emobank_dev').map(({ text, v, a }) => ({
  state: read(text),
  v,
  a,
}));
for (const [name, must, pairs] of [
  ['VADER tweets, valence r (not trained on)', '.87', tweets],
  ['EmoBank dev, valence r', '.60', emobank.map(({ state, v }) => [state.valence, v] as const)],
  ['EmoBank dev, arousal r', '.42', emobank.map(({ state, a }) => [state.arousal, a] as const)],
] as const) {
  const [scores, truth] = [0, 1].map((k) => pairs.map((pair) => pair[k as 0 | 1]));
  renderRow(name, must, scores ?? [], truth ?? [], computePearson);
}

/** Each threshold is chosen on one half of the rows and judged on the other, both ways. */
const computeCrossF1: Measure = (scores, truth) => {
  const takeHalf = (k: number): number[] => scores.map((_, i) => i).filter((i) => i % 2 === k);
  const judged = [0, 1].map((k) => {
    const [fit, test] = [takeHalf(k), takeHalf(1 - k)];
    return computeF1(
      pick(scores, test),
      pick(truth, test),
      findBestThreshold(pick(scores, fit), pick(truth, fit)),
    );
  });
  return mean(judged);
};
const emotions = readRows<GoEmotionsRow>(folder, 'goemo_dev');
const levels = emotions.map(({ text }) => read(text).frustration);
const isFrustrated = emotions.map(({ labels }) => Number(labels.some((label) => FRUSTRATED.has(label))));
renderRow(
  'GoEmotions dev, frustrated F1, threshold from the other half',
  '.46',
  levels,
  isFrustrated,
  computeCrossF1,
);
renderRow('GoEmotions dev, frustrated F1 at .5, as in the state', '.46', levels, isFrustrated, (s, t) =>
  computeF1(s, t, 0.5),
);

const issues = readRows<IncivilityRow>(folder, 'incivility_dev').filter(({ thread }) => isHeldThread(thread));
renderRow(
  'Incivility, held-out threads, frustration AUC',
  '.75',
  issues.map(({ text }) => read(text).frustration),
  issues.map(({ label }) => Number(label !== 'None')),
  computeAuc,
  issues.map(({ thread }) => thread),
);

for (const [name, file] of [
  ['SGD', 'uss_sgd'],
  ['ReDial', 'uss_redial'],
] as const) {
  const { turns, turned } = readDialogues(readRows<SatisfactionRow>(folder, file), model);
  renderRow(
    `USS ${name}, dissatisfied (most judges below 3), AUC`,
    '.75',
    turns.map(({ level }) => level),
    turns.map(({ label }) => Number(label < 3)),
    computeAuc,
    turns.map(({ dialogue }) => dialogue),
  );
  renderRow(
    `USS ${name}, direction of the trajectory`,
    '.75',
    turned.map(Number),
    turned.map(() => 1),
    mean,
  );
}

const cases = listPastedCases();
renderRow(
  'False positives, neutral message with a pasted log, trace or diff',
  '.02',
  cases.map(({ text }) => Number(read(text).frustration >= 0.5)),
  cases.map(() => 0),
  mean,
  cases.map(({ paste }) => paste),
);
