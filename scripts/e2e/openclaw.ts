/**
 * The scratchpad in a real OpenClaw: its plugin and the fallback hook directory in a gateway on loopback, with a
 * model that records its requests.
 *
 *   npx tsx scripts/e2e/openclaw.ts FOLDER
 *
 * FOLDER has `npm i node@24 openclaw` in it (900 MB). Build the package first. Nothing leaves
 * the machine; the homes are temporary.
 */
import type { ChildProcess } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Bench } from './bench.ts';
import { type OpenClaw, openClaw, turn } from './hosts/openclaw.ts';
import { fillContext, tellStory } from './story.ts';

const TEMPLATES = join(import.meta.dirname, '../../templates');
const [, , cache] = process.argv;
const HEARTBEAT_MS = 60_000;

await Bench.runStory('openclaw', async (bench) => {
  const { run, gateway, call } = openClaw(bench, cache);
  bench.addToPath();
  bench.scratchpad('init');
  bench.scratchpad('install', 'openclaw', '--yes');
  let running = await gateway();
  const say = (words: string): Promise<string> => run(turn(words));
  await tellStory(bench, {
    say,
    command: (line) => ({ name: 'exec', input: { command: line } }),
    // A context that is over its limit is compacted before the next turn.
    compact: () => fillContext(bench, { say }, 199_000),
    resume: async () => {
      await endGateway(running);
      running = await gateway();
    },
    rewind: async () => {
      const sessionKey = 'agent:main:main';
      const { messages } = (await call('chat.history', { sessionKey })) as { messages: ChatMessage[] };
      const last = messages.findLast(({ role }) => role === 'user');
      await call('sessions.rewind', { sessionKey, entryId: last?.__openclaw?.id });
    },
    clear: () => say('/new'),
    passesOn: 100_000,
    ephemeral: true,
    isSummary: ({ body, text }) => body.tools === undefined && /summar|checkpoint/i.test(text),
  });
  await playHeartbeat(bench, run);
  bench.noteHooks();
});

await Bench.runStory('openclaw-hook', async (bench) => {
  const { run, gateway } = openClaw(bench, cache);
  bench.scratchpad('init');
  bench.scratchpad('plan', 'set', '1. Find the leak in the connection pool');
  cpSync(join(TEMPLATES, 'openclaw-hook/scratchpad'), join(bench.workspace, 'hooks/scratchpad'), {
    recursive: true,
  });
  bench.addToPath();
  await run(['hooks', 'enable', 'scratchpad']);
  await gateway(/loaded \d+ internal hook/);
  await run(turn('what next?'));
  bench.expectParts('the hook directory: the request holds the plan', 'Find the leak in the connection pool');
  bench.scratchpad('notes', 'append', 'release() is skipped on timeout');
  await run(turn('and now?'));
  const later = 'the hook directory: a later request holds a new note, once';
  bench.expectOnce(later, 'release() is skipped on timeout');
});

/** A turn that no person asked for: the gateway wakes the agent. */
async function playHeartbeat(bench: Bench, run: OpenClaw['run']): Promise<void> {
  const { stub } = bench;
  bench.scratchpad('notes', 'append', 'the nightly check is red');
  writeFileSync(join(bench.workspace, 'HEARTBEAT.md'), '- Look at the nightly check.\n');
  const before = stub.turns().length;
  stub.reply = () => ({ text: 'HEARTBEAT_OK' });
  await run(['system', 'event', '--mode', 'now', '--text', 'the nightly check has ended']);
  for (let waited = 0; waited < HEARTBEAT_MS && stub.turns().length === before; waited += 250)
    await sleep(250);
  bench.expect('a heartbeat: the gateway asks the model', stub.turns().length > before);
  bench.expectOnce('and the request holds the notes, once', 'the nightly check is red');
}

interface ChatMessage {
  role: string;
  __openclaw?: { id: string };
}

async function endGateway(child: ChildProcess): Promise<void> {
  const done = new Promise((resolve) => child.on('close', resolve));
  child.kill('SIGTERM');
  await done;
}
