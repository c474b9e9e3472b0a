import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { programIn } from './programs.ts';

/** One run of pi without a terminal. It has no hooks: it knows about us only from its files and commands. */
export function pi(bench: Bench, cache: string | undefined): (args: readonly string[]) => Promise<string> {
  const program = programIn(cache, 'pi');
  const folder = join(bench.home, '.pi/agent');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'models.json'),
    JSON.stringify({
      providers: {
        stub: {
          baseUrl: `${bench.url}/v1`,
          api: 'openai-completions',
          apiKey: 'dummy',
          models: [{ id: 'stub' }],
        },
      },
    }),
  );
  return (args) =>
    bench.run(process.execPath, [program, '--provider', 'stub', '--model', 'stub', '-p', ...args], {
      PI_OFFLINE: '1',
    });
}
