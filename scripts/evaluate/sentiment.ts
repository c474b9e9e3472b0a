/**
 * Figures of the sentiment engine, through `analyze`, called as an assembly calls it.
 *
 *   npx tsx scripts/evaluate/sentiment.ts DATA [--models FOLDER] [--packages FOLDER]
 *     [--write FILE]
 *
 * DATA is the folder of the evaluation sets; --packages is where vader-sentiment and sentiment (AFINN) are
 * installed, if not here.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { analyze, loadModel, type SentimentState } from '../../src/sentiment/index.ts';
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
import { loadBaselines } from './baselines.ts';
import { pastedCases } from './pastes.ts';
import { type RatedTurn, readDialogues } from './satisfaction.ts';
import { auc, bestThreshold, bootstrap, f1, pearson, pick, show } from './stats.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    models: { type: 'string' },
    packages: { type: 'string' },
    write: { type: 'string' },
  },
});
const folder = positionals[0];
if (folder === undefined)
  throw new Error(
    'usage: scripts/evaluate/sentiment.ts DATA [--models FOLDER] [--packages FOLDER] [--write FILE]',
  );
const model = loadModel(values.models);
const baselines = loadBaselines(values.packages);
const lines: string[] = [
  '| measure | n | this engine | vader-sentiment | AFINN | must | moonshot |',
  '|---|---|---|---|---|---|---|',
];

const read = (text: string): SentimentState =>
  analyze([{ id: '1', role: 'user', content: text, session: 's' }], { model });

type Measure = (scores: readonly number[], truth: readonly number[]) => number;

/** One line of the table: our score and each baseline's, on the same rows. */
function row(
  name: string,
  goals: string,
  truth: number[],
  scores: number[][],
  measure: Measure,
  groups?: (string | number)[],
): void {
  // With thousands of dialogue turns, fewer rounds give the same interval.
  const rounds = truth.length > 6000 ? 200 : 500;
  const options = { rounds, ...(groups === undefined ? {} : { groupOf: (i: number) => groups[i] ?? i }) };
  const cells = scores.map((s) =>
    show(bootstrap(truth.length, (sample) => measure(pick(s, sample), pick(truth, sample)), options)),
  );
  while (cells.length < 3) cells.push('–');
  add(`| ${name} | ${truth.length} | ${cells.join(' | ')} | ${goals} |`);
}

function add(line: string): void {
  lines.push(line);
  process.stdout.write(`${line}\n`);
}

const tweets = readRows<TweetRow>(folder, 'vader_tweets');
const byBaselines = (texts: readonly string[], sign = 1): number[][] =>
  baselines.map((b) => texts.map((t) => sign * b.valence(t)));
const texts = (rows: readonly { text: string }[]): string[] => rows.map((r) => r.text);
row(
  'VADER tweets, valence r (not trained on)',
  '.87 | .90',
  tweets.map((t) => t.v),
  [tweets.map((t) => read(t.text).valence), ...byBaselines(texts(tweets))],
  pearson,
);

const emobank = readRows<EmoBankRow>(folder, 'emobank_dev');
const felt = emobank.map((r) => read(r.text));
row(
  'EmoBank dev, valence r',
  '.60 | .70',
  emobank.map((r) => r.v),
  [felt.map((s) => s.valence), ...byBaselines(texts(emobank))],
  pearson,
);
row(
  'EmoBank dev, arousal r',
  '.42 | .52',
  emobank.map((r) => r.a),
  [felt.map((s) => s.arousal), ...byBaselines(texts(emobank)).map((v) => v.map(Math.abs))],
  pearson,
);

