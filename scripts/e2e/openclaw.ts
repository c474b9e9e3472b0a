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
  await toolAndWarning(bench, say);
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

async function toolAndWarning(bench: Bench, say: (words: string) => Promise<string>): Promise<void> {
  const { stub } = bench;
  const calls = [
    { action: 'set_plan', content: '1. Close the pool' },
    { content: 'by the other shape', mode: 'append' },
    { action: 'refs.remove', ref: 'nothing.ts' },
  ];
  stub.reply = ({ body }) => {
    const input = body.tools === undefined ? undefined : calls.shift();
    return input ? { tool: { name: 'session_scratchpad', input } } : { text: 'Done.' };
  };
  await say('write it down');
  bench.sees('the tool takes both shapes, and a refusal says why', [
    'plan: 17 of 2,000 characters',
    'Scratchpad updated (',
    'nothing was changed',
  ]);
  const system = JSON.stringify(bench.lastTurnBody()?.messages).split('"role":"user"')[0] ?? '';
  bench.expect(
    'the guidance is in the system part',
    system.includes('You have a persistent scratchpad tool'),
  );
  stub.reply = () => ({ text: 'Read.', inputTokens: 175_000 });
  await say('read more');
  stub.reply = () => ({ text: 'Saved.', inputTokens: 175_000 });
  await say('and now?');
  bench.sees('a context near its limit: the request has the warning, with the figures', [
    'Context is approaching the token limit (175,0',
    'of 200,000 tokens, 87 %)',
  ]);
  await say('and then?');
  bench.expect('and the next one has none', !bench.lastTurn().includes('approaching the token limit'));
}
