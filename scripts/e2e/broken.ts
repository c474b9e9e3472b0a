/**
 * What a person and the model notice in a real Claude Code, in one session with a model on loopback, when our part of it
 * breaks: the MCP server killed, stopped, its workspace read-only, its disk full, the package removed.
 *
 *   npx tsx scripts/e2e/broken.ts FOLDER
 *
 * FOLDER has `npm i @anthropic-ai/claude-code` in it. Build the package first. Needs Linux, and a user who may mount.
 */
import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Bench } from './bench.ts';
import { settings } from './hosts/claude-code.ts';
import { programIn } from './hosts/programs.ts';

const [, , cache] = process.argv;
const MOST_MS = 3000;
/** What Claude Code itself shows at a hook whose server is gone. */
const OF_THE_HOST = /"stderr":"(?:Connection closed|MCP server \\"scratchpad\\" is not connected)"/;

await Bench.with('broken', async (bench) => {
  mount(bench.workspace);
  try {
    bench.onPath();
    bench.scratchpad('install', 'claude-code', '--yes');
    bench.scratchpad('plan', 'set', '1. Find the leak\n2. Write the test');
    await story(bench);
  } finally {
    spawnSync('mount', ['-o', 'remount,rw', bench.workspace]);
    spawnSync('umount', ['-l', bench.workspace]);
  }
});

async function story(bench: Bench): Promise<void> {
  const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const claude = bench.spawn(
    programIn(cache, 'claude-code'),
    [...args, '--permission-mode', 'bypassPermissions'],
    settings(bench),
  );
  const say = talk(claude, bench);
  const usual = await say('begin', true);
  bench.expect('the first turn: the plan, once', usual.count('Find the leak') === 1);
  let note = 0;
  /** A note is news: the model is to be told of it. */
  const turn = async (
    what: string,
    breaks: () => void,
    { tells = true, isHosts = false } = {},
  ): Promise<void> => {
    note += 1;
    if (tells) bench.scratchpad('notes', 'append', `finding number ${note}`);
    breaks();
    for (const calls of [true, false]) {
      const { ms, errors: shown, count } = await say(`go on after ${what}`, calls);
      const errors = isHosts ? shown.filter((line) => !OF_THE_HOST.test(line)) : shown;
      const told = tells ? count(`finding number ${note}`) : 1;
      bench.expect(
        `${what}${calls ? ', with a call of a tool' : ''}: ${ms} ms (${usual.ms} as usual), ${shown.length} error blocks, news told ${tells ? `${told} times` : 'is none'}`,
        ms < usual.ms + MOST_MS && errors.length === 0 && told === 1 && count('Find the leak') === 1,
        errors.join('\n').slice(0, 1500),
      );
    }
  };
  await turn('nothing', () => undefined);
  await turn('the server is killed', () => signal(claude, 'SIGKILL'));
  await turn('the server is stopped', () => signal(claude, 'SIGSTOP'));
  await turn('the server is killed again', () => signal(claude, 'SIGKILL'));
  const fill = join(bench.workspace, 'fill');
  await turn('the disk is full', () => {
    spawnSync('dd', ['if=/dev/zero', `of=${fill}`, 'bs=64k'], { stdio: 'ignore' });
  });
  rmSync(fill, { force: true });
  await turn('the disk is read-only', () => {
    execFileSync('mount', ['-o', 'remount,ro', bench.workspace]);
  });
  execFileSync('mount', ['-o', 'remount,rw', bench.workspace]);
  await turn('the package is removed', () => rmSync(join(bench.dir, 'bin/scratchpad')), {
    tells: false,
  });
  const both = { tells: false, isHosts: true };
  await turn('the package and its server are gone', () => signal(claude, 'SIGKILL'), both);
}

/** One turn of the session that stays: how long it took, and what a person was shown. */
function talk(claude: ChildProcess, bench: Bench) {
  const lines = createInterface({ input: claude.stdout ?? process.stdin });
  let done: (session: string) => void = () => undefined;
  lines.on('line', (line) => {
    const { type, session_id: session } = JSON.parse(line) as { type: string; session_id: string };
    if (type === 'result') done(session);
  });
  let seen = 0;
  return async (content: string, calls: boolean) => {
    const { stub } = bench;
    let asked = 0;
    stub.reply = ({ body }) =>
      body.tools && calls && asked++ === 0
        ? { tool: { name: 'Bash', input: { command: 'true' } } }
        : { text: 'Understood.' };
    const began = Date.now();
    const session = await new Promise<string>((resolve) => {
      done = resolve;
      claude.stdin?.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
    });
    const ms = Date.now() - began;
    // The transcript is written a little later.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const all = transcriptOf(bench, session);
    const errors = all
      .slice(seen)
      .filter((line) => /"hook_(?:non_blocking_error|blocking_error|error|cancelled)/.test(line));
    seen = all.length;
    const turn = bench.lastTurn();
    return { ms, errors, count: (text: string): number => turn.split(text).length - 1 };
  };
}

function transcriptOf(bench: Bench, session: string): string[] {
  const projects = join(bench.home, '.claude/projects');
  const [project = ''] = readdirSync(projects);
  return readFileSync(join(projects, project, `${session}.jsonl`), 'utf8')
    .trim()
    .split('\n');
}

/** Sends a signal to our server below the host. */
function signal(host: ChildProcess, name: NodeJS.Signals): void {
  const below = (pid: number): number[] => {
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    const children = stdout.trim().split(/\s+/).filter(Boolean).map(Number);
    return [...children, ...children.flatMap(below)];
  };
  for (const pid of below(host.pid ?? 0)) {
    const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    if (/scratchpad(?:\.js)? mcp\s*$/.test(stdout) && !stdout.startsWith('sh ')) process.kill(pid, name);
  }
}

/** A small disk of its own. */
function mount(path: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', path]);
  writeFileSync(join(path, 'README.md'), '# A workspace\n');
}
