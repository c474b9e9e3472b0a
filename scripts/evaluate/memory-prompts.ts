/**
 * The lines of a small memory that a prompt brings up without being asked.
 *
 *   npx tsx scripts/evaluate/memory-prompts.ts [FILE] [--sealed] [--lines]
 *
 * FILE has JSON lines: files of a memory (`memory`, `file`, `lines`), prompts that call for one of its lines (`prompt`,
 * `wanted`: parts of the lines that would do), and prompts that call for none. By default it is the one written for
 * this project. Every second prompt is held out (`--sealed`): the rules were written on the others. Every prompt is
 * also tried on the other memories, where nothing should be said; `--lines` prints what was said and what was missed.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { answersFor } from '../../src/memory/answers.ts';

type Row = { memory: string; prompt?: string; wanted?: string[]; file?: string; lines?: string[] };

/** The day after the newest note. */
const NOW = Date.UTC(2026, 10, 23, 12);
const OURS = join(import.meta.dirname, '../../test/fixtures/memory/prompts.jsonl');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sealed: { type: 'boolean' }, lines: { type: 'boolean' } },
});
const rows = readFileSync(positionals[0] ?? OURS, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const names = [...new Set(rows.map(({ memory }) => memory))];
const half = values.sealed === true ? 1 : 0;
const asked = names.flatMap((name) =>
  [true, false].flatMap((calls) =>
    rows
      .filter(({ memory, prompt, wanted }) => memory === name && prompt !== undefined && !!wanted === calls)
      .filter((_, i) => i % 2 === half),
  ),
);
console.log('| memory | wanted | said | another line | to be quiet at | said | prompts of others | said |');
console.log('|---|---|---|---|---|---|---|---|');
const sums = new Array<number>(7).fill(0);
for (const name of names) {
  const workspace = mkdtempSync(join(tmpdir(), 'memory-prompts-'));
  for (const { memory, file, lines = [] } of rows) {
    if (memory !== name || file === undefined) continue;
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    writeFileSync(join(workspace, file), lines.join('\n'));
  }
  const counts = new Array<number>(7).fill(0);
  const count = (at: number): void => {
    counts[at] = (counts[at] ?? 0) + 1;
  };
  for (const { memory, prompt = '', wanted } of asked) {
    const messages = [{ id: '1', role: 'user' as const, content: prompt, session: 's' }];
    const { hits } = await answersFor(messages, { workspace, index: 'off', limit: 1, now: NOW });
    const line = hits[0]?.text;
    const [all, said, kind] =
      memory !== name ? [5, 6, 'CROSSED'] : wanted ? [0, 2, 'ANOTHER'] : [3, 4, 'NOISE'];
    count(all);
    const isRight = memory === name && wanted?.some((part) => line?.includes(part));
    if (isRight) count(1);
    else if (line !== undefined) count(said);
    if (values.lines !== true || isRight) continue;
    if (line !== undefined) console.log(`${kind.padEnd(7)} ${prompt}\n        ${line}`);
    else if (all === 0) console.log(`MISSED  ${prompt}\n        ${wanted?.join(' | ')}`);
  }
  rmSync(workspace, { recursive: true });
  for (const [i, value] of counts.entries()) sums[i] = (sums[i] ?? 0) + value;
  console.log(`| ${[name, ...counts].join(' | ')} |`);
}
console.log(`| ${['together', ...sums].join(' | ')} |`);
