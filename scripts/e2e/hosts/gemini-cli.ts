import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { programIn } from './programs.ts';

/** One run of Gemini CLI without a terminal. */
export function geminiCli(
  bench: Bench,
  cache: string | undefined,
  settings: object = {},
): (args: readonly string[]) => Promise<string> {
  const program = programIn(cache, 'gemini-cli');
  const dir = join(bench.home, '.gemini');
  mkdirSync(dir);
  writeFileSync(
    join(dir, 'settings.json'),
    JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      telemetry: { enabled: false },
      ...settings,
    }),
  );
  return (args) =>
    bench.run(process.execPath, [program, '-m', 'gemini-2.5-flash', '--yolo', ...args], {
      GEMINI_API_KEY: 'dummy',
      GOOGLE_GEMINI_BASE_URL: bench.url,
      // With --skip-trust the settings of the project are read before it counts as trusted: no hook of them runs.
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    });
}
