/**
 * First use in real hosts: `install` in an empty home, then a model that makes the calls that it is told about, in
 * the host's default permission mode. Every call must succeed. Codex may query its model before it has our tools;
 * until they are listed, the stub uses the commands that it is told about, as a model would.
 *
 *   npx tsx scripts/e2e/first-use.ts FOLDER [--packed] [HOST…]
 *
 * FOLDER has the hosts in it (`hosts/programs.ts`). Build the package first; with `--packed` it is packed and
 * installed as a person would get it. Nothing leaves the machine; the homes are
 * temporary.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench, usePacked } from './bench.ts';
import { claudeCode } from './hosts/claude-code.ts';
import { codex } from './hosts/codex.ts';
import { geminiCli } from './hosts/gemini-cli.ts';
import { openClaw, turn } from './hosts/openclaw.ts';
import type { Reply } from './model-stub.ts';

const [, , cache, ...words] = process.argv;
const asked = words.filter((word) => word !== '--packed');
if (words.includes('--packed')) usePacked();
type Call = NonNullable<Reply['tool']>;

interface Host {
  /** One run in the default permission mode. */
  run(bench: Bench): () => Promise<unknown>;
  /** A call of our tool, as a model in this host makes it. */
  tool(name: string, input: object): Call;
  /** A call of our command; none where the model is only told about tools. */
  command?(line: string): Call;
  /** Whether a request may come before our tools are in it. */
  late?: true;
}

const HOSTS: Readonly<Record<string, Host>> = {
  'claude-code': {
    run: (bench) => {
      const run = claudeCode(bench, cache);
      return () => run(['--permission-mode', 'default', 'begin']);
    },
    tool: (name, input) => ({ name: `mcp__scratchpad__${name}`, input }),
    command: (command) => ({ name: 'Bash', input: { command } }),
  },
  codex: {
    run: (bench) => {
      const { run } = codex(bench, cache, { sandbox: 'workspace-write' });
      return () => run(['begin']);
    },
    tool: (name, input) => ({ name, namespace: 'mcp__scratchpad', input }),
    command: (cmd) => ({ name: 'exec_command', input: { cmd } }),
    late: true,
  },
  'gemini-cli': {
    run: (bench) => {
      const { run } = geminiCli(bench, cache, {}, []);
      return () => run(['-p', 'begin']);
    },
    tool: (name, input) => ({ name: `mcp_scratchpad_${name.replace('_', '.')}`, input }),
  },
  openclaw: {
    run: (bench) => {
      const { run } = openClaw(bench, cache);
      return () => run(turn('begin'));
    },
    tool: (name, input) => ({ name, input }),
  },
};

for (const [name, host] of Object.entries(HOSTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  await Bench.with(`first-${name}`, async (bench) => {
    bench.onPath();
    const run = host.run(bench);
    bench.scratchpad('init');
    bench.scratchpad('install', name, '--yes');
    const todo: { input?: object; line: string }[] = [
      { input: { action: 'set_plan', content: '1. Find the leak' }, line: 'plan set "1. Find the leak"' },
      { input: { action: 'append_notes', content: 'by the tool' }, line: 'notes append "by the tool"' },
      { input: { action: 'refs.add', ref: 'src/pool.ts' }, line: 'refs add src/pool.ts' },
      ...(host.command ? [{ line: 'notes append "by the command"' }] : []),
    ];
    const calls = todo.length;
    let early = 0;
    bench.stub.reply = ({ body }) => {
      const next = body.tools === undefined ? undefined : todo.shift();
      if (next === undefined) return { text: 'Done.' };
      const missing = host.late && !JSON.stringify(body.tools).includes('session_scratchpad');
      if (next.input !== undefined && missing) early += 1;
      return next.input === undefined || missing
        ? { tool: host.command?.(`scratchpad ${next.line}`) }
        : { tool: host.tool('session_scratchpad', next.input) };
    };
    await run();
    const first = JSON.stringify(bench.stub.turns()[0]?.body);
    bench.expect(`${name}: an empty pad says how it is written`, first.includes('The scratchpad is empty.'));
    const pad = readFileSync(join(bench.workspace, 'SCRATCHPAD.md'), 'utf8');
    for (const text of ['1. Find the leak', 'by the tool', '- src/pool.ts'])
      bench.expect(`${name}: written by the tool: ${text}`, pad.includes(text));
    if (host.command) bench.expect(`${name}: written by the command`, pad.includes('by the command'));
    const answers = JSON.stringify(bench.lastTurnBody()).match(
      /"(?:output|functionResponse|tool_result)":.{0,300}/g,
    );
    const names = first.match(/"[\w.]*session[._]scratchpad"/g);
    if (process.env.SHOW) bench.note([...(names ?? []), ...(answers ?? [])].join('\n'));
    bench.note(`${calls - todo.length} of ${calls} calls were made, ${early} before our tools were listed`);
  });
}
