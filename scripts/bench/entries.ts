/**
 * Large named entries: a gigabyte through `run` compared with a plain redirection, and reading at any offset of a
 * large entry compared with a small one.
 *
 *   npx tsx scripts/bench/entries.ts [megabytes] [rounds] [folder]
 *
 * Run it on the built package (`npm run build`) and an otherwise idle machine. The folder should be on the disk to
 * be measured; a file system in memory would hide the speed of the disk.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileEntries } from '../../src/entries/file-entries.ts';
import { sessionPaths } from '../../src/session/workspace.ts';
import { quantile } from './side-by-side.ts';

const bin = join(import.meta.dirname, '../../bin/scratchpad.js');
const megabytes = Number(process.argv[2] ?? 1024);
const rounds = Number(process.argv[3] ?? 5);
const dir = mkdtempSync(join(process.argv[4] ?? tmpdir(), 'scratchpad-bench-'));
const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;

const LINES = {
  ascii: '2026-02-06T03:00:00Z INFO request 7f3a from 10.0.0.17 took 93 ms path=/api/v1/items\n',
  unicode: '2026-02-06T03:00:00Z größer als 日本語 🦀 request 7f3a took 93 ms path=/api/v1/items\n',
};

try {
  console.log(`node ${process.version}, ${megabytes} MB, ${rounds} rounds, medians`);
  for (const [name, line] of Object.entries(LINES)) {
    const file = join(dir, name);
    fill(file, line, megabytes);
    throughRun(name, file);
    await atAnyOffset(name, file, line);
    rmSync(file);
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/** `run -- cat FILE` and `cat FILE > COPY` in turn; the copy is removed outside the timing. */
function throughRun(name: string, file: string): void {
  const ratios: number[] = [];
  const [plain, ours, memory]: number[][] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const copy = join(dir, 'copy');
    const redirected = timed(['sh', '-c', 'cat "$0" > "$1"', file, copy]);
    rmSync(copy);
    const workspace = mkdtempSync(join(dir, 'workspace-'));
    const run = timed([process.execPath, bin, 'run', '-q', '-w', workspace, '--', 'cat', file]);
    rmSync(workspace, { recursive: true, force: true });
    plain?.push(redirected.seconds);
    ours?.push(run.seconds);
    memory?.push(run.megabytes);
    ratios.push(run.seconds / redirected.seconds);
  }
  const middle = (values: number[] | undefined): string => quantile(values ?? [], 0.5).toFixed(2);
  console.log(
    `${name}: cat > copy ${middle(plain)} s, run ${middle(ours)} s, ratio ${middle(ratios)} ` +
      `(${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}), ` +
      `most memory ${Math.max(...(memory ?? [])).toFixed(0)} MB`,
  );
}

/** 100 lines at the start, the middle and the end, in the large entry and in one of 1 MB. */
async function atAnyOffset(name: string, file: string, line: string): Promise<void> {
  const workspace = mkdtempSync(join(dir, 'workspace-'));
  const entries = new FileEntries(sessionPaths(workspace, 'main'));
  const { createReadStream } = await import('node:fs');
  const { characters } = await entries.write('large', createReadStream(file, { highWaterMark: 1 << 20 }));
  const small = await entries.write('small', line.repeat(Math.ceil(1e6 / line.length)));
  const limit = [...line].length * 100;
  const cases: [string, string, number][] = [
    ['small, middle', 'small', Math.floor(small.characters / 2)],
    ['large, start', 'large', 0],
    ['large, middle', 'large', Math.floor(characters / 2)],
    ['large, end', 'large', characters - limit],
  ];
  const times = new Map<string, number[]>(cases.map(([label]) => [label, []]));
  for (let round = -3; round < 60; round += 1) {
    for (const [label, entry, offset] of cases) {
      const start = process.hrtime.bigint();
      await entries.read(entry, { offset, limit });
      if (round >= 0) times.get(label)?.push(Number(process.hrtime.bigint() - start) / 1e6);
    }
  }
  const shown = [...times].map(([label, all]) => `${label} ${quantile(all, 0.5).toFixed(2)} ms`);
  console.log(`${name}: 100 lines at an offset: ${shown.join('; ')}`);
  for (const pattern of ['nowhere to be found', 'took \\d{4} ms']) {
    const start = process.hrtime.bigint();
    const { matches } = await entries.search('large', pattern, { maxMs: 120_000 });
    const seconds = Number(process.hrtime.bigint() - start) / 1e9;
    console.log(`${name}: search for /${pattern}/, ${matches} matches: ${seconds.toFixed(2)} s`);
  }
  rmSync(workspace, { recursive: true, force: true });
}

function timed([command = '', ...args]: string[]): { seconds: number; megabytes: number } {
  const start = process.hrtime.bigint();
  // GNU time reports the peak memory of a process.
  const { status, stderr } = spawnSync('time', ['-f', 'KB=%M', command, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  const kilobytes = Number(/KB=(\d+)/.exec(stderr.toString())?.[1] ?? Number.NaN);
  return { seconds, megabytes: kilobytes / 1000 };
}

function fill(file: string, line: string, size: number): void {
  const block = Buffer.from(line.repeat(Math.ceil(1e6 / Buffer.byteLength(line))));
  const fd = openSync(file, 'w');
  for (let written = 0; written < size * 1e6; ) written += writeSync(fd, block);
  closeSync(fd);
}
