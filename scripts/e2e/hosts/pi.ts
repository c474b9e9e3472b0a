import { delimiter, join } from 'node:path';
import type { Bench } from '../bench.ts';
import { findProgram, type RunHost, STUB_MODEL } from './programs.ts';

/** One run of pi without a terminal: takes command-line arguments, returns the output. */
export function makePi(bench: Bench, cache: string | undefined): RunHost {
  const [program, node] = [findProgram(cache, 'pi'), findProgram(cache, 'node')];
  const stub = { baseUrl: `${bench.url}/v1`, api: 'openai-completions', apiKey: 'x', models: [STUB_MODEL] };
  bench.writeInHome('.pi/agent/models.json', { providers: { stub } });
  const env = { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' };
  return (args) =>
    bench.run(node, [program, '--model', 'stub/stub', ...args], {
      ...env,
      PATH: [join(node, '..'), bench.path].join(delimiter),
    });
}
