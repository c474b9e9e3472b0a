/**
 * The scratchpad in a real OpenClaw, through its plugin, against a model on loopback that records
 * what it is sent.
 *
 *   npx tsx scripts/e2e/openclaw.ts FOLDER
 *
 * FOLDER has `npm i node@24 openclaw` in it (900 MB). Build the package first. Nothing leaves
 * the machine; the home is a temporary one.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: tsx scripts/e2e/openclaw.ts FOLDER');
const bench = await Bench.open('openclaw');
const { home, url, stub, workspace } = bench;
const env = { OPENCLAW_DISABLE_UPDATE_CHECK: '1', NO_COLOR: '1' };
const config = {
  agents: { defaults: { workspace, model: { primary: 'stub/stub' }, skipBootstrap: true } },
  models: {
    mode: 'merge',
    providers: {
      stub: {
        baseUrl: `${url}/v1`,
        apiKey: 'dummy',
        api: 'openai-completions',
        models: [
          {
            id: 'stub',
            name: 'Stub',
            reasoning: false,
            input: ['text'],
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
            contextWindow: 200_000,
            maxTokens: 8192,
          },
        ],
      },
    },
  },
  gateway: { mode: 'local' },
};
mkdirSync(join(home, '.openclaw'));
writeFileSync(join(home, '.openclaw/openclaw.json'), JSON.stringify(config, null, 2));

try {
  bench.scratchpad('init');
  bench.scratchpad('install', 'openclaw', '--yes');
  bench.scratchpad('plan', 'set', '1. Find the leak in the connection pool\n2. Write the test');
  const node = join(folder, 'node_modules/node/bin/node');
  const program = join(folder, 'node_modules/openclaw/openclaw.mjs');
  const say = (message: string): Promise<string> =>
    bench.run(node, [program, 'agent', '--local', '--agent', 'main', '--json', '-m', message], env);

  await say('the pool still leaks connections, this is getting urgent!!');
  const sees = (what: string, parts: string[]): void =>
    bench.expect(
      what,
      parts.every((part) => bench.lastTurn().includes(part)),
    );
  sees('a turn: the request holds the plan and the state assembled from the prompt', [
    'Find the leak in the connection pool',
    'Last topic: the pool still leaks connections',
  ]);
  bench.scratchpad('notes', 'append', 'Root cause: release() is skipped on timeout');
  await say('what next?');
  sees('a later turn: the request holds a note written in between', ['release() is skipped on timeout']);
  // A context that is over its limit is compacted before the next turn.
  stub.reply = ({ text }) =>
    text.includes('read it all')
      ? { text: 'word '.repeat(4000), inputTokens: 199_000 }
      : { text: 'Understood.' };
  await say('read it all');
  const before = stub.asked.length;
  stub.reply = () => ({ text: 'Summary: the pool leaks.', inputTokens: 1000 });
  await say('go on');
  const asked = stub.asked.slice(before);
  bench.note(`after a context that is over its limit: ${asked.length} requests`);
  bench.expect('a compaction: the model was asked for a summary first', asked.length > 1);
  sees('after the compaction: the request holds plan, note and state', [
    'Find the leak',
    'release() is skipped',
    '## Time Context',
  ]);
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
