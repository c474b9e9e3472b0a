import {
  counts,
  type Difference,
  difference,
  MEASURES,
  type Result,
  type Row,
  rowOf,
  type Share,
  shareOf,
} from './measures.ts';

export interface About {
  agent: string;
  version: string;
  /** Of the tasks, and whether they are as they were frozen. */
  tasks: string;
  arms: { name: string; about: string }[];
  taskNames: string[];
  runs: number;
  seed: number;
  cut: string;
  sandbox: boolean;
  started: string;
  /** A script answered instead of a model. */
  stub: boolean;
}

export interface Summary {
  about: About;
  rows: Row[];
  byTask: Record<string, Record<string, Share>>;
  /** Of the first arm of these against each other one. */
  base: string;
  differences: Record<string, Difference>;
  missing: number;
  results: Result[];
}

export const STUB = 'A script played the model. No figure here is a result.';

export function summarise(about: About, results: readonly Result[], planned: number): Summary {
  const names = about.arms.map(({ name }) => name);
  const of = (arm: string): Result[] => results.filter((one) => one.arm === arm);
  const counted = (arm: string): Result[] => of(arm).filter(counts);
  const base = names.includes('ours') ? 'ours' : (names.at(-1) ?? '');
  const byTask = about.taskNames.map((task) => {
    const shares = names.map(
      (arm) => [arm, shareOf(counted(arm).filter((one) => one.task === task))] as const,
    );
    return [task, Object.fromEntries(shares)] as const;
  });
  const others = names.filter((name) => name !== base);
  return {
    about,
    rows: names.map((arm) => rowOf(arm, of(arm))),
    byTask: Object.fromEntries(byTask),
    base,
    differences: Object.fromEntries(
      others.map((arm) => [arm, difference(counted(base), counted(arm), about.seed)]),
    ),
    missing: planned - results.length,
    results: [...results],
  };
}

const percent = (part: number): string => (Number.isNaN(part) ? '–' : `${Math.round(part * 100)} %`);
const points = (part: number): string => `${part > 0 ? '+' : ''}${Math.round(part * 100)}`;
const rounded = (number: number): string =>
  Number.isNaN(number)
    ? '–'
    : number.toLocaleString('en-US', { maximumFractionDigits: number < 100 ? 1 : 0 });
const shown = ({ kept, of, low, high }: Share): string =>
  of === 0
    ? '–'
    : `${kept} of ${of}: ${percent(kept / of)} (${Math.round(low * 100)} to ${Math.round(high * 100)})`;

/** What was run, in sentences. */
function story({ about, missing }: Summary): string[] {
  const { agent, version, arms, taskNames, runs, cut, seed, started, sandbox } = about;
  return [
    ...(about.stub ? [STUB] : []),
    `${agent} ${version}, ${started.slice(0, 10)}, tasks: ${about.tasks}; ${taskNames.length} tasks, ${runs} runs each, seed ${seed}.`,
    `The first session is cut off at: ${cut}. Commands ran ${sandbox ? "in the host's own sandbox" : 'without a sandbox'}.`,
    ...arms.map(({ name, about: what }) => `${name}: ${what}.`),
    ...(missing > 0 ? [`${missing} runs have not been made yet; go on with --continue.`] : []),
  ];
}

const table = (title: string, ...rows: string[][]): string => {
  const [head = [], ...rest] = rows;
  const lines = [head, head.map(() => '---'), ...rest].map((cells) => `| ${cells.join(' | ')} |`);
  return `\n## ${title}\n\n${lines.join('\n')}\n`;
};

export function markdown(summary: Summary): string {
  const { about, rows, base, differences, byTask } = summary;
  const names = about.arms.map(({ name }) => name);
  const arms = rows.map(({ arm, runs, share, means, notes }) => [
    arm,
    String(runs),
    shown(share),
    ...means.map(rounded),
    notes.join(', '),
  ]);
  const against = Object.entries(differences).map(([arm, { mean, low, high, tasks }]) => [
    `${base} − ${arm}`,
    tasks === 0 ? '–' : `${points(mean)} points (${points(low)} to ${points(high)})`,
    String(tasks),
  ]);
  const perTask = Object.entries(byTask).map(([task, shares]) => [
    task,
    ...names.map((arm) => (shares[arm] === undefined ? '–' : shown(shares[arm]))),
  ]);
  return [
    '# Trial\n',
    ...story(summary).map((text) => `- ${text}`),
    table('By arm', ['arm', 'runs', 'kept (95 %)', ...Object.keys(MEASURES), 'what went wrong'], ...arms),
    table('Paired difference, by task', ['', 'requirements kept (95 %)', 'tasks'], ...against),
    table('By task', ['task', ...names], ...perTask),
  ].join('\n');
}
