import type { ChildProcess } from 'node:child_process';
import type { Bench } from '../bench.ts';
import { findProgram, STUB_MODEL } from './programs.ts';

const PORT = 18_973;

export interface OpenClaw {
  run(args: readonly string[]): Promise<string>;
  /** Starts the gateway, which keeps sessions in one process; only the gateway loads hook directories. */
  gateway(ready?: RegExp): Promise<ChildProcess>;
  /** Calls a method of the gateway. */
  call(method: string, params: object): Promise<unknown>;
}

/** OpenClaw on the version of Node that it needs. */
export function openClaw(bench: Bench, cache: string | undefined): OpenClaw {
  const node = findProgram(cache, 'node', 'openclaw');
  const program = findProgram(cache, 'openclaw');
  const config = {
    agents: {
      defaults: {
        workspace: bench.workspace,
        model: { primary: 'stub/stub' },
        skipBootstrap: true,
        // Its other mode refuses summaries that do not quote the conversation.
        compaction: { mode: 'default' },
      },
    },
    models: {
      mode: 'merge',
      providers: {
        stub: {
          baseUrl: `${bench.url}/v1`,
          apiKey: 'dummy',
          api: 'openai-completions',
          models: [STUB_MODEL],
        },
      },
    },
    gateway: { mode: 'local', port: PORT, bind: 'loopback', auth: { mode: 'token', token: 'dummy' } },
  };
  bench.writeInHome('.openclaw/openclaw.json', config);
  const env = { OPENCLAW_DISABLE_UPDATE_CHECK: '1', NO_COLOR: '1' };
  const run = (args: readonly string[]): Promise<string> => bench.run(node, [program, ...args], env);
  return {
    run,
    gateway: (ready = /\[gateway\] ready/) => bench.start(node, [program, 'gateway', 'run'], env, ready),
    call: async (method, params) =>
      JSON.parse(
        await run(['gateway', 'call', method, '--json', '--params', JSON.stringify(params)]),
      ) as unknown,
  };
}

/** The arguments that run one turn of the main agent through the gateway. */
export const turn = (words: string): string[] => ['agent', '--agent', 'main', '--json', '-m', words];
