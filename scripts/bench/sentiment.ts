/**
 * Load time, time per message and size of the sentiment model.
 *
 *   npx tsx scripts/bench/sentiment.ts [--data DATA]
 *
 * Loading is measured in fresh processes on a bundle, each interleaved with `node -e 0`; messages come from the
 * held-out fixtures, and from the long GitHub comments in DATA, if given.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { analyze, loadModel } from '../../src/sentiment/index.ts';
import { readHeldOut } from '../evaluate/held-out.ts';
import { type IncivilityRow, readRows } from '../train/rows.ts';

const ROUNDS = 21;
const { values } = parseArgs({ options: { data: { type: 'string' } } });
const models = join(import.meta.dirname, '../../models');
const scratch = mkdtempSync(join(tmpdir(), 'scratchpad-bench-'));
try {
  await load();
  messages(
    'held-out messages',
    readHeldOut(new URL('../../test/fixtures/sentiment/held-out-4.jsonl', import.meta.url)).map(
      (m) => m.text,
    ),
  );
  if (values.data !== undefined) {
    messages(
      'GitHub comments',
      readRows<IncivilityRow>(values.data, 'incivility_dev')
        .slice(0, 1500)
        .map((r) => r.text),
    );
  }
  messages(
    '20 messages of a megabyte',
    Array.from({ length: 20 }, () => 'this is not what I asked for. '.repeat(35_000)),
  );
  const bytes = readdirSync(models)
    .filter((f) => f.endsWith('.bin'))
    .map((f) => [f, statSync(join(models, f)).size] as const);
  for (const [file, size] of bytes) say(`${file}`, `${size} bytes`);
  say('model files together', `${bytes.reduce((sum, [, size]) => sum + size, 0)} bytes`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Loading inside a fresh process, and the whole process against one that does nothing. */
async function load(): Promise<void> {
  const program = join(scratch, 'load.cjs');
  await build({
    stdin: {
      contents: `import { loadModel, analyze } from './src/sentiment/index.ts';
        const start = performance.now();
        const model = loadModel(process.argv[2]);
        const loaded = performance.now();
        analyze([{ id: '1', role: 'user', content: 'it is still broken, please look again', session: 's' }], { model });
        console.log((loaded - start).toFixed(2), (performance.now() - loaded).toFixed(2));`,
      resolveDir: join(import.meta.dirname, '../..'),
      loader: 'ts',
    },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.dirname': '__dirname' },
    outfile: program,
  });
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const times: { load: number; first: number; whole: number; nothing: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    let start = performance.now();
    spawnSync(process.execPath, ['-e', '0'], { env });
    const nothing = performance.now() - start;
    start = performance.now();
    const printed = execFileSync(process.execPath, [program, models], { env, encoding: 'utf8' });
    const whole = performance.now() - start;
    const [loaded = 0, first = 0] = printed.trim().split(' ').map(Number);
    times.push({ load: loaded, first, whole, nothing });
  }
  const both = (xs: number[]): string =>
    `median ${median(xs).toFixed(1)} ms, least ${Math.min(...xs).toFixed(1)} ms`;
  say('load the model, cold process', both(times.map((t) => t.load)));
  say('first message after it', both(times.map((t) => t.first)));
  say('`node -e 0`', both(times.map((t) => t.nothing)));
  const ratio = median(times.map((t) => t.whole / t.nothing));
  say('process that loads and reads one message, to `node -e 0`', ratio.toFixed(2));
}

function messages(name: string, texts: readonly string[]): void {
  const model = loadModel(models);
  const read = (content: string): void => {
    analyze([{ id: '1', role: 'user', content, session: 's' }], { model });
  };
  for (let warm = 0; warm < 300; warm++) read(texts[warm % texts.length] ?? '');
  // The best of three: time that other programs take on the machine is not ours.
  const times = texts.map((text) => {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round++) {
      const start = performance.now();
      read(text);
      best = Math.min(best, performance.now() - start);
    }
    return best;
  });
  times.sort((a, b) => a - b);
  const at = (q: number): string => `${(times[Math.floor(q * times.length)] ?? 0).toFixed(3)} ms`;
  say(`one message, ${name} (${texts.length})`, `median ${at(0.5)}, p95 ${at(0.95)}`);
}

function median(xs: readonly number[]): number {
  return [...xs].sort((a, b) => a - b)[Math.floor(xs.length / 2)] ?? Number.NaN;
}

function say(what: string, figure: string): void {
  process.stdout.write(`${what}: ${figure}\n`);
}
