/** Measures for evaluations, with bootstrap intervals. All arrays of one call have the same length. */
import { createRandom } from '../random.ts';

type Numbers = ArrayLike<number>;

/** Area under the ROC curve of `scores` for the rows where `truth` is 1; ties count half. NaN when one class is missing. */
export function computeAuc(scores: Numbers, truth: Numbers): number {
  const order = Array.from({ length: scores.length }, (_, i) => i).sort(
    (a, b) => getAt(scores, a) - getAt(scores, b),
  );
  let positives = 0;
  let ranks = 0;
  for (let i = 0; i < order.length; ) {
    let end = i;
    while (end < order.length && getAt(scores, order[end] ?? 0) === getAt(scores, order[i] ?? 0)) end++;
    const rank = (i + end + 1) / 2;
    for (; i < end; i++) {
      if (getAt(truth, order[i] ?? 0) === 1) {
        positives++;
        ranks += rank;
      }
    }
  }
  const negatives = order.length - positives;
  return (ranks - (positives * (positives + 1)) / 2) / (positives * negatives);
}

/** Pearson's correlation. */
export function computePearson(a: Numbers, b: Numbers): number {
  const meanA = mean(a);
  const meanB = mean(b);
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    const x = getAt(a, i) - meanA;
    const y = getAt(b, i) - meanB;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / Math.sqrt(aa * bb);
}

/** F1 of calling every row at or above `threshold` positive. */
export function computeF1(scores: Numbers, truth: Numbers, threshold: number): number {
  let hits = 0;
  let called = 0;
  let positives = 0;
  for (let i = 0; i < scores.length; i++) {
    const positive = getAt(truth, i) === 1;
    const call = getAt(scores, i) >= threshold;
    if (positive) positives++;
    if (call) called++;
    if (positive && call) hits++;
  }
  return called + positives === 0 ? 0 : (2 * hits) / (called + positives);
}

/** The threshold with the highest F1. Choose it on rows other than those it is reported on. */
export function findBestThreshold(scores: Numbers, truth: Numbers): number {
  const { order, positives } = rankRows(scores, truth);
  let hits = 0;
  let best = 0;
  let threshold = Number.POSITIVE_INFINITY;
  order.forEach((row, k) => {
    hits += getAt(truth, row);
    const value = (2 * hits) / (k + 1 + positives);
    if (value > best) {
      best = value;
      threshold = getAt(scores, row);
    }
  });
  return threshold;
}

/** Precision among the highest scores that together find the share `recall` of the positives. */
export function computePrecision(scores: Numbers, truth: Numbers, recall: number): number {
  const { order, positives } = rankRows(scores, truth);
  let hits = 0;
  for (let k = 0; k < order.length; k++) {
    hits += getAt(truth, order[k] ?? 0);
    if (hits >= recall * positives) return hits / (k + 1);
  }
  return Number.NaN;
}

/** The rows by their scores, the highest first, and how many are positive. */
function rankRows(scores: Numbers, truth: Numbers): { order: number[]; positives: number } {
  const order = Array.from({ length: scores.length }, (_, i) => i);
  return { order: order.sort((a, b) => getAt(scores, b) - getAt(scores, a)), positives: sumValues(truth) };
}

const sumValues = (values: Numbers): number => Array.from(values).reduce((sum, value) => sum + value, 0);

export const mean = (values: Numbers): number => sumValues(values) / values.length;

/** With so many decimals; never -0. */
export const roundTo = (value: number, decimals: number): number =>
  Math.round(value * 10 ** decimals) / 10 ** decimals + 0;

export interface Interval {
  value: number;
  /** The bounds of the central 95 %. */
  low: number;
  high: number;
  /** Units that were resampled. */
  n: number;
}

/**
 * A measure with its 95 % bootstrap interval. `measure` is given row numbers, drawn with replacement. Rows that belong
 * together (turns of one dialogue) are drawn together when `groupOf` names their group.
 */
export function runBootstrap(
  rows: number,
  measure: (sample: readonly number[]) => number,
  options: { rounds?: number; seed?: number; groupOf?: (row: number) => string | number } = {},
): Interval {
  const all = Array.from({ length: rows }, (_, i) => i);
  const groups = new Map<string | number, number[]>();
  for (const row of all) {
    const key = options.groupOf?.(row) ?? row;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  const units = [...groups.values()];
  const random = createRandom(options.seed ?? 1);
  const found: number[] = [];
  for (let round = 0; round < (options.rounds ?? 500); round++) {
    const sample: number[] = [];
    for (let i = 0; i < units.length; i++) sample.push(...(units[Math.floor(random() * units.length)] ?? []));
    const value = measure(sample);
    if (Number.isFinite(value)) found.push(value);
  }
  return {
    value: measure(all),
    low: computeQuantile(found, 0.025),
    high: computeQuantile(found, 0.975),
    n: units.length,
  };
}

/** The value below which a share of all lies. NaN if there is none. */
export function computeQuantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** The values at the rows of a sample. */
export const pick = (values: Numbers, sample: readonly number[]): number[] =>
  sample.map((row) => getAt(values, row));

/** `.712 (.690-.733)` */
export function show(interval: Interval, digits = 3): string {
  const f = (x: number): string => x.toFixed(digits).replace(/^(-?)0\./, '$1.');
  return `${f(interval.value)} (${f(interval.low)} to ${f(interval.high)})`;
}

const getAt = (values: Numbers, i: number): number => values[i] ?? Number.NaN;
