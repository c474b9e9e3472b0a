import { spawnSync } from 'node:child_process';

/** A whole process to be timed. */
export interface Contender {
  name: string;
  /** Program; this Node unless given. */
  command?: string;
  args: readonly string[];
  cwd?: string;
  /** What is written to its stdin; a function is called before each run. */
  input?: string | (() => string);
  /** In addition to the environment of this process. */
  env?: Readonly<Record<string, string>>;
  /** Runs before each timing, untimed. */
  prepare?: () => void;
}

export interface Timing {
  name: string;
  /** Median of the runs, milliseconds. */
  median: number;
  /** Shortest of the runs, in milliseconds, and its ratio to the shortest of `node -e 0`. */
  lowest: number;
  lowestRatio: number;
  /** Median over the rounds of the ratio of this process's time to that of `node -e 0` in the same round. */
  ratio: number;
  /** The first and third quartile of those ratios. */
  quartiles: [number, number];
}

/**
 * Times processes in turn, round after round, each against `node -e 0` of the same round, so
 * that a machine whose speed drifts does not decide the outcome.
 *
 * @throws Error when a process does not end with 0: a failing command is fast
 */
export function sideBySide(contenders: readonly Contender[], rounds: number): Timing[] {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  const time = ({ name, command, args, cwd, input, env: own, prepare }: Contender): number => {
    prepare?.();
    const start = process.hrtime.bigint();
    const { status, stderr } = spawnSync(command ?? process.execPath, args, {
      cwd,
      input: typeof input === 'function' ? input() : input,
      env: { ...env, ...own },
    });
    const took = Number(process.hrtime.bigint() - start) / 1e6;
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
    return took;
  };
  const floor: Contender = { name: 'node -e 0', args: ['-e', '0'] };
  const all = [floor, ...contenders];
  const times = all.map(() => [] as number[]);
  for (let round = -2; round < rounds; round += 1) {
    all.forEach((contender, k) => {
      const took = time(contender);
      // The first rounds fill the caches of the file system.
      if (round >= 0) times[k]?.push(took);
    });
  }
  const base = times[0] ?? [];
  return all.map(({ name }, k) => {
    const own = times[k] ?? [];
    const ratios = own.map((took, round) => took / (base[round] ?? Number.NaN));
    return {
      name,
      median: quantile(own, 0.5),
      lowest: Math.min(...own),
      lowestRatio: Math.min(...own) / Math.min(...base),
      ratio: quantile(ratios, 0.5),
      quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    };
  });
}

export function quantile(values: readonly number[], at: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))] ?? Number.NaN;
}
