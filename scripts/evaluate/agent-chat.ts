/**
 * Figures on real messages of developers to coding agents, by cross-validation over repositories:
 * no message is judged with weights or a threshold that were fitted on its repository.
 *
 *   npx tsx scripts/evaluate/agent-chat.ts DATA [--shipped]
 *
 * --shipped evaluates the engine as it is shipped, which was trained on these messages. Rates and areas are for the
 * randomly drawn messages; intervals resample whole repositories.
 */
import { loadModel, toProbability } from '../../src/sentiment/model.ts';
import { analyzeMood } from '../../src/sentiment/state.ts';
import { computeValence } from '../../src/sentiment/turn.ts';
import { readArguments } from '../script.ts';
import {
  findOutsideThresholds,
  type Labelled,
  labelMessages,
  listMessages,
  readOutside,
} from '../train/reader-fit.ts';
import { readAgentChat } from '../train/rows.ts';
import { computeAuc, computePearson, computePrecision, mean, pick, runBootstrap, show } from './stats.ts';

const [[folder = ''], { shipped: isAsShipped }] = readArguments('DATA [--shipped]', 1, { shipped: false });
const model = loadModel();

/** The judgements of one message. */
interface Judgement {
  displeased: number;
  valence: number;
  isFrustrated: boolean;
  /** The moods that have a name. */
  named: readonly string[];
}

const texts = labelMessages(readAgentChat(folder), model);
const judged = isAsShipped ? readAsShipped(texts) : crossValidate(texts);
const drawn = texts.flatMap(({ row }, i) => (row.drawn === 'random' ? [i] : []));
const rows = drawn.map((i) => texts[i]?.row).filter((row) => row !== undefined);
const read = drawn.map((i) => judged[i]).filter((reading) => reading !== undefined);
const frustrated = rows.map(({ labels }) => (labels.frustration > 0 ? 1 : 0));
const displeased = read.map((reading) => reading.displeased);
const called = read.map((reading) => Number(reading.isFrustrated));

say('| measure | n | value | must |');
say('|---|---|---|---|');
renderRow('frustration, AUC', '.90', (s) => computeAuc(pick(displeased, s), pick(frustrated, s)));
renderRow('frustration, precision at recall .5', '.60', (s) =>
  computePrecision(pick(displeased, s), pick(frustrated, s), 0.5),
);
const filterAmong = (xs: readonly number[], s: readonly number[], where: (i: number) => boolean): number =>
  mean(pick(xs, s.filter(where)));
renderRow('called frustrated, precision', '–', (s) => filterAmong(frustrated, s, (i) => called[i] === 1));
renderRow('called frustrated, recall', '.45', (s) => filterAmong(called, s, (i) => frustrated[i] === 1));
renderRow('wrongly called frustrated, share of all messages', '.015', (s) =>
  mean(s.map((i) => Number(called[i] === 1 && frustrated[i] === 0))),
);
renderRow('clearly frustrated, named', '–', (s) =>
  filterAmong(called, s, (i) => rows[i]?.labels.frustration === 2),
);
const valences = read.map(({ valence }) => valence);
const labels = rows.map((each) => each.labels.valence);
renderRow('valence, r', '.50', (s) => computePearson(pick(valences, s), pick(labels, s)));
say('');
for (const [mood, label] of [
  ['urgent', 'urgency'],
  ['playful', 'playful'],
] as const) {
  const hasName = (i: number): boolean => judged[i]?.named.includes(mood) === true;
  const isRight = (i: number): boolean => (texts[i]?.row.labels[label] ?? 0) > 0;
  const all = [...texts.keys()];
  say(
    `${mood}: named ${drawn.filter(hasName).length} times of ${drawn.length}, right ${drawn.filter((i) => hasName(i) && isRight(i)).length}, there ${drawn.filter(isRight).length}; with the rows that were looked for ${all.filter(hasName).length}, ${all.filter((i) => hasName(i) && isRight(i)).length}, ${all.filter(isRight).length}`,
  );
}

function crossValidate(all: readonly Labelled[]): Judgement[] {
  const readings = readOutside(all);
  const thresholds = findOutsideThresholds(all);
  const shipped = readAsShipped(all);
  return all.map((text, i) => {
    const reading = readings[i];
    if (reading === undefined) throw new Error('a message without a reading');
    return {
      displeased: toProbability(reading.displeased),
      valence: computeValence(text.exchange, reading, text.model),
      isFrustrated: reading.displeased > (thresholds[i] ?? 0),
      named: shipped[i]?.named ?? [],
    };
  });
}

function readAsShipped(all: readonly Labelled[]): Judgement[] {
  return all.map(({ row }) => {
    const { emotion, secondary, frustration, valence } = analyzeMood(listMessages(row), { model });
    const named = secondary === null ? [emotion] : [emotion, secondary];
    return { displeased: frustration, valence, isFrustrated: named.includes('frustrated'), named };
  });
}

function renderRow(name: string, must: string, measure: (sample: readonly number[]) => number): void {
  const interval = runBootstrap(rows.length, measure, { rounds: 500, groupOf: (i) => rows[i]?.repo ?? '' });
  say(`| ${name} | ${rows.length} | ${show(interval)} | ${must} |`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
