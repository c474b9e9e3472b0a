import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { Terminal } from '../terminal.ts';
import { programIn } from './programs.ts';

export function geminiCli(
  bench: Bench,
  cache: string | undefined,
  settings: object = {},
  modes: readonly string[] = ['--yolo'],
): GeminiCli {
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
  const call = [program, '-m', 'gemini-2.5-flash', ...modes];
  const env = {
    GEMINI_API_KEY: 'dummy',
    GOOGLE_GEMINI_BASE_URL: bench.url,
    // With --skip-trust the settings of the project are read before it counts as trusted: no hook of them runs.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  };
  return {
    run: (args) => bench.run(process.execPath, [...call, ...args], env),
    open: () => bench.terminal(process.execPath, call, env),
  };
}

export interface GeminiCli {
  /** One run without a terminal. */
  run(args: readonly string[]): Promise<string>;
  /** A session in a terminal. */
  open(): Terminal;
}
