/**
 * Reading the window of a large transcript compared with a small one: medians of time and peak memory, each in
 * processes of their own, interleaved. Generates its files in a temporary folder and removes them.
 *
 *   tsx scripts/bench/transcripts.ts [bytes=1GB] [rounds=15]
 *
 * `scratchpad assemble --transcript` is measured too when the package is built.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const MB = 1024 * 1024;
const bytes = sizeOf(process.argv[2] ?? '1GB');
const rounds = Number(process.argv[3] ?? 15);
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const env = { ...process.env, NODE_EXTRA_CA_CERTS: undefined };

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const reader = join(folder, 'reader.mjs');
  await build({
    stdin: {
      contents: `import { readTranscriptFile } from './src/transcript/read.ts';
        const { messages } = await readTranscriptFile(process.argv[2], { maxAgeMs: 4 * 3600_000 });
        if (messages.length < 20) throw new Error('too few messages: ' + messages.length);
        process.stdout.write(String(process.resourceUsage().maxRSS));`,
      resolveDir: root,
      loader: 'ts',
    },
    outfile: reader,
    bundle: true,
    platform: 'node',
    format: 'esm',
    minify: true,
    external: ['fzstd'],
    logLevel: 'error',
  });
  const workspace = join(folder, 'workspace');
  execFileSync(process.execPath, ['-e', `require('fs').mkdirSync(${JSON.stringify(workspace)})`]);
  const cli = join(root, 'bin/scratchpad.js');
  const built = existsSync(cli) && existsSync(join(root, 'dist'));
  for (const shape of ['talk', 'tools'] as const) {
    const small = write(shape, MB);
    const large = write(shape, bytes);
    console.log(`${shape}: ${Math.round(statSync(large).size / MB)} MB against 1 MB, ${rounds} rounds`);
    compare('read the window', (path) => [reader, path], small, large, true);
    if (built) {
      compare(
        'assemble',
        (path) => [cli, 'assemble', '--dry-run', '--workspace', workspace, '--transcript', path],
        small,
        large,
        false,
      );
    }
    rmSync(large);
  }
}

/** Run both files in turn and print medians, their ratio and the peak memory of the large one. */
function compare(
  name: string,
  args: (path: string) => string[],
  small: string,
  large: string,
  tells: boolean,
): void {
  const times = { empty: [] as number[], small: [] as number[], large: [] as number[] };
  let peak = 0;
  for (let round = 0; round < rounds; round++) {
    times.empty.push(run(['-e', '0']).ms);
    times.small.push(run(args(small)).ms);
    const { ms, stdout } = run(args(large));
    times.large.push(ms);
    if (tells) peak = Math.max(peak, Number(stdout) / 1024);
  }
  if (!tells) peak = peakOf(args(large));
  const [empty, one, many] = [median(times.empty), median(times.small), median(times.large)];
  console.log(
    `  ${name}: ${one.toFixed(0)} ms and ${many.toFixed(0)} ms, ratio ${(many / one).toFixed(2)}` +
      ` (to node -e 0: ${(one / empty).toFixed(2)} and ${(many / empty).toFixed(2)}), peak ${peak.toFixed(0)} MB`,
  );
}

function run(args: string[]): { ms: number; stdout: string } {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return { ms: performance.now() - started, stdout };
}

/**
 * Peak memory of a program in MB: from the kernel's record of this process's children, or from a run with an exit
 * hook.
 */
function peakOf(args: string[]): number {
  const hook = join(folder, 'peak.cjs');
  const out = join(folder, 'peak.txt');
  writeFileSync(
    hook,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(out)}, String(process.resourceUsage().maxRSS)));`,
  );
  run(['--require', hook, ...args]);
  return Number(execFileSync('cat', [out], { encoding: 'utf8' })) / 1024;
}

/**
 * A Claude Code session of about the given number of bytes: `talk` is a dialogue, `tools` an agent that makes 150
 * tool calls of 20 kB each between two messages of the person.
 */
function write(shape: 'talk' | 'tools', size: number): string {
  const path = join(folder, `${shape}-${size}.jsonl`);
  const file = openSync(path, 'w');
  let written = 0;
  let count = 0;
  let chunk: string[] = [];
  const line = (type: string, content: unknown, id?: string): void => {
    const uuid = `u${count}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + count * 500).toISOString();
    const base = {
      parentUuid: `u${count - 1}`,
      isSidechain: false,
      cwd: '/w',
      sessionId: 's',
      type,
      uuid,
      timestamp,
    };
    const text = `${JSON.stringify({ ...base, message: { role: type, content, ...(id && { id, model: 'm' }) } })}\n`;
    chunk.push(text);
    written += text.length;
    count++;
  };
  const body = 'The deployment failed again with the same error about libcublas in the container. '.repeat(
    shape === 'tools' ? 250 : 4,
  );
  while (written < size) {
    line('user', `still broken, number ${count}`);
    for (let call = 0; shape === 'tools' && call < 150; call++) {
      line(
        'assistant',
        [{ type: 'tool_use', id: `t${count}`, name: 'Bash', input: { command: 'ls' } }],
        `m${count}`,
      );
      line('user', [{ type: 'tool_result', tool_use_id: `t${count - 1}`, content: body }]);
    }
    line('assistant', [{ type: 'text', text: body.slice(0, 400) }], `m${count}`);
    if (chunk.length > 2000 || written >= size) {
      writeSync(file, chunk.join(''));
      chunk = [];
    }
  }
  closeSync(file);
  return path;
}

function sizeOf(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(GB|MB)?$/i.exec(text);
  if (match === null) throw new Error(`not a size: ${text}`);
  return Number(match[1]) * (match[2]?.toUpperCase() === 'GB' ? 1024 * MB : match[2] === undefined ? 1 : MB);
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
