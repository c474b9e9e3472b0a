/**
 * The scratchpad in a real Claude Code, against a model on loopback that records what it is sent.
 *
 *   npx tsx scripts/e2e/claude-code.ts CLAUDE
 *
 * CLAUDE is the program, for example from `npm i @anthropic-ai/claude-code` in a folder of its
 * own (400 MB). Build the package first. Nothing leaves the machine; the home is a temporary one.
 */
import { join } from 'node:path';
import { Bench } from './bench.ts';

const claude = process.argv[2];
if (claude === undefined) throw new Error('usage: tsx scripts/e2e/claude-code.ts CLAUDE');
const ALWAYS = ['--output-format', 'json', '--permission-mode', 'bypassPermissions'];
/** Makes automatic compaction begin early. */
const SMALL_WINDOW = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000', CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '50' };
const isSummary = ({ text }: { text: string }): boolean => text.includes('CRITICAL: Respond with TEXT ONLY');
const bench = await Bench.open('claude-code');
const { stub, dir, url } = bench;
const env = {
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'dummy',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CONFIG_DIR: join(dir, 'home/.claude'),
  IS_SANDBOX: '1',
};

try {
  bench.scratchpad('install', 'claude-code', '--yes');
  bench.scratchpad('plan', 'set', '1. Find the leak in the connection pool\n2. Write the test');
  const run = (...args: string[]): Promise<string> => bench.run(claude, ['-p', ...ALWAYS, ...args], env);

  const first = JSON.parse(await run('the pool still leaks connections, this is getting urgent!!')) as {
    session_id: string;
  };
  bench.expect(
    'a turn: the request holds the plan',
    bench.lastTurn().includes('Find the leak in the connection pool'),
  );
  bench.expect(
    'a turn: and the state assembled from the prompt in hand',
    bench.lastTurn().includes('## Time Context') &&
      bench.lastTurn().includes('Last topic: the pool still leaks connections'),
  );

  bench.scratchpad('notes', 'append', 'Root cause: release() is skipped on timeout');
  const resume = ['--resume', first.session_id];
  await run(...resume, 'what next?');
  bench.expect(
    'a later turn: the request holds a note written in between',
    bench.lastTurn().includes('release() is skipped on timeout'),
  );

  stub.reply = (asked) =>
    asked.text.includes('run the long one') && !asked.text.includes('tool_result')
      ? {
          tool: {
            name: 'Bash',
            input: { command: 'node -e "console.log(\'line of output \'.repeat(7000))"' },
          },
        }
      : { text: 'Done.' };
  await run(...resume, 'run the long one');
  const shown = bench.lastTurn();
  bench.expect(
    "105,000 characters of a command's output: the request has a preview that names the entry",
    shown.includes('execute_command_1') && (shown.match(/line of output/g)?.length ?? 0) < 400,
  );
  const entry = bench.scratchpad('entry', 'read', 'execute_command_1', '--offset', '104000');
  bench.expect('and the entry has the whole', entry.includes('line of output') && entry.length > 900);

  stub.reply = () => ({ text: 'Summary: the pool leaks.' });
  const before = stub.asked.length;
  await run(...resume, '/compact');
  bench.expect('a compaction: the model was asked for a summary', stub.asked.length > before);
  stub.reply = () => ({ text: 'Understood.' });
  await run(...resume, 'go on');
  const after = bench.lastTurn();
  bench.expect(
    'after the compaction: the request holds plan, note and state',
    ['Find the leak', 'release() is skipped', '## Time Context'].every((part) => after.includes(part)),
  );
  bench.scratchpad('config', 'set', 'compaction.hold', 'once');
  let asked = 0;
  stub.reply = ({ text }) => {
    asked += 1;
    // A context that is full at once: the host wants to compact before the next request.
    if (text.includes('CRITICAL: Respond with TEXT ONLY')) return { text: '<summary>On it.</summary>' };
    return asked < 3
      ? { tool: { name: 'Bash', input: { command: `echo step ${asked}` } }, inputTokens: 95_000 }
      : { text: 'Done.' };
  };
  const from = stub.turns().length;
  await bench.run(claude, ['-p', ...ALWAYS, 'work through it'], { ...env, ...SMALL_WINDOW });
  const compactedAt = stub.turns().slice(from).findIndex(isSummary);
  bench.expect(
    'compaction.hold once: the agent has a turn before the automatic compaction',
    compactedAt >= 2,
  );
  bench.expect(
    'and after it the request holds the plan',
    bench.lastTurn().includes('Find the leak in the connection pool'),
  );
  bench.note(
    bench
      .scratchpad('status')
      .split('\n')
      .filter((line) => line.startsWith('hook'))
      .join('\n'),
  );
} finally {
  bench.close();
}
