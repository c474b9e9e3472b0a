import { join } from 'node:path';
import { expect } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';

/** One moment of a host session, as the host tells of it; answers with what goes before the model. */
export async function moment(cwd: string, name: string, more: Record<string, unknown> = {}): Promise<string> {
  const input = JSON.stringify({ session_id: 's1', transcript_path: join(cwd, 's.jsonl'), cwd, ...more });
  const { stdout, exitCode } = await runWarm(['hook', 'claude-code', name], { cwd, input });
  expect(exitCode).toBe(0);
  // At PreCompact the answer is text for the request of the summary.
  if (!stdout.startsWith('{')) return '';
  const { hookSpecificOutput } = JSON.parse(stdout) as {
    hookSpecificOutput?: { additionalContext?: string };
  };
  return hookSpecificOutput?.additionalContext ?? '';
}

/** A Claude Code transcript with one answer, and the tokens that it took to get there. */
export function transcript(answer: string, tokens = 1000): string {
  const line = (type: string, message: object): string =>
    JSON.stringify({
      type,
      uuid: `${type}-1`,
      sessionId: 's1',
      timestamp: new Date().toISOString(),
      message: { role: type, ...message },
    });
  const usage = { input_tokens: tokens, cache_read_input_tokens: 0, output_tokens: 5 };
  return [
    line('user', { content: 'work through the list please' }),
    line('assistant', { id: 'm1', model: 'claude-x', content: [{ type: 'text', text: answer }], usage }),
    '',
  ].join('\n');
}
