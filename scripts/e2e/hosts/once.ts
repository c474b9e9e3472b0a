import type { Bench } from '../bench.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { geminiCli } from './gemini-cli.ts';

/**
 * The hosts that answer one question and end, by name.
 *
 * @param claudeOptions further options of `claude -p`
 */
export function asksOnce(
  cache: string | undefined,
  claudeOptions: readonly string[] = [],
): Readonly<Record<string, (bench: Bench) => (words: string) => Promise<string>>> {
  return {
    'claude-code': (bench) => {
      const run = claudeCode(bench, cache);
      return (words) => run([...claudeOptions, words]);
    },
    codex: (bench) => {
      const { run } = codex(bench, cache);
      return (words) => run([words]);
    },
    'gemini-cli': (bench) => {
      const { run } = geminiCli(bench, cache);
      return (words) => run(['-p', words]);
    },
  };
}
