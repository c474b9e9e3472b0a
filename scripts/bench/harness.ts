import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { computeQuantile } from '../evaluate/stats.ts';
import { withFolder } from '../script.ts';

/** The built program. */
export const PROGRAM = join(import.meta.dirname, '../../bin/scratchpad.js');
const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...ENV } = process.env;
export const env: NodeJS.ProcessEnv = ENV;
/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** What one run costs, in milliseconds. */
export interface Cost {
  waited: number;
  /** Processor time of all processes that it started, including one that continues in the background. */
  cpu: number;
}

/** One row of a bench. */
export interface Measure {
  name: string;
  /** The limit of its ratio to `node -e 0`, or to the measure named by `against`. */
  must?: number;
  against?: string;
  run(): Cost | Promise<Cost>;
}

export interface Call {
  /** The program; this Node unless given. */
  command?: string;
  cwd?: string;
  input?: string;
  env?: Readonly<Record<string, string>>;
}

let runs = 0;

/** Runs a process to its end. @throws Error when it does not end with 0: a failing command is fast */
export async function measureProcess(args: readonly string[], call: Call = {}): Promise<Cost> {
  const { command = process.execPath, cwd, input = '' } = call;
  runs += 1;
  const mark = `${process.pid}-${runs}`;
  const before = measureChildren();
  const from = performance.now();
  const { status, stderr } = spawnSync(command, args, {
    cwd,
    input,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...env, ...call.env, BENCH_RUN: mark },
  });
  const waited = performance.now() - from;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return { waited, cpu: measureChildren() - before + (await listLeftBehind(mark)) };
}

/** Runs our program. */
export const runScratchpad = (args: readonly string[], call: Call = {}): Promise<Cost> =>
  measureProcess([PROGRAM, ...args], call);

/** The peak memory of a process in MB. */
export const measurePeak = (args: readonly string[], cwd?: string): Promise<number> =>
  withFolder('peak', (folder) => {
    const [hook, out] = [join(folder, 'peak.cjs'), join(folder, 'peak.txt')];
    const write = `require('fs').writeFileSync(${JSON.stringify(out)}, String(process.resourceUsage().maxRSS))`;
    writeFileSync(hook, `process.on('exit', () => ${write});`);
    spawnSync(process.execPath, ['--require', hook, ...args], { cwd, env });
    return Number(readFileSync(out, 'utf8')) / 1024;
  });

/**
 * Runs the measures in turn, round after round, each against `node -e 0` of the same round, so that a machine whose
 * speed drifts does not decide, and prints their medians.
 */
export async function compare(title: string, measures: readonly Measure[], rounds: number): Promise<void> {
  const all: Measure[] = [{ name: 'node -e 0', run: () => measureProcess(['-e', '0']) }, ...measures];
  const costs = all.map((): Cost[] => []);
  for (let round = -2; round < rounds; round += 1) {
    for (const [k, measure] of all.entries()) {
      const cost = await measure.run();
      // The first rounds fill the caches.
      if (round >= 0) costs[k]?.push(cost);
    }
  }
  console.log(`\n${title}: node ${process.version}, ${rounds} rounds, medians; ratio (middle half)`);
  const computeMean = (of: readonly Cost[]): number => of.reduce((sum, { cpu }) => sum + cpu, 0) / of.length;
  for (const [k, { name, must, against = 'node -e 0' }] of all.entries()) {
    const own = costs[k] ?? [];
    const base = costs[all.findIndex((each) => each.name === against)] ?? [];
    const ratios = own.map(({ waited }, round) => waited / (base[round]?.waited ?? Number.NaN));
    const ratio = computeQuantile(ratios, 0.5);
    const ms = computeQuantile(
      own.map(({ waited }) => waited),
      0.5,
    );
    const middle = [0.25, 0.75].map((at) => computeQuantile(ratios, at).toFixed(2)).join(' to ');
    const cpu = `processor ${computeMean(own).toFixed(0)} ms, ${(computeMean(own) / computeMean(base)).toFixed(2)}`;
    console.log(
      `${name.padEnd(40)} ${ms.toFixed(1).padStart(8)} ms  ${ratio.toFixed(2)} (${middle}); ${cpu}${judgeFigure(ratio, must)}`,
    );
  }
}

/** Whether a figure is within its limit. */
export const judgeFigure = (found: number, must?: number): string =>
  must === undefined ? '' : `   must ${must}: ${found <= must ? 'met' : 'MISSED'}`;

/** User and system time of a process so far, in milliseconds. @param children of those it has waited for instead */
export function readProcessorTime(pid: number | 'self', children = false): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const at = children ? 13 : 11;
    return (Number(fields[at]) + Number(fields[at + 1])) * TICK_MS;
  } catch {
    return 0;
  }
}

const measureChildren = (): number => readProcessorTime('self', true);

/** Processor time of the background processes of a run, until they end. */
async function listLeftBehind(mark: string): Promise<number> {
  const times = new Map<string, number>();
  const isOurs = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`BENCH_RUN=${mark}\0`);
    } catch {
      return false;
    }
  };
  for (;;) {
    const alive = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isOurs(pid));
    for (const pid of alive) times.set(pid, readProcessorTime(Number(pid)));
    if (alive.length === 0) return [...times.values()].reduce((sum, ms) => sum + ms, 0);
    await sleep(5);
  }
}
