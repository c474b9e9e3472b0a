/**
 * Speed of memory search on the built package. `tsx scripts/bench/memory.ts [--runs 15] [--sizes 1000,100000]
 * [--engines FOLDER]`. Cold figures are ratios to `node -e 0`, runs interleaved. `--engines` names a folder with
 * `npm install minisearch better-sqlite3@12 node@24 @tobilu/qmd bun` in it, for comparison; ripgrep is taken from
 * the PATH. Engines that are not installed are left out.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PROGRAM, QUERY, writeNotes } from '../workload/notes.ts';
import { engines } from './memory-engines.ts';
import { type Contender, sideBySide } from './side-by-side.ts';

/** Prints the peak memory of the process that loads it, in kB, when that process ends. */
const PEAK = `process.on('exit',()=>require('node:fs').writeSync(2,'\\npeak '+process.resourceUsage().maxRSS+'\\n'))`;

interface Measured {
  seconds: number;
  /** Peak resident memory. */
  megabytes: number;
}

function once(args: readonly string[]): Measured {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  const preload = `data:text/javascript,import{createRequire}from'node:module';const require=createRequire('/');${PEAK}`;
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, ['--import', preload, ...args], { env });
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return { seconds, megabytes: Number(/peak (\d+)/.exec(String(stderr))?.[1] ?? Number.NaN) / 1024 };
}

function bench(passages: number, runs: number, engineFolder: string | undefined): void {
  const folder = mkdtempSync(join(tmpdir(), 'scratchpad-bench-'));
  try {
    const workspace = join(folder, 'workspace');
    const lines = writeNotes(workspace, passages);
    const place = ['--workspace', workspace];
    const build = once([PROGRAM, 'memory', 'index', ...place]);
    const search = [PROGRAM, 'memory', 'search', ...place, QUERY];
    const contenders: Contender[] = [{ name: 'memory search', args: search }];
    if (engineFolder !== undefined) {
      const corpus = { workspace, lines: join(folder, 'lines.json'), folder: join(folder, 'engines') };
      writeFileSync(corpus.lines, JSON.stringify(lines));
      mkdirSync(corpus.folder);
      contenders.push(...engines(engineFolder, corpus, QUERY));
    }
    let note = 0;
    const changed: Contender = {
      name: 'memory search after one changed file',
      args: [PROGRAM, 'memory', 'search', ...place, 'zeppelin landed'],
      prepare: () => appendFileSync(join(workspace, 'MEMORY.md'), `- zeppelin ${note++} has landed\n`),
    };
    // One after the other: a file that changed within the last tenth of a second is read again by the next search.
    const timings = [...sideBySide(contenders, runs), ...sideBySide([changed], runs).slice(1)];
    const peak = once(search).megabytes;
    console.log(`\n${lines.length} passages, ${runs} runs\n`);
    console.log(
      '| what | median ms | ratio to `node -e 0` | lowest ms | ratio of lowest |\n|---|---|---|---|---|',
    );
    for (const { name, median, ratio, lowest, lowestRatio } of timings) {
      const cells = [median.toFixed(1), ratio.toFixed(2), lowest.toFixed(1), lowestRatio.toFixed(2)];
      console.log(`| ${name} | ${cells.join(' | ')} |`);
    }
    console.log(
      `\nfull build: ${build.seconds.toFixed(2)} s, ${build.megabytes.toFixed(0)} MB; peak memory of a search: ${peak.toFixed(0)} MB (node -e 0: ${once(['-e', '0']).megabytes.toFixed(0)} MB)`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '15' },
    sizes: { type: 'string', default: '1000,100000' },
    engines: { type: 'string' },
  },
});
for (const size of values.sizes.split(',')) bench(Number(size), Number(values.runs), values.engines);
