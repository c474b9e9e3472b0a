import { type Interval, mean, pick, runBootstrap } from '../evaluate/stats.ts';

/** One second session, measured. */
export interface Result {
  arm: string;
  task: string;
  /** The number of the player. */
  run: number;
  kept: Record<string, boolean>;
  calls: number;
  questions: number;
  /** Tokens that the arm put into the context. */
  added: number;
  turns: number;
  ms: number;
  ended: string;
  /** Of a task of investigation: what notes and texts hold of its findings, and the way to the first change. */
  findings?: { of: number; noted: number; told: number; calls: number; tokens: number } | undefined;
}

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
const countKept = ({ kept }: Result): number => Object.values(kept).filter(Boolean).length;
const rate = (result: Result): number => countKept(result) / Math.max(1, Object.keys(result.kept).length);

export const computeShare = (results: readonly Result[]): Share =>
  share(sum(results.map(countKept)), sum(results.map(({ kept }) => Object.keys(kept).length)));

/** Mean difference of the shares kept, over the tasks that both arms have; its interval by drawing tasks anew. */
export function computeDifference(
  ours: readonly Result[],
  theirs: readonly Result[],
  seed: number,
): Interval {
  const of = (results: readonly Result[], task: string): number =>
    mean(results.filter((one) => one.task === task).map(rate));
  const differences = [...new Set(ours.map(({ task }) => task))]
    .filter((task) => theirs.some((one) => one.task === task))
    .map((task) => of(ours, task) - of(theirs, task));
  const drawn = (sample: readonly number[]): number => mean(pick(differences, sample));
  return runBootstrap(differences.length, drawn, { rounds: 10_000, seed });
}

/** What is measured beside the requirements kept, on average of the runs. */
const MEASURES: Record<string, (result: Result) => number> = {
  calls: (one) => one.calls,
  turns: (one) => one.turns,
  questions: (one) => one.questions,
  'tokens added': (one) => one.added,
  seconds: (one) => one.ms / 1000,
};
const FINDINGS: Record<string, (found: NonNullable<Result['findings']>) => number> = {
  'findings noted at the cut, %': (found) => (found.noted / found.of) * 100,
  'findings told, %': (found) => (found.told / found.of) * 100,
  'calls before the first change': (found) => found.calls,
  'tokens read before it': (found) => found.tokens,
};

const formatPercent = (part: number): string => `${Math.round(part * 100)} %`;
const formatPoints = (part: number): string => `${part > 0 ? '+' : ''}${Math.round(part * 100)}`;
const roundValues = (number: number): string =>
  Number.isNaN(number) ? '–' : number.toLocaleString('en-US', { maximumFractionDigits: 1 });
const showShare = ({ kept, of, low, high }: Share): string =>
  of === 0
    ? '–'
    : `${kept} of ${of}: ${formatPercent(kept / of)} (${Math.round(low * 100)} to ${Math.round(high * 100)})`;

const renderTable = (title: string, ...rows: string[][]): string => {
  const [head = [], ...rest] = rows;
  const lines = [head, head.map(() => '---'), ...rest].map((cells) => `| ${cells.join(' | ')} |`);
  return `\n## ${title}\n\n${lines.join('\n')}\n`;
};

/** Three tables: by arm, the last arm against each other one, and by task. */
export function renderTables(arms: readonly string[], results: readonly Result[], seed: number): string {
  const of = (arm: string): Result[] => results.filter((one) => one.arm === arm);
  const tasks = [...new Set(results.map(({ task }) => task))];
  const base = arms.at(-1) ?? '';
  const byArm = arms.map((arm) => [
    arm,
    String(of(arm).length),
    showShare(computeShare(of(arm))),
    ...Object.values(MEASURES).map((measure) => roundValues(mean(of(arm).map(measure)))),
  ]);
  const against = arms.slice(0, -1).map((arm) => {
    const found = computeDifference(of(base), of(arm), seed);
    const by = `${formatPoints(found.value)} points (${formatPoints(found.low)} to ${formatPoints(found.high)})`;
    return [`${base} − ${arm}`, found.n === 0 ? '–' : by, String(found.n)];
  });
  const byTask = tasks.map((task) => [
    task,
    ...arms.map((arm) => showShare(computeShare(of(arm).filter((one) => one.task === task)))),
  ]);
  const found = (arm: string) => of(arm).flatMap(({ findings }) => findings ?? []);
  const ofFindings = arms.map((arm) => [
    arm,
    ...Object.values(FINDINGS).map((measure) => roundValues(mean(found(arm).map(measure)))),
  ]);
  return [
    ...(results.some(({ findings }) => findings)
      ? [renderTable('Findings', ['arm', ...Object.keys(FINDINGS)], ...ofFindings)]
      : []),
    renderTable('By arm', ['arm', 'runs', 'kept (95 %)', ...Object.keys(MEASURES)], ...byArm),
    renderTable('Paired difference, by task', ['', 'requirements kept (95 %)', 'tasks'], ...against),
    renderTable('By task', ['task', ...arms], ...byTask),
  ].join('\n');
}
