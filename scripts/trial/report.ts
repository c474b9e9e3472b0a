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

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A bar for each arm with its interval. */
function picture({ rows }: Summary): string {
  const width = 460;
  const left = 150;
  const bars = rows.map(({ arm, share: { kept, of, low, high } }, at) => {
    const y = 12 + at * 34;
    const x = (part: number): number => left + part * width;
    const part = of === 0 ? 0 : kept / of;
    const interval = `<path class="interval" d="M${x(low)} ${y + 11}H${x(high)}M${x(low)} ${y + 6}v10M${x(high)} ${y + 6}v10"/>`;
    return `<text x="${left - 10}" y="${y + 16}" text-anchor="end">${escaped(arm)}</text>
<rect x="${left}" y="${y}" width="${part * width}" height="22"/>${of === 0 ? '' : interval}
<text x="${left + width + 12}" y="${y + 16}">${percent(of === 0 ? Number.NaN : part)}</text>`;
  });
  const height = 20 + rows.length * 34;
  const label = rows.map(({ arm, share }) => `${arm} ${share.kept} of ${share.of}`).join(', ');
  return `<svg viewBox="0 0 ${left + width + 70} ${height}" role="img" aria-label="Requirements kept: ${escaped(label)}">${bars.join('\n')}</svg>`;
}

/** The picture, the tables as they are in Markdown, and what each run lost, with a link to its folder. */
export function html(summary: Summary): string {
  const runs = summary.results.map(({ arm, task, run, kept, failure }) => {
    const name = `${arm}-${task}-${run}`;
    const lost = Object.entries(kept).flatMap(([requirement, is]) => (is ? [] : [requirement]));
    const what = failure ? `${failure.kind}: ${failure.said}` : `not kept: ${lost.join(', ') || 'nothing'}`;
    return `<li><a href="runs/${encodeURIComponent(name)}/">${escaped(name)}</a> ${escaped(what)}</li>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Trial</title><style>
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1a1a1a;background:#fff}
svg{width:100%;max-width:46rem;font-size:14px}rect{fill:#3b6ea8}.interval{stroke:#1a1a1a;fill:none;stroke-width:1.5}
pre{overflow-x:auto}
@media(prefers-color-scheme:dark){body{color:#eee;background:#111}.interval{stroke:#eee}text{fill:#eee}a{color:#8bf}}
</style><h1>Requirements kept</h1>${picture(summary)}
<pre>${escaped(markdown(summary))}</pre>
<h2>Runs</h2><ul>${runs.join('\n')}</ul></html>
`;
}
