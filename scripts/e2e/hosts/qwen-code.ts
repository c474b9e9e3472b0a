import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Bench } from '../bench.ts';
import { findProgram } from './programs.ts';

/** One run of Qwen Code without a terminal: takes command-line arguments, returns the output. */
export function makeQwenCode(
  bench: Bench,
  cache: string | undefined,
): (args: readonly string[]) => Promise<string> {
  const [program, node] = [findProgram(cache, 'qwen-code'), findProgram(cache, 'node')];
  const settings = {
    security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
    model: { name: 'stub' },
  };
  mkdirSync(join(bench.home, '.qwen'), { recursive: true });
  writeFileSync(join(bench.home, '.qwen/settings.json'), JSON.stringify(settings));
  return (args) =>
    bench.run(node, [program, '--yolo', ...args], {
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: `${bench.url}/v1`,
      OPENAI_MODEL: 'stub',
      PATH: [join(node, '..'), bench.path].join(delimiter),
    });
}
