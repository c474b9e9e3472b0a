/**
 * Cold start of the commands that agents call most, as ratios to `node -e 0`.
 *
 *   npx tsx scripts/bench/cold.ts [rounds]
 *
 * Run it on the built package (`npm run build`) and an otherwise idle machine.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Contender, sideBySide } from './side-by-side.ts';

const root = join(import.meta.dirname, '../..');
const bin = join(root, 'bin/scratchpad.js');
const rounds = Number(process.argv[2] ?? 25);
const dir = mkdtempSync(join(tmpdir(), 'scratchpad-bench-'));
const workspace = join(dir, 'workspace');

/** `must` and `moonshot` are the targets for each ratio. */
const MEASURES: (Contender & { must: number; moonshot: number })[] = [
  {
    name: 'notes append',
    args: [bin, 'notes', 'append', 'x', '-w', workspace],
    must: 1.6,
    moonshot: 1.4,
  },
  { name: 'notes show', args: [bin, 'notes', 'show', '-w', workspace], must: 1.5, moonshot: 1.25 },
  { name: 'context', args: [bin, 'context', '-w', workspace], must: 1.5, moonshot: 1.25 },
  { name: 'assemble', args: [bin, 'assemble', '-w', workspace], must: 2.5, moonshot: 1.8 },
];

try {
  cpSync(join(root, 'workspace-example'), workspace, { recursive: true });
  const timings = sideBySide(
    [{ name: '(first state)', args: [bin, 'assemble', '-w', workspace, '--ttl', '1d'] }, ...MEASURES],
    rounds,
  );
  console.log(
    `node ${process.version}, ${rounds} rounds, medians; ratio to node -e 0 of the same round (middle half)`,
  );
  for (const { name, median, ratio, quartiles } of timings) {
    const aim = MEASURES.find((measure) => measure.name === name);
    if (!aim && name !== 'node -e 0') continue;
    const aims = aim
      ? `   must ${aim.must}, moonshot ${aim.moonshot}: ${ratio <= aim.moonshot ? 'moonshot' : ratio <= aim.must ? 'met' : 'MISSED'}`
      : '';
    console.log(
      `${name.padEnd(14)} ${median.toFixed(1).padStart(7)} ms  ${ratio.toFixed(2)} (${quartiles.map((q) => q.toFixed(2)).join(' to ')})${aims}`,
    );
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
