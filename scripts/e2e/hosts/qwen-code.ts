import { delimiter, join } from 'node:path';
import type { Bench } from '../bench.ts';
import { findProgram, talkInLines } from './programs.ts';

const STREAMS = ['--input-format', 'stream-json', '--output-format', 'stream-json'];

/** Qwen Code as a program that other programs talk to: each process is one terminal of a person. */
export function makeQwenCode(bench: Bench, cache: string | undefined) {
  const [program, node] = [findProgram(cache, 'qwen-code'), findProgram(cache, 'node')];
  const settings = {
    // Its own first start adds this.
    $version: 4,
    security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
    model: { name: 'stub' },
  };
  bench.writeInHome('.qwen/settings.json', settings);

  const start = (args: readonly string[]) => {
    const child = bench.spawn(node, [program, '--yolo', ...STREAMS, ...args], {
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: `${bench.url}/v1`,
      OPENAI_MODEL: 'stub',
      PATH: [join(node, '..'), bench.path].join(delimiter),
    });
    const say = talkInLines(child, (line) => {
      bench.output = line;
    });
    return { child, say };
  };
  let running = start([]);
  return {
    say: (words: string) => running.say(words),
    /** Ends the process; the next turn continues its session in another one. */
    async restart() {
      const ended = new Promise((resolve) => running.child.on('exit', resolve));
      running.child.stdin?.end();
      await ended;
      running = start(['--continue']);
    },
  };
}
