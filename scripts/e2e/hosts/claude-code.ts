import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { findProgram, type RunHost, talkInLines } from './programs.ts';

const ALWAYS = ['--permission-mode', 'bypassPermissions'];

export function makeClaudeCode(bench: Bench, cache: string | undefined): RunHost {
  const program = findProgram(cache, 'claude-code');
  return (args) =>
    bench.run(program, ['-p', '--output-format', 'json', ...ALWAYS, ...args], writeSettings(bench));
}

const PLUGIN = join(import.meta.dirname, '../../../templates/claude-code-plugin');

/** A copy of our plugin: Claude Code writes types into a mod that it loads from a folder. */
export function copyPlugin(bench: Bench): string {
  const copy = join(bench.dir, 'plugin');
  cpSync(PLUGIN, copy, { recursive: true });
  return copy;
}

export const writeSettings = (bench: Bench): Record<string, string> => ({
  ANTHROPIC_BASE_URL: bench.url,
  ANTHROPIC_API_KEY: 'dummy',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  IS_SANDBOX: '1',
});

/** One session that stays. @returns a turn of it */
export function beginClaude(
  bench: Bench,
  cache: string | undefined,
  more: readonly string[] = [],
): (words: string) => Promise<void> {
  const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const claude = bench.spawn(
    findProgram(cache, 'claude-code'),
    [...args, '--permission-mode', 'bypassPermissions', ...more],
    writeSettings(bench),
  );
  return talkInLines(claude, (line) => bench.outputLines.push(line));
}

/** One conversation in it. */
export function makeTalk(bench: Bench, run: RunHost, args: readonly string[] = []) {
  let session: string | undefined;
  let at: string[] = [];
  return {
    /** One turn; every turn but the first resumes. */
    async say(words: string) {
      const resume = session === undefined ? [] : ['--resume', session];
      const answer = JSON.parse(await run([...args, ...resume, ...at, words])) as { session_id: string };
      session = answer.session_id;
      at = [];
    },
    /** Rewinds the last turn. */
    rewind() {
      const answers = splitLines(bench, session ?? '').filter(({ type }) => type === 'assistant');
      at = ['--resume-session-at', answers.at(-2)?.uuid ?? ''];
    },
  };
}

/** The transcript of a session. */
function splitLines(bench: Bench, session: string): { type: string; uuid: string }[] {
  const projects = join(bench.home, '.claude/projects');
  const [project = ''] = readdirSync(projects);
  return readFileSync(join(projects, project, `${session}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; uuid: string });
}

/** The request with which Claude Code asks for a summary. */
export const isSummary = ({ text }: { text: string }): boolean =>
  text.includes('CRITICAL: Respond with TEXT ONLY');
