/**
 * The lines of a person's own memory that a prompt brings up without being asked.
 * `tsx scripts/evaluate/memory-prompts.ts [--sealed] [--lines]`, with `memory-prompts.json`: memories of five to 400 lines, prompts that call for one of their lines, and
 * prompts that call for none. Every second prompt is held out: the rules were written on the others. Every prompt
 * is also tried on the other memories, where nothing should be returned; `--lines` prints what was returned and
 * what was missed.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { answersFor } from '../../src/memory/answers.ts';

interface Memory {
  files: Record<string, string[]>;
  wanted: { prompt: string; lines: string[] }[];
  quiet: string[];
}

/** The day after the newest note. */
const NOW = Date.UTC(2026, 10, 23, 12);

async function main(half: number, showsLines: boolean): Promise<void> {
  const path = join(import.meta.dirname, 'memory-prompts.json');
  const memories = Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, Memory>);
  const ofHalf = <Item>(items: readonly Item[]): Item[] => items.filter((_, i) => i % 2 === half);
  const show = (kind: string, prompt: string, line: string): void => {
    if (showsLines) console.log(`${kind.padEnd(7)} ${prompt}\n        ${line}`);
  };
  console.log('| memory | wanted | said | another line | to be quiet at | said | prompts of others | said |');
  console.log('|---|---|---|---|---|---|---|---|');
  const sums = new Array<number>(7).fill(0);
  const report: string[] = [];
  for (const [name, memory] of memories) {
    const workspace = workspaceOf(memory.files);
    const lineFor = async (content: string): Promise<string | undefined> => {
      const messages = [{ id: '1', role: 'user' as const, content, session: 's' }];
      const { hits } = await answersFor(messages, { workspace, index: 'off', limit: 1, now: NOW });
      return hits[0]?.text;
    };
    const wanted = ofHalf(memory.wanted);
    const quiet = ofHalf(memory.quiet);
    const others = memories.flatMap(([other, { wanted: asked, quiet: orders }]) =>
      other === name ? [] : [...ofHalf(asked).map(({ prompt }) => prompt), ...ofHalf(orders)],
    );
    let [said, another, disturbed, crossed] = [0, 0, 0, 0];
    for (const { prompt, lines } of wanted) {
      const line = await lineFor(prompt);
      if (lines.some((part) => line?.includes(part))) said++;
      else if (line !== undefined) another++;
      if (!lines.some((part) => line?.includes(part)))
        show(line ? 'ANOTHER' : 'MISSED', prompt, line ?? lines.join(' | '));
    }
    for (const prompt of quiet) {
      const line = await lineFor(prompt);
      if (line !== undefined) disturbed++;
      if (line !== undefined) show('NOISE', prompt, line);
    }
    for (const prompt of others) {
      const line = await lineFor(prompt);
      if (line !== undefined) crossed++;
      if (line !== undefined) show('CROSSED', prompt, line);
    }
    rmSync(workspace, { recursive: true });
    const counts = [wanted.length, said, another, quiet.length, disturbed, others.length, crossed];
    for (const [i, count] of counts.entries()) sums[i] = (sums[i] ?? 0) + count;
    report.push(`| ${[name, ...counts].join(' | ')} |`);
  }
  console.log([...report, `| ${['together', ...sums].join(' | ')} |`].join('\n'));
}

function workspaceOf(files: Memory['files']): string {
  const root = mkdtempSync(join(tmpdir(), 'memory-prompts-'));
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), lines.join('\n'));
  }
  return root;
}

const { values } = parseArgs({ options: { sealed: { type: 'boolean' }, lines: { type: 'boolean' } } });
await main(values.sealed === true ? 1 : 0, values.lines === true);
