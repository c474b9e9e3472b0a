/**
 * Whether the weights of the ranking work on conversations that they were not tuned on.
 * `tsx scripts/evaluate/memory-folds.ts DATA [--settings 1500] [--seed 1]`
 *
 * Random settings of all weights are scored on each conversation. For each conversation, the setting that is best
 * on the others is taken, and its score on this one counts: this is what tuning is worth on an unseen conversation.
 * For comparison: the shipped weights, plain ones from the literature, and the setting that is best on all
 * conversations (what tuning appears to be worth).
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { scan } from '../../src/memory/scan.ts';
import { type RankWeights, WEIGHTS } from '../../src/memory/weights.ts';
import { randomFrom } from '../random.ts';
import { queriesOf, type Scores, scoreOf } from './memory.ts';
import { bootstrap, mean, pick } from './stats.ts';

/** The values that published figures start from: the usual ones of BM25, and half the weight for each further line. */
const PLAIN: RankWeights = {
  k1: 1.2,
  b: 0.5,
  kNear: 1.2,
  before1: 0.3,
  before2: 0.15,
  after1: 0.3,
  after2: 0.15,
  file: 0.3,
  date: 1,
  answer: 0.5,
  author: 1,
  question: 0.2,
  when: 1,
  number: 1,
  recency: 0.2,
};

/** The search space of the random draws. Recency is fixed, because the data has nothing on it. */
const RANGES: Partial<Record<keyof RankWeights, readonly [number, number]>> = {
  k1: [0.8, 3],
  b: [0.2, 0.9],
  kNear: [0.8, 3],
  before1: [0, 0.6],
  before2: [0, 0.6],
  after1: [0, 0.6],
  after2: [0, 0.6],
  file: [0, 1.2],
  date: [0, 8],
  answer: [0, 0.8],
  author: [0, 4],
  question: [0, 0.4],
  when: [0, 4],
  number: [0, 4],
};

type ByConversation = readonly (readonly Scores[])[];

const KEYS = ['r5', 'r10', 'ndcg'] as const;
const sum = (scores: readonly Scores[]): number => mean(scores.map(({ r5, r10, ndcg }) => r5 + r10 + ndcg));

async function main(data: string, settings: number, seed: number): Promise<void> {
  const root = join(data, 'locomo-dev');
  const conversations = await Promise.all(
    readdirSync(root).map(async (id) => {
      const workspace = join(root, id);
      const { segment } = await scan({ workspace });
      return { id, segment, queries: queriesOf(workspace) };
    }),
  );
  const scored = (weights: RankWeights): ByConversation =>
    conversations.map(({ segment, queries }) =>
      queries.map(({ query, evidence }) => scoreOf(segment, [query], evidence, weights)),
    );
  const random = randomFrom(seed);
  const drawn = Array.from({ length: settings }, () => {
    const weights = { ...PLAIN };
    for (const [key, [from, to]] of Object.entries(RANGES)) {
      weights[key as keyof RankWeights] = from + random() * (to - from);
    }
    return scored(weights);
  });
  const bestFor = (chosen: (fold: number) => boolean): ByConversation => {
    const over = (all: ByConversation): number => mean(all.filter((_, fold) => chosen(fold)).map(sum));
    return drawn.reduce((best, each) => (over(each) > over(best) ? each : best));
  };
  const outOfFold = conversations.map((_, fold) => bestFor((other) => other !== fold)[fold] ?? []);
  const plain = scored(PLAIN);

  console.log(`${settings} random settings, seed ${seed}; R@5 / R@10 / nDCG@10 with the interval of R@5\n`);
  console.log(`| weights | ${conversations.map(({ id }) => id).join(' | ')} | all questions |`);
  console.log(`|---|${conversations.map(() => '---|').join('')}---|`);
  const interval = (values: readonly number[]): string => {
    const { low, high } = bootstrap(values.length, (sample) => mean(pick(values, sample)));
    return `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}`;
  };
  const row = (name: string, all: ByConversation): void => {
    const cells = [...all, all.flat()].map((scores) =>
      KEYS.map((key) => (100 * mean(scores.map((each) => each[key]))).toFixed(1)).join(' / '),
    );
    console.log(`| ${name} | ${cells.join(' | ')} (${interval(all.flat().map((each) => each.r5))}) |`);
  };
  row('plain', plain);
  row('shipped', scored(WEIGHTS));
  row(
    'best draw on all',
    bestFor(() => true),
  );
  row('best draw on the other four', outOfFold);
  const gain = outOfFold.flat().map((each, i) => each.r5 - (plain.flat()[i]?.r5 ?? 0));
  console.log(`\nR@5 gained over plain, out of fold: ${(100 * mean(gain)).toFixed(1)} (${interval(gain)})`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { settings: { type: 'string', default: '1500' }, seed: { type: 'string', default: '1' } },
});
const [data] = positionals;
if (data === undefined) {
  console.error('usage: tsx scripts/evaluate/memory-folds.ts DATA [--settings 1500] [--seed 1]');
  process.exitCode = 2;
} else await main(data, Number(values.settings), Number(values.seed));
