/**
 * The scratchpad in a real OpenClaw, through its plugin and through the fallback hook directory,
 * against a model on loopback that records what it is sent.
 *
 *   npx tsx scripts/e2e/openclaw.ts FOLDER
 *
 * FOLDER has `npm i node@24 openclaw` in it (900 MB). Build the package first. Nothing leaves
 * the machine; the homes are temporary.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import { openClaw, turn } from './hosts/openclaw.ts';
import { fillContext, tellStory } from './story.ts';

const TEMPLATES = join(import.meta.dirname, '../../templates');
const [, , cache] = process.argv;

await Bench.with('openclaw', async (bench) => {
  const { run } = openClaw(bench, cache);
  bench.scratchpad('init');
  bench.scratchpad('install', 'openclaw', '--yes');
  const say = (words: string): Promise<string> => run(turn(words));
  await tellStory(bench, {
    say,
    command: (line) => ({ name: 'exec', input: { command: line } }),
    // A context that is over its limit is compacted before the next turn.
    compact: () => fillContext(bench, { say }, 199_000),
    keeps: 100_000,
    stampsTime: true,
    ephemeral: true,
    isSummary: ({ body, text }) => body.tools === undefined && /summar|checkpoint/i.test(text),
  });
  bench.hookLines();
});

await Bench.with('openclaw-hook', async (bench) => {
  const { run, gateway } = openClaw(bench, cache);
  bench.scratchpad('init');
  bench.scratchpad('plan', 'set', '1. Find the leak in the connection pool');
  cpSync(join(TEMPLATES, 'openclaw-hook/scratchpad'), join(bench.workspace, 'hooks/scratchpad'), {
    recursive: true,
  });
  bench.onPath();
  await run(['hooks', 'enable', 'scratchpad']);
  await gateway();
  await run(turn('what next?', 'gateway'));
  bench.sees('the hook directory: the request holds the plan', ['Find the leak in the connection pool']);
  bench.scratchpad('notes', 'append', 'release() is skipped on timeout');
  await run(turn('and now?', 'gateway'));
  const { length } = bench.lastTurn().split('release() is skipped on timeout');
  bench.expect('the hook directory: a later request holds a new note, once', length === 2);
});
