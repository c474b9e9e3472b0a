import { type Reading, readExchange } from '../../src/sentiment/reader.ts';
import { fitReader, type Labelled, thresholdFor } from './reader-fit.ts';

/**
 * The reading of each message by a reader that was not trained on its group: its repository, or several
 * repositories together.
 */
export function outsideReadings(
  texts: readonly Labelled[],
  groupOf: (repo: string) => string = (repo) => repo,
): Reading[] {
  const readings = new Map<Labelled, Reading>();
  for (const group of new Set(texts.map(({ row }) => groupOf(row.repo)))) {
    const isInside = ({ row }: Labelled): boolean => groupOf(row.repo) === group;
    const weights = fitReader(texts.filter((text) => !isInside(text)));
    for (const text of texts.filter(isInside))
      readings.set(text, readExchange(text.exchange, text.model, weights));
  }
  return texts.map((text) => readings.get(text) as Reading);
}

const INNER_FOLDS = 5;

/**
 * The threshold for each message, set without its repository: on readings of the other repositories, in five
 * groups, with weights trained on neither.
 */
export function outsideThresholds(texts: readonly Labelled[]): number[] {
  const thresholds = new Map<string, number>();
  for (const repo of new Set(texts.map(({ row }) => row.repo))) {
    const others = texts.filter(({ row }) => row.repo !== repo);
    const groups = foldsOf(others);
    const readings = outsideReadings(others, (name) => groups.get(name) ?? '');
    const random = others.map(({ row }) => row.drawn === 'random');
    thresholds.set(
      repo,
      thresholdFor(
        readings.filter((_, i) => random[i]).map(({ displeased }) => displeased),
        others.filter((_, i) => random[i]).map(({ row }) => (row.labels.frustration > 0 ? 1 : 0)),
      ),
    );
  }
  return texts.map(({ row }) => thresholds.get(row.repo) ?? Number.POSITIVE_INFINITY);
}

/** Repositories in groups of about the same number of messages. */
function foldsOf(texts: readonly Labelled[]): Map<string, string> {
  const sizes = new Map<string, number>();
  for (const { row } of texts) sizes.set(row.repo, (sizes.get(row.repo) ?? 0) + 1);
  const folds = Array.from({ length: INNER_FOLDS }, () => 0);
  const groups = new Map<string, string>();
  for (const [repo, size] of [...sizes].sort((a, b) => b[1] - a[1])) {
    const least = folds.indexOf(Math.min(...folds));
    folds[least] = (folds[least] ?? 0) + size;
    groups.set(repo, String(least));
  }
  return groups;
}
