/**
 * The trail in the real hosts, with a model on loopback: the next session starts with what the last one left,
 * although nobody wrote it down.
 *
 *   npx tsx scripts/e2e/trail.ts FOLDER [HOST…]
 *
 * FOLDER has the hosts in it (`hosts/programs.ts` says how). Build the package first. Nothing leaves the machine; the
 * homes are temporary. In the first session the model lists its tasks, edits a file, runs a test that fails and
 * ends with a question; in the second session, in the same folder, the first request is checked.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import { claudeCode } from './hosts/claude-code.ts';
import { codex } from './hosts/codex.ts';
import { geminiCli } from './hosts/gemini-cli.ts';
import { openClaw, turn } from './hosts/openclaw.ts';
import { pi } from './hosts/pi.ts';
import type { Reply } from './model-stub.ts';

type Call = NonNullable<Reply['tool']>;

/** What this story has to know about a host. */
interface Host {
  /** Sets up the host with the scratchpad. @returns a function for one run: the first turn of a new session */
  begin(bench: Bench): Promise<(words: string) => Promise<unknown>>;
  /** The calls with which its model does the work, in order. */
  work(bench: Bench): Call[];
  /** What it shows instead of the task list, if it does not show it. */
  withoutTasks?: string;
  /** Where to look for what is carried over, if no hook can show it to the model. */
  read?(bench: Bench): string;
}

const [, , cache, ...chosen] = process.argv;

const CODE = 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n';
const OLD = 'sum + price, 0)';
const NEW = 'sum + price * 1, 0)';
const TEST = `import assert from 'node:assert/strict';
import test from 'node:test';
import { total } from '../src/cart.mjs';

test('totals are rounded to cents', () => assert.equal(total([0.1, 0.2]), 0.3));
test('an empty cart costs nothing', () => assert.equal(total([]), 0));
`;
const CHECK = 'node --test --test-reporter=tap test/cart.test.mjs';
const TASKS = ['Round the totals to cents', 'Cover three lines with a test'] as const;
const QUESTION = 'Shall I round each line, or the sum?';

const STEPS = [
  { step: TASKS[0], status: 'in_progress' },
  { step: TASKS[1], status: 'pending' },
];
const PATCH = `*** Begin Patch
*** Update File: src/cart.mjs
@@
-${CODE.trimEnd()}
+${CODE.trimEnd().replace(OLD, NEW)}
*** End Patch
`;
const EDIT = { path: 'src/cart.mjs', edits: [{ oldText: OLD, newText: NEW }] };

