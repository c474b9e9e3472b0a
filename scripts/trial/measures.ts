import { randomFrom } from '../random.ts';
import type { Usage } from './hosts/host.ts';
import type { Failure } from './session.ts';

/** One second session, measured. */
export interface Result {
  arm: string;
  task: string;
  run: number;
  kept: Record<string, boolean>;
  calls: number;
  turns: number;
  questions: number;
  usage: Usage;
  /** Tokens of what the arm put into the context. */
  added: number;
  ms: number;
  model: string;
  /** How the first session ended, and this one. */
  first: string;
  ended: string;
  failure?: Failure | undefined;
}

/** A model that refuses, and a turn without end, are results; what the machine did is none. */
export const counts = ({ failure }: Result): boolean =>
  failure === undefined || failure.kind === 'refused' || failure.kind === 'too long';

export interface Share {
  kept: number;
  of: number;
  /** Wilson's interval, 95 %. */
  low: number;
  high: number;
}

export function share(kept: number, of: number): Share {
  if (of === 0) return { kept, of, low: 0, high: 1 };
  const z = 1.959964;
  const p = kept / of;
  const middle = (p + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const half = (z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))) / (1 + (z * z) / of);
  return { kept, of, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const mean = (numbers: readonly number[]): number =>
  numbers.length === 0 ? Number.NaN : sum(numbers) / numbers.length;
const keptOf = ({ kept }: Result): number => Object.values(kept).filter(Boolean).length;
const rate = (result: Result): number => keptOf(result) / Math.max(1, Object.keys(result.kept).length);

export const shareOf = (results: readonly Result[]): Share =>
  share(sum(results.map(keptOf)), sum(results.map(({ kept }) => Object.keys(kept).length)));

export interface Difference {
  mean: number;
  low: number;
  high: number;
  tasks: number;
}

const DRAWS = 10_000;

/** Mean difference of the shares kept, over the tasks that both arms have; its interval by drawing tasks anew. */
export function difference(ours: readonly Result[], theirs: readonly Result[], seed: number): Difference {
  const tasks = [...new Set(ours.map(({ task }) => task))].filter((task) =>
    theirs.some((one) => one.task === task),
  );
  const of = (results: readonly Result[], task: string): number =>
    mean(results.filter((one) => one.task === task).map(rate));
  const differences = tasks.map((task) => of(ours, task) - of(theirs, task));
  if (tasks.length === 0) return { mean: Number.NaN, low: Number.NaN, high: Number.NaN, tasks: 0 };
  const random = randomFrom(seed);
  const draw = (): number =>
    mean(differences.map(() => differences[Math.floor(random() * differences.length)] ?? 0));
  const draws = Array.from({ length: DRAWS }, draw).sort((a, b) => a - b);
  const at = (part: number): number => draws[Math.round(part * (DRAWS - 1))] ?? Number.NaN;
  return { mean: mean(differences), low: at(0.025), high: at(0.975), tasks: tasks.length };
}

/** What is measured beside the requirements kept, on average of the runs. */
export const MEASURES: Record<string, (result: Result) => number> = {
  calls: (one) => one.calls,
  turns: (one) => one.turns,
  questions: (one) => one.questions,
  'tokens in': (one) => one.usage.input,
  'of them cached': (one) => one.usage.cached,
  'tokens out': (one) => one.usage.output,
  'tokens added': (one) => one.added,
  seconds: (one) => one.ms / 1000,
};

export interface Row {
  arm: string;
  runs: number;
  share: Share;
  means: number[];
  /** What went wrong, in runs that count and in those that do not. */
  notes: string[];
}

export function rowOf(arm: string, results: readonly Result[]): Row {
  const counted = results.filter(counts);
  const failed = results.flatMap((one) =>
    one.failure ? [`${one.failure.kind}${counts(one) ? '' : ' (left out)'}`] : [],
  );
  return {
    arm,
    runs: counted.length,
    share: shareOf(counted),
    means: Object.values(MEASURES).map((of) => mean(counted.map(of))),
    notes: [...new Set(failed)].map((kind) => `${failed.filter((one) => one === kind).length} ${kind}`),
  };
}
