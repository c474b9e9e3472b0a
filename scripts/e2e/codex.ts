/**
 * The scratchpad in a real Codex, against a model on loopback that records what it is sent.
 *
 *   npx tsx scripts/e2e/codex.ts CODEX
 *
 * CODEX is the program, for example from `npm i @openai/codex` in a folder of its own. Build the
 * package first. Nothing leaves the machine; the home is a temporary one. Hooks are run without
 * the trust that a person would give them, which is what `doctor` warns of.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';

const codex = process.argv[2];
if (codex === undefined) throw new Error('usage: tsx scripts/e2e/codex.ts CODEX');
const bench = await Bench.open('codex');
const { stub, home, url } = bench;
const codexHome = join(home, '.codex');
const env = { CODEX_HOME: codexHome, STUB_KEY: 'dummy' };
mkdirSync(codexHome);
writeFileSync(
  join(codexHome, 'config.toml'),
  `model = "stub"
model_provider = "stub"
model_context_window = 20000
model_auto_compact_token_limit = 15000
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.stub]
name = "stub"
base_url = "${url}/v1"
env_key = "STUB_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[projects."${bench.workspace}"]
trust_level = "trusted"
`,
);

try {
  bench.scratchpad('install', 'codex', '--yes');
  bench.scratchpad('plan', 'set', '1. Find the leak in the connection pool\n2. Write the test');
  const run = (...words: string[]): Promise<string> =>
    bench.run(
      codex,
      ['exec', '--skip-git-repo-check', '--dangerously-bypass-hook-trust', '-s', 'read-only', ...words],
      env,
    );

  await run('the pool still leaks connections, this is getting urgent!!');
  bench.expect(
    'a turn: the request holds the plan',
    bench.lastTurn().includes('Find the leak in the connection pool'),
  );
  bench.expect(
    'a turn: and the state assembled from the prompt in hand',
    bench.lastTurn().includes('Last topic: the pool still leaks connections'),
  );

  bench.scratchpad('notes', 'append', 'Root cause: release() is skipped on timeout');
  stub.reply = () => ({ text: 'Much was read.', inputTokens: 16_000 });
  await run('resume', '--last', 'what next?');
  bench.expect(
    'a resumed turn: the request holds a note written in between',
    bench.lastTurn().includes('release() is skipped on timeout'),
  );

  const before = stub.asked.length;
  stub.reply = () => ({ text: 'Understood.', inputTokens: 1000 });
  await run('resume', '--last', 'go on');
  const asked = stub.asked.slice(before);
  bench.note(`after a context that is over its limit: ${asked.length} requests`);
  bench.expect('a compaction: the model was asked for a summary first', asked.length > 1);
  bench.expect(
    'after the compaction: the request holds plan, note and state',
    ['Find the leak', 'release() is skipped', '## Time Context'].every((part) =>
      bench.lastTurn().includes(part),
    ),
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
