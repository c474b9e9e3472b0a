/**
 * How the time of one hook grows with each of its inputs: every input grows tenfold twice, and the time must grow
 * at most linearly.
 *
 *   npx tsx scripts/bench/growth.ts [--rounds N] [NAME…]
 *
 * Prints for the first prompt of a workspace (no cache, no index) and for a later one: the milliseconds of
 * processor time beyond those of an empty workspace, the factor by which each tenfold input raised them, and when
 * the longest hook ended.
 * `GROWS` marks what grows faster than its input, `LATE` what ends more than 300 ms after the hook's deadline. Run it on
 * the built package.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INPUTS, type Input, type Took, timedHook, write } from '../hook-inputs.ts';

const BIN = join(import.meta.dirname, '../../bin/scratchpad.js');
const DEADLINE_MS = 2000;
const GRACE_MS = 300;
/** Smaller differences are noise of the machine. */
const NOISE_MS = 40;
/** By how much a tenfold input may exceed ten times the cost: some inputs are counted from a small start. */
const LINEAR = 1.25;

/** The first hook of a fresh workspace and a later one, medians. */
function measure(input: Input | undefined, size: number, rounds: number): { first: Took; later: Took } {
  const firsts: Took[] = [];
  const laters: Took[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const home = mkdtempSync(join(tmpdir(), 'scratchpad-growth-'));
    const root = join(home, 'workspace');
    write(root, '.scratchpad/.gitignore', '*\n');
    const more = input?.make(root, size) ?? {};
    const event = {
      session_id: 's1',
      cwd: root,
      hook_event_name: 'UserPromptSubmit',
      prompt: 'is the upload test fixed?',
      ...more,
    };
    firsts.push(timedHook(BIN, root, home, 'claude-code', event));
    laters.push(
      middle([
        timedHook(BIN, root, home, 'claude-code', event),
        timedHook(BIN, root, home, 'claude-code', event),
        timedHook(BIN, root, home, 'claude-code', event),
      ]),
    );
    rmSync(home, { recursive: true, force: true });
  }
  return { first: middle(firsts), later: middle(laters) };
}

function middle(all: readonly Took[]): Took {
  return {
    wall: median(all.map(({ wall }) => wall)),
    cpu: median(all.map(({ cpu }) => cpu)),
    ended: all.some(({ ended }) => ended),
  };
}

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const args = process.argv.slice(2);
const at = args.indexOf('--rounds');
const rounds = at < 0 ? 1 : Number(args.splice(at, 2)[1]);
const base = measure(undefined, 0, Math.max(3, rounds));
console.log(
  `node ${process.version}; a hook of an empty workspace: ${base.first.cpu.toFixed(0)} ms, later ${base.later.cpu.toFixed(0)} ms`,
);
console.log(
  `${'input'.padEnd(28)} ${'sizes'.padEnd(30)} ${'first: ms over that'.padStart(20)} ${'x'.padStart(9)} ${'ended'.padStart(6)}   ${'later: ms over that'.padStart(20)} ${'x'.padStart(9)} ${'ended'.padStart(6)}`,
);
let bad = 0;
for (const input of INPUTS) {
  if (args.length > 0 && !args.some((name) => input.name.includes(name))) continue;
  const sizes = [input.from, input.from * 10, input.from * 100];
  const times = sizes.map((size) => measure(input, size, rounds));
  const verdicts = new Set<string>();
  const cells = (['first', 'later'] as const).map((which) => {
    const over = times.map((time) => Math.max(0, time[which].cpu - base[which].cpu));
    const growth = over.slice(1).map((ms, k) => ms / Math.max(over[k] ?? 0, NOISE_MS));
    const longest = Math.max(...times.map((time) => time[which].wall));
    if (growth.some((factor) => factor > 10 * LINEAR)) verdicts.add('GROWS');
    if (longest > DEADLINE_MS + GRACE_MS) verdicts.add('LATE');
    const shown = growth.map((factor) => factor.toFixed(1)).join(' ');
    return `${over.map((ms) => ms.toFixed(0).padStart(6)).join(' ')} ${shown.padStart(9)} ${longest.toFixed(0).padStart(6)}`;
  });
  if (verdicts.size > 0) bad += 1;
  const what = `${sizes.join(' ')} ${input.unit}`;
  console.log(
    `${input.name.padEnd(28)} ${what.padEnd(30)} ${cells.join('   ')}  ${[...verdicts].join(' ')}`.trimEnd(),
  );
}
console.log(bad === 0 ? 'no input costs more than linear time, none is late' : `${bad} too slow`);
process.exitCode = bad === 0 ? 0 : 1;
