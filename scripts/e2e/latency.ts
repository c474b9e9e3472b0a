/**
 * What the scratchpad costs a turn in a real Claude Code, Codex or Gemini CLI with a model on loopback: the time from a prompt
 * to the request to the model, and from a tool call to the next request, in one session with it and one without, whose
 * turns alternate.
 *
 *   npx tsx scripts/e2e/latency.ts HOST FOLDER [ROUNDS]
 *
 * FOLDER has the host in it (`hosts/programs.ts`). Build the package first. Gemini CLI needs tmux. Run it on an idle
 * machine; nothing leaves it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import { beginClaude, copyPlugin } from './hosts/claude-code.ts';
import { makeCodex } from './hosts/codex.ts';
import { makeGeminiCli } from './hosts/gemini-cli.ts';
import { findProgram } from './hosts/programs.ts';

const [, , host = '', cache, rounds = '15'] = process.argv;
/** The first turns start servers and fill caches. */
const WARM = 2;

type Say = (words: string) => Promise<void>;

/** How to prepare a session of a host and then begin it, and the call that its model makes. */
interface Host {
  /** @param installed whether a plugin is loaded, where the host takes one at its start */
  prepare(bench: Bench, installed: boolean): () => Promise<Say>;
  /** Not installed by a command. */
  isLoaded?: true;
  call: { name: string; input: object };
}
const HOSTS: Record<string, Host> = {
  'claude-code': {
    prepare: (bench) => () => Promise.resolve(beginClaude(bench, cache)),
    call: { name: 'Bash', input: { command: 'true' } },
  },
  'claude-code-plugin': {
    prepare(bench, installed) {
      if (installed) bench.addToPath();
      const args = installed ? ['--plugin-dir', copyPlugin(bench)] : [];
      return () => Promise.resolve(beginClaude(bench, cache, args));
    },
    call: { name: 'Bash', input: { command: 'true' } },
    isLoaded: true,
  },
  codex: {
    prepare(bench) {
      const { talk } = makeCodex(bench, cache);
      bench.addToPath({ codex: findProgram(cache, 'codex') });
      return talk;
    },
    call: { name: 'exec_command', input: { cmd: 'true', yield_time_ms: 10_000 } },
  },
  'gemini-cli': { prepare: prepareGemini, call: { name: 'run_shell_command', input: { command: 'true' } } },
};
const chosen = hostNamed(host);

await Bench.runStory('latency', (bare) =>
  Bench.runStory('latency-with', async (bench) => {
    fillWorkspace(bench);
    const [without, within] = [await openSession(bare, false), await openSession(bench, true)];
    for (let round = 0; round < Number(rounds) + WARM; round += 1)
      for (const one of round % 2 === 0 ? [without, within] : [within, without]) await one.turn(round);
    bench.expect('the plan was in the requests', bench.lastTurn().includes('Find the leak'));
    for (const what of ['prompt', 'call'] as const) {
      const [a, b] = [computeMedian(without.times[what]), computeMedian(within.times[what])];
      bench.note(`${host}, a ${what}: ${a} ms without, ${b} ms with, ${b - a} ms more`);
    }
    bench.note(`load average ${loadavg()[0]?.toFixed(1)}`);
  }),
);

/** A workspace in use. */
function fillWorkspace(bench: Bench): void {
  bench.scratchpad('init');
  bench.scratchpad('plan', 'set', '1. Find the leak\n2. Write the test');
  bench.scratchpad('notes', 'append', 'release() is skipped on timeout');
  mkdirSync(join(bench.workspace, 'memory'));
  for (let file = 0; file < 50; file += 1) {
    const lines = Array.from({ length: 40 }, (_, k) => `- Service ${file} listens on port ${4000 + k}.\n`);
    writeFileSync(join(bench.workspace, `memory/service-${file}.md`), lines.join(''));
  }
}

/** One session that stays, and whose model calls one command in each turn. */
async function openSession(bench: Bench, installed: boolean) {
  const begin = chosen.prepare(bench, installed);
  if (installed && !chosen.isLoaded) bench.scratchpad('install', host, '--yes');
  const say = await begin();
  const times: Record<'prompt' | 'call', number[]> = { prompt: [], call: [] };
  let since = 0;
  let called = false;
  bench.stub.reply = ({ body }) => {
    if (!body.tools) return { text: 'A title' };
    times[called ? 'call' : 'prompt'].push(performance.now() - since);
    since = performance.now();
    called = !called;
    return called ? { tool: chosen.call } : { text: 'Done.' };
  };
  return {
    times,
    async turn(round: number): Promise<void> {
      called = false;
      since = performance.now();
      await say(`step ${round}: which port does service ${round} listen on?`);
    },
  };
}

function hostNamed(name: string): Host {
  const found = HOSTS[name];
  if (!found) throw new Error(`Expected one of ${Object.keys(HOSTS).join(', ')}, found "${name}".`);
  return found;
}

function prepareGemini(bench: Bench): () => Promise<Say> {
  const { open } = makeGeminiCli(bench, cache);
  return async () => {
    const terminal = open();
    await terminal.ready();
    return (words) => terminal.say(words);
  };
}

function computeMedian(values: readonly number[]): number {
  const warm = values.slice(WARM).sort((a, b) => a - b);
  return Math.round(warm[Math.floor(warm.length / 2)] ?? 0);
}
