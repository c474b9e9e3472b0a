/**
 * What hooks cost, as ratios to `node -e 0` of the same round: a prompt of a continuing conversation over many
 * memory files, answered by a command and by the MCP server that a host keeps running, and a tool call. Processor
 * time is that of all processes, including one that continues in the background.
 *
 *   npx tsx scripts/bench/hooks.ts [rounds=25] [files=1000] [sections turned off]
 *
 * Linux; run it on the built package (`npm run build`) and an otherwise idle machine. Its folder is kept for the
 * next run: if thousands of files were deleted on ext4 in the last minutes, creating one takes up to a millisecond
 * longer.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { word } from '../workload/notes.ts';
import { quantile } from './side-by-side.ts';

const bin = join(import.meta.dirname, '../../bin/scratchpad.js');
const rounds = Number(process.argv[2] ?? 25);
const files = Number(process.argv[3] ?? 1000);
const off = process.argv[4];
const dir = join(tmpdir(), 'scratchpad-bench-hooks', String(process.getuid?.() ?? 0), String(files));
const WORDS =
  'deploy cluster timezone token expiry login page upload test flaky pool connection leak image overlay tag rollback memory review branch cache index schema query'.split(
    ' ',
  );

const VOCABULARY = 50_000;

const PROMPTS = [
  'the upload test is flaky again, please look at the token expiry',
  'why is the timezone wrong in the cluster?',
  'still broken, the connection pool leaks',
  'ok now roll back the last deploy',
  'thanks! next one: review the branch',
  'please stop rewriting the query and answer shorter',
  'can you check why the login page is slow?',
];

/** One event, measured. */
interface Measure {
  name: string;
  must?: number;
  /** @returns in milliseconds, how long the host waited, and the processor time of all processes */
  run(): Promise<Cost>;
}

interface Cost {
  waited: number;
  cpu: number;
}

/** A conversation that grows by one prompt at a time. */
class Talk {
  readonly #path: string;
  #said = 0;

  constructor(path: string) {
    this.#path = path;
    writeFileSync(path, '');
    while (this.#said < 30) this.goOn();
  }

  /** The next prompt; the one before it has been answered. */
  goOn(): string {
    if (this.#said > 0) {
      this.#add('user', this.#prompt());
      const [cause, effect] = [topic(this.#said), topic(this.#said + 7)];
      this.#add(
        'assistant',
        `The ${cause} was the reason: it kept the ${effect} from being renewed. Mended and tested.`,
      );
    }
    this.#said += 1;
    return this.#prompt();
  }

  #prompt(): string {
    return `${PROMPTS[this.#said % PROMPTS.length]} (${this.#said})`;
  }

  #add(role: 'user' | 'assistant', content: string): void {
    const timestamp = new Date(Date.now() - 60_000).toISOString();
    const uuid = `${role}${this.#said}`;
    appendFileSync(
      this.#path,
      `${JSON.stringify({ type: role, uuid, sessionId: 'bench', timestamp, message: { role, content } })}\n`,
    );
  }
}

const workspace = join(dir, 'workspace');
const transcript = join(dir, 's.jsonl');
const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
const LONG = Array.from({ length: 1000 }, (_, n) => `${String(n).padStart(6, '0')} ${'x'.repeat(52)}`).join(
  '\n',
);

mkdirSync(join(workspace, 'memory'), { recursive: true });
for (let k = 0; k < files; k += 1) {
  const path = join(workspace, 'memory', `note-${k}.md`);
  if (!existsSync(path)) writeFileSync(path, note(k));
}
for (const old of ['.scratchpad', 'SCRATCHPAD.md'])
  rmSync(join(workspace, old), { recursive: true, force: true });
node(['init']);
if (off !== undefined) node(['config', 'set', 'stages.off', off]);
node(['plan', 'set', '1. Find the leak\n2. Test it']);
node(['memory', 'index']);

let runs = 0;
const talk = new Talk(transcript);
const common = { session_id: 'bench', transcript_path: transcript, cwd: workspace };
const client = new Client({ name: 'bench', version: '1' });
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [bin, 'mcp'],
  cwd: workspace,
  env: env as Record<string, string>,
});
await client.connect(transport);

const measures: Measure[] = [
  { name: 'node -e 0', run: () => whole(['-e', '0'], '') },
  {
    name: 'prompt, by a command',
    must: 3,
    run: () => hook('UserPromptSubmit', { prompt: talk.goOn() }),
  },
  { name: 'prompt, in the server', must: 0.6, run: () => served({ prompt: talk.goOn() }) },
  {
    name: 'the first of a session, by a command',
    run: () => {
      rmSync(join(workspace, '.scratchpad/cache/window.json'), { force: true });
      return hook('UserPromptSubmit', {
        prompt: talk.goOn(),
        session_id: `first-${process.hrtime.bigint()}`,
      });
    },
  },
  { name: 'tool call, short', must: 1.25, run: () => hook('PostToolUse', called('ok')) },
  { name: 'tool call, 60,000 characters', must: 1.6, run: () => hook('PostToolUse', called(LONG)) },
];
const costs = measures.map((): Cost[] => []);
for (let round = -2; round < rounds; round += 1) {
  for (const [k, measure] of measures.entries()) {
    const cost = await measure.run();
    // The first rounds fill the caches.
    if (round >= 0) costs[k]?.push(cost);
  }
}
await client.close();

