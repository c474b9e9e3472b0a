import type { Bench } from '../bench.ts';
import { findProgram, type RunHost } from './programs.ts';

/** One run of GitHub Copilot CLI without a terminal: takes command-line arguments, returns the output. */
export function makeCopilot(bench: Bench, cache: string | undefined): RunHost {
  const program = findProgram(cache, 'copilot');
  const env = {
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: `${bench.url}/v1`,
    COPILOT_MODEL: 'stub',
    // It counts the tokens of a conversation itself.
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '60000',
    COPILOT_ALLOW_ALL: 'true',
    GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS: 'true',
  };
  return (args) => bench.run(program, ['--allow-all-tools', ...args], env);
}
