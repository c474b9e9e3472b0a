import type { Bench } from '../bench.ts';
import { programIn } from './programs.ts';

const ALWAYS = ['--output-format', 'json', '--permission-mode', 'bypassPermissions'];

/** Makes automatic compaction begin early. */
export const SMALL_WINDOW = {
  CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000',
  CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '50',
};

/** One run of Claude Code without a terminal: words of the command line in, what it printed out. */
export type RunClaude = (args: readonly string[], env?: Record<string, string>) => Promise<string>;

export function claudeCode(bench: Bench, cache: string | undefined): RunClaude {
  const program = programIn(cache, 'claude-code');
  return (args, env = {}) =>
    bench.run(program, ['-p', ...ALWAYS, ...args], {
      ANTHROPIC_BASE_URL: bench.url,
      ANTHROPIC_API_KEY: 'dummy',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
      ...env,
    });
}

/** One conversation in it: every turn but the first resumes. */
export function talk(run: RunClaude, args: readonly string[] = []): (words: string) => Promise<string> {
  let session: string | undefined;
  return async (words) => {
    const resume = session === undefined ? [] : ['--resume', session];
    const answer = JSON.parse(await run([...args, ...resume, words])) as { session_id: string };
    session = answer.session_id;
    return session;
  };
}

/** The request with which Claude Code asks for a summary. */
export const isSummary = ({ text }: { text: string }): boolean =>
  text.includes('CRITICAL: Respond with TEXT ONLY');
