/**
 * The latency of a prompt and of a tool call in real hosts: the time from a prompt to the request to the model, and
 * from a tool call to the next request, in one session with the scratchpad and one without, with their turns
 * interleaved.
 *
 *   npx tsx scripts/e2e/latency.ts FOLDER [--rounds 15] [HOST…]
 *
 * FOLDER has the hosts in it (`hosts/programs.ts`). Build the package first. It needs tmux for Gemini CLI. Nothing
 * leaves the machine; the homes are temporary. Run it on an idle machine.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Bench } from './bench.ts';
import { beginClaude } from './hosts/claude-code.ts';
import { codex } from './hosts/codex.ts';
import { geminiCli } from './hosts/gemini-cli.ts';
import type { Reply } from './model-stub.ts';

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '15' } },
  allowPositionals: true,
});
const [cache, ...chosen] = positionals;
const rounds = Number(values.rounds);
/** The first turns start servers and fill caches. */
const WARM = 2;
const TURN_MS = 60_000;

interface Host {
  /**
   * Writes its settings. @returns a function that starts a session in a long-running process, and returns one turn
   * of it
   */
  prepare(bench: Bench): () => Promise<(words: string) => Promise<void>>;
  command: NonNullable<Reply['tool']>;
}

const HOSTS: Readonly<Record<string, Host>> = {
  'claude-code': {
    prepare: (bench) => () => Promise.resolve(beginClaude(bench, cache)),
    command: { name: 'Bash', input: { command: 'true' } },
  },
  codex: {
    prepare: (bench) => codex(bench, cache).begin,
    command: { name: 'exec_command', input: { cmd: 'true' } },
  },
  'gemini-cli': {
    prepare(bench) {
      const { open } = geminiCli(bench, cache);
      return async () => {
        const terminal = open();
        await terminal.ready();
        return (words) => terminal.say(words);
      };
    },
    command: { name: 'run_shell_command', input: { command: 'true' } },
  },
};

const MEASURED = ['a prompt', 'a tool call'] as const;
type Times = Record<(typeof MEASURED)[number], number[]>;

console.log('| | | without | with | difference |\n|---|---|---|---|---|');
for (const [name, host] of Object.entries(HOSTS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  await Bench.with(`latency-${name}`, (bare) =>
    Bench.with(`latency-${name}-with`, async (bench) => {
      furnish(bench);
      const begun = [];
      for (const each of [bare, bench])
        begun.push(await session(each, host, each === bench ? name : undefined));
      for (let round = 0; round < rounds + WARM; round += 1)
        for (const { turn } of round % 2 === 0 ? begun : [...begun].reverse()) await turn(round);
      bench.expect(`${name}: the plan was in the requests`, bench.lastTurn().includes('Find the leak'));
      for (const what of MEASURED) {
        const [without = 0, within = 0] = begun.map(({ times }) => median(times[what].slice(WARM)));
        const ms = (value: number): string => `${Math.round(value)} ms`;
        console.log(`| ${name} | ${what} | ${ms(without)} | ${ms(within)} | ${ms(within - without)} |`);
      }
    }),
  );
}

/** A workspace in use. */
function furnish(bench: Bench): void {
  bench.scratchpad('init');
  bench.scratchpad('plan', 'set', '1. Find the leak\n2. Write the test');
  bench.scratchpad('notes', 'append', 'release() is skipped on timeout');
  mkdirSync(join(bench.workspace, 'memory'));
  for (let file = 0; file < 50; file += 1) {
    const lines = Array.from(
      { length: 40 },
      (_, line) => `- Service ${file} listens on port ${4000 + line}.`,
    );
    writeFileSync(join(bench.workspace, `memory/service-${file}.md`), `${lines.join('\n')}\n`);
  }
}

/** One session whose model calls one command in each turn; with `install`, the scratchpad is installed. */
async function session(
  bench: Bench,
  host: Host,
  install?: string,
): Promise<{ turn(round: number): Promise<void>; times: Times }> {
  const begin = host.prepare(bench);
  if (install !== undefined) bench.scratchpad('install', install, '--yes');
  const say = await begin();
  const times: Times = { 'a prompt': [], 'a tool call': [] };
  let since = 0;
  let called = false;
  bench.stub.reply = ({ body }) => {
    if (!body.tools) return { text: 'A title' };
    times[called ? 'a tool call' : 'a prompt'].push(performance.now() - since);
    since = performance.now();
    called = !called;
    return called ? { tool: host.command } : { text: 'Done.' };
  };
  return {
    times,
    async turn(round) {
      called = false;
      since = performance.now();
      const words = `step ${round}: which port does service ${round} listen on?`;
      const late = setTimeout(() => {
        throw new Error(`no answer in time to: ${words}`);
      }, TURN_MS);
      await say(words);
      clearTimeout(late);
    },
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
