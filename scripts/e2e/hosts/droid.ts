import type { Bench } from '../bench.ts';
import { findProgram, type RunHost } from './programs.ts';

/** One run of `droid exec`: takes command-line arguments, returns the output. */
export function makeDroid(bench: Bench, cache: string | undefined): RunHost {
  const program = findProgram(cache, 'droid');
  const model = {
    ...{ model: 'stub', id: 'custom:stub', displayName: 'Stub', baseUrl: `${bench.url}/v1`, apiKey: 'x' },
    ...{ provider: 'generic-chat-completion-api', maxOutputTokens: 4096 },
  };
  bench.writeInHome('.factory/settings.json', { enableHooks: true, customModels: [model] });
  return (args) =>
    bench.run(program, ['exec', '--skip-permissions-unsafe', '-m', 'custom:stub', ...args], {
      FACTORY_API_KEY: 'fk-invented',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      HTTP_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1,localhost',
      FACTORY_DISABLE_AUTO_UPDATE: '1',
    });
}