const HOSTS: Record<string, Host> = {
  'claude-code': {
    begin: async (bench) => {
      bench.scratchpad('install', 'claude-code', '--yes');
      const run = claudeCode(bench, cache);
      // Without a terminal its task list is off unless requested.
      return (words) => run([words], { CLAUDE_CODE_ENABLE_TASKS: '1', CLAUDE_CODE_ENABLE_TODO_TOOLS: '1' });
    },
    work: ({ workspace }) => [
      { name: 'ToolSearch', input: { query: 'select:TaskCreate,TaskUpdate' } },
      ...TASKS.map((subject) => ({
        name: 'TaskCreate',
        input: { subject, description: subject, activeForm: subject },
      })),
      { name: 'TaskUpdate', input: { taskId: '1', status: 'in_progress' } },
      { name: 'Read', input: { file_path: join(workspace, 'src/cart.mjs') } },
      {
        name: 'Edit',
        input: { file_path: join(workspace, 'src/cart.mjs'), old_string: OLD, new_string: NEW },
      },
      { name: 'Bash', input: { command: CHECK } },
    ],
  },
  codex: {
    begin: async (bench) => {
      const { run } = codex(bench, cache, { tables: '[tools.update_plan]\nenabled = true\n' });
      bench.scratchpad('install', 'codex', '--yes');
      return (words) => run([words]);
    },
    work: () => [
      { name: 'update_plan', input: { plan: STEPS } },
      { name: 'exec_command', input: { cmd: `apply_patch <<'END'\n${PATCH}END` } },
      { name: 'exec_command', input: { cmd: CHECK, yield_time_ms: 10_000 } },
    ],
  },
  'gemini-cli': {
    begin: async (bench) => {
      const gemini = geminiCli(bench, cache);
      bench.scratchpad('install', 'gemini-cli', '--yes');
      return (words) => gemini.run(['-p', words]);
    },
    work: ({ workspace }) => [
      {
        name: 'write_todos',
        input: { todos: STEPS.map(({ step, status }) => ({ description: step, status })) },
      },
      {
        name: 'replace',
        input: {
          file_path: join(workspace, 'src/cart.mjs'),
          instruction: 'Take the price as a number.',
          old_string: OLD,
          new_string: NEW,
        },
      },
      { name: 'run_shell_command', input: { command: CHECK } },
    ],
  },
  openclaw: {
    begin: async (bench) => {
      const { run } = openClaw(bench, cache);
      bench.scratchpad('init');
      bench.scratchpad('install', 'openclaw', '--yes');
      let sessions = 0;
      return (words) => run([...turn(words), '--session-id', `trail-${sessions++}`]);
    },
    work: () => [
      { name: 'tool_call', input: { id: 'openclaw:core:progress_card', args: { plan: STEPS } } },
      { name: 'edit', input: EDIT },
      { name: 'exec', input: { command: CHECK } },
    ],
  },
  pi: {
    begin: async (bench) => {
      bench.scratchpad('init');
      const run = pi(bench, cache);
      return (words) => run([words]);
    },
    work: () => [
      { name: 'edit', input: EDIT },
      { name: 'bash', input: { command: CHECK } },
    ],
    withoutTasks: 'it has no task list',
    read: (bench) => bench.scratchpad('assemble', '--dry-run'),
  },
};

for (const [name, host] of Object.entries(HOSTS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  await Bench.with(`trail-${name}`, async (bench) => {
    bench.note(`${name}:`);
    await tell(bench, host);
  });
}

async function tell(bench: Bench, host: Host): Promise<void> {
  const { stub, workspace } = bench;
  for (const [path, text] of Object.entries({ 'src/cart.mjs': CODE, 'test/cart.test.mjs': TEST })) {
    mkdirSync(join(workspace, path, '..'), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: workspace });
  git('init', '-q', '-b', 'feat/rounding');
  git('add', '.');
  git('commit', '-q', '-m', 'A cart');

  const run = await host.begin(bench);
  const calls = host.work(bench);
  stub.reply = ({ body }) => {
    if (!body.tools) return { text: 'Rounding' };
    const tool = calls.shift();
    return tool ? { tool } : { text: `The sum is off by a rounding error. ${QUESTION}` };
  };
  await run('The totals of the cart are not rounded, look into it');
  bench.expect('session 1: the model did its work', calls.length === 0, `${calls.length} calls were left`);

  stub.reply = () => ({ text: 'Understood.' });
  if (host.read === undefined) await run('hello again');
  const said = host.read?.(bench) ?? bench.lastTurn();
  const where = host.read ? 'the state that is read from its session' : 'session 2: the first request';
  const facts: [string, string, (string | undefined)?][] = [
    ['the edited file', 'cart.mjs*'],
    ['the check that failed', `\`${CHECK}\` failed`],
    ['the name of the test', 'totals are rounded to cents'],
    ['the open task', TASKS[0], host.withoutTasks],
    ['the task after it', TASKS[1], host.withoutTasks],
    ['the question that nobody answered', QUESTION],
  ];
  for (const [what, text, missing] of facts) {
    if (missing !== undefined) bench.note(`without ${what}: ${missing}`);
    else bench.expect(`${where} holds ${what}`, said.includes(text));
  }
  if (process.env.SHOW) bench.note(said.slice(Math.max(0, said.indexOf('Scratchpad') - 200)).slice(0, 3000));
}