const emotions = readRows<GoEmotionsRow>(folder, 'goemo_dev');
const frustrated = emotions.map((r) => (r.labels.some((l) => FRUSTRATED.has(l)) ? 1 : 0));
const frustration = [emotions.map((r) => read(r.text).frustration), ...byBaselines(texts(emotions), -1)];
// Each threshold is chosen on one half of the rows and judged on the other, both ways.
const crossF1 = (scores: readonly number[], truth: readonly number[]): number => {
  const half = (k: number): number[] => scores.map((_, i) => i).filter((i) => i % 2 === k);
  const judged = [0, 1].map((k) => {
    const [fit, test] = [half(k), half(1 - k)];
    return f1(pick(scores, test), pick(truth, test), bestThreshold(pick(scores, fit), pick(truth, fit)));
  });
  return ((judged[0] ?? 0) + (judged[1] ?? 0)) / 2;
};
row(
  'GoEmotions dev, frustrated F1, threshold from the other half',
  '.46 | .55',
  frustrated,
  frustration,
  crossF1,
);
row(
  'GoEmotions dev, frustrated F1 at .5, as in the state',
  '.46 | .55',
  frustrated,
  [frustration[0] ?? []],
  (s, t) => f1(s, t, 0.5),
);
const issues = readRows<IncivilityRow>(folder, 'incivility_dev').filter((r) => isHeldThread(r.thread));
const threads = issues.map((r) => r.thread);
row(
  'Incivility, held-out threads, frustration AUC',
  '.75 | .83',
  issues.map((r) => (r.label === 'None' ? 0 : 1)),
  [issues.map((r) => read(r.text).frustration), ...byBaselines(texts(issues), -1)],
  auc,
  threads,
);

/** The rows that each kind of rating was evaluated on, set by set. */
const means = new Map<
  string,
  { goals: string; of: { truth: number[]; scores: number[][]; groups: number[] }[] }
>();
for (const [name, file] of [
  ['SGD', 'uss_sgd'],
  ['ReDial', 'uss_redial'],
] as const) {
  const { turns, turned } = readDialogues(readRows<SatisfactionRow>(folder, file), model, baselines);
  const groups = turns.map((t) => t.dialogue);
  const scores = [
    turns.map((t) => t.ours),
    ...baselines.map((_, b) => turns.map((t) => t.baselines[b] ?? 0)),
  ];
  for (const [what, goals, low] of [
    ['dissatisfied (most judges below 3)', '.75 | .80', (t) => t.label < 3],
    ['mean rating below 3 (one judge is enough)', '– | –', (t) => t.rating < 3],
  ] satisfies [string, string, (t: RatedTurn) => boolean][]) {
    const truth = turns.map((t) => (low(t) ? 1 : 0));
    row(`USS ${name}, ${what}, AUC`, goals, truth, scores, auc, groups);
    const sums = means.get(what) ?? { goals, of: [] };
    sums.of.push({ truth, scores, groups });
    means.set(what, sums);
  }
  const right = [
    turned.map((t) => Number(t.ours)),
    ...baselines.map((_, b) => turned.map((t) => Number(t.baselines[b]))),
  ];
  row(
    `USS ${name}, direction of the trajectory`,
    '.75 | .88',
    turned.map(() => 1),
    right,
    (s) => s.reduce((a, b) => a + b, 0) / s.length,
  );
}

/**
 * How often displeasure is reported where there is none; a baseline reports it from the valence that its package
 * calls negative.
 */
const alarms = (negative: readonly number[][]): number[][] =>
  negative.map((scores, which) => scores.map((score) => Number(score >= (which === 0 ? 0.05 : 0.01))));
const rate: Measure = (s) => s.reduce((a, b) => a + b, 0) / s.length;
for (const [what, { goals, of }] of means) {
  const cells = [0, 1, 2].map((which) =>
    (of.reduce((sum, { truth, scores }) => sum + auc(scores[which] ?? [], truth), 0) / of.length)
      .toFixed(3)
      .replace(/^0/, ''),
  );
  add(`| USS, ${what}, mean AUC of the sets | – | ${cells.join(' | ')} | ${goals} |`);
}

const cases = pastedCases();
row(
  'False positives, neutral message with a pasted log, trace or diff',
  '.02 | .005',
  cases.map(() => 0),
  [
    cases.map((c) => Number(read(c.text).frustration >= 0.5)),
    ...alarms(
      byBaselines(
        cases.map((c) => c.text),
        -1,
      ),
    ),
  ],
  rate,
  cases.map((c) => c.paste),
);

if (values.write !== undefined) {
  const file = values.write;
  const marker = '<!-- figures: written by scripts/evaluate/sentiment.ts -->';
  const [before = '', , after = ''] = readFileSync(file, 'utf8').split(marker);
  writeFileSync(file, `${before}${marker}\n\n${lines.join('\n')}\n\n${marker}${after}`);
}