const base = costs[0] ?? [];
const ratios = (k: number, of: keyof Cost): number[] =>
  (costs[k] ?? []).map((cost, round) => cost[of] / (base[round]?.[of] ?? Number.NaN));
console.log(
  `node ${process.version}, ${rounds} rounds over ${files} files; ratios to node -e 0 of the same round`,
);
for (const [k, { name, must }] of measures.entries()) {
  const waited = quantile(ratios(k, 'waited'), 0.5);
  const of = (each: keyof Cost): number[] => (costs[k] ?? []).map((cost) => cost[each]);
  const least = Math.min(...of('cpu')) / Math.min(...base.map(({ cpu }) => cpu));
  const aim = must === undefined ? '' : `   must ${must}: ${waited <= must ? 'met' : 'MISSED'}`;
  console.log(
    `${name.padEnd(38)} waited ${quantile(of('waited'), 0.5).toFixed(1).padStart(6)} ms, ${waited.toFixed(2)} ` +
      `(${[0.25, 0.75].map((at) => quantile(ratios(k, 'waited'), at).toFixed(2)).join(' to ')}); processor: median ` +
      `${quantile(of('cpu'), 0.5).toFixed(0)} ms, least ${least.toFixed(2)}${aim}`,
  );
}

function called(text: string): Record<string, unknown> {
  return {
    tool_name: 'Bash',
    tool_input: { command: 'npm test' },
    tool_response: { stdout: text, stderr: '', interrupted: false, isImage: false },
  };
}

function hook(event: string, more: Record<string, unknown>): Promise<Cost> {
  const input = JSON.stringify({ ...common, hook_event_name: event, ...more });
  return whole([bin, 'hook', 'claude-code', event], input);
}

/** A prompt answered by the running server; its work after the answer counts as well. */
async function served(more: Record<string, string>): Promise<Cost> {
  const before = processorTime(transport.pid ?? 0);
  const from = performance.now();
  await client.callTool({ name: 'hook', arguments: { ...common, event: 'UserPromptSubmit', ...more } });
  const waited = performance.now() - from;
  await sleep(60);
  return { waited, cpu: processorTime(transport.pid ?? 0) - before };
}

/** A whole process and those that it starts, including one that continues in the background. */
async function whole(args: readonly string[], input: string): Promise<Cost> {
  runs += 1;
  const mark = `BENCH_RUN=${process.pid}-${runs}`;
  const from = performance.now();
  // Bash reports the processor time of the process and of all children it has waited for.
  const script = 'TIMEFORMAT="%3U %3S"; { time "$0" "$@" 2>/dev/null >/dev/null; } 2>&1';
  const told = execFileSync('bash', ['-c', script, process.execPath, ...args], {
    cwd: workspace,
    input,
    encoding: 'utf8',
    env: { ...env, BENCH_RUN: mark.slice(10) },
  });
  const waited = performance.now() - from;
  const [user = 0, system = 0] = told.trim().split(' ').map(Number);
  return { waited, cpu: (user + system) * 1000 + (await leftBehind(mark)) };
}

/** Processor time of the background processes of a run, until they end. */
async function leftBehind(mark: string): Promise<number> {
  const times = new Map<string, number>();
  for (;;) {
    const alive = readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(mark),
    );
    for (const pid of alive) times.set(pid, processorTime(Number(pid)));
    if (alive.length === 0) return [...times.values()].reduce((sum, ms) => sum + ms, 0);
    await sleep(5);
  }
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/** User and system time of a process so far, in milliseconds, from the kernel's ticks of 10 ms. */
function processorTime(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

function node(args: readonly string[]): void {
  execFileSync(process.execPath, [bin, ...args], { cwd: workspace, env, stdio: 'ignore' });
}

/**
 * Twelve lines of words with frequencies by Zipf's law; each sixth line has a word that the conversation is about,
 * as notes on a project would.
 */
function note(k: number): string {
  const lines = Array.from({ length: 12 }, (_, n) => {
    const at = k * 12 + n;
    const words = Array.from({ length: 7 + (at % 9) }, (_, m) => word(rankOf(at * 31 + m)));
    if (at % 6 === 0) words.splice(2, 0, topic(at / 6));
    return `- ${words.join(' ')}`;
  });
  return `# Note ${k}\n\n${lines.join('\n')}\n`;
}

/** A pseudo-random number that is always the same for the same place. */
function rankOf(place: number): number {
  const drawn = (Math.imul(place + 1, 2_654_435_761) >>> 0) / 2 ** 32;
  return Math.floor(Math.exp(drawn * Math.log(VOCABULARY)));
}

function topic(k: number): string {
  return WORDS[k % WORDS.length] ?? '';
}
