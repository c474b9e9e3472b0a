/**
 * The scratchpad's hooks in a real GitHub Copilot CLI, Qwen Code or Droid with a model on loopback that records its
 * requests.
 *
 *   npx tsx scripts/e2e/hooks.ts HOST FOLDER
 *
 * FOLDER has the host in it (`hosts/programs.ts`; Qwen Code also needs `npm i node@24`). Build the package first.
 * Nothing leaves the machine; the homes are temporary.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import { makeCopilot } from './hosts/copilot.ts';
import { makeDroid } from './hosts/droid.ts';
import { makeQwenCode } from './hosts/qwen-code.ts';
import type { Reply } from './model-stub.ts';
import { findDifference } from './requests.ts';
import { fillContext, type Host, tellStory } from './story.ts';

interface Driver {
  /** Begins a conversation, after the installation. */
  begin(bench: Bench): Pick<Host, 'say' | 'clear' | 'compact' | 'resume' | 'resumes'>;
  command(line: string): NonNullable<Reply['tool']>;
  isSummary: RegExp;
  /** Whether it compacts beside a turn, which it answers from a part of the conversation. */
  compactsBeside?: true;
  /** What the tools of a request for an answer have. */
  tools?: string;
  scope?: string;
  file: string;
}

const DRIVERS: Readonly<Record<string, Driver>> = {
  copilot: {
    begin: inCopilot,
    command: (command) => ({ name: 'bash', input: { command, description: 'run it' } }),
    isSummary: /Please create a detailed summary of the conversation/,
    compactsBeside: true,
    file: 'workspace/.github',
  },
  'qwen-code': {
    begin: inQwenCode,
    command: (command) => ({ name: 'run_shell_command', input: { command, is_background: false } }),
    tools: '"agent"',
    isSummary: /component that summarizes a conversation/,
    compactsBeside: true,
    file: 'workspace/.qwen/settings.json',
  },
};

const [, , name = '', cache] = process.argv;
const driver = DRIVERS[name];
if (name === 'droid') await Bench.with(name, playDroid);
else if (driver) await Bench.with(name, (bench) => playHost(bench, driver));
else throw new Error(`one of ${Object.keys(DRIVERS).join(', ')}, droid`);

async function playHost(bench: Bench, driver: Driver): Promise<void> {
  const { tools = '', isSummary, compactsBeside } = driver;
  bench.stub.isTurn = ({ body, text }) =>
    JSON.stringify(body.tools ?? '').includes(tools) && !(compactsBeside && isSummary.test(text));
  const path = join(bench.dir, driver.file);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const scope = ['--scope', driver.scope ?? 'local'];
  bench.repository();
  bench.onPath();
  bench.scratchpad('init');
  bench.scratchpad('install', name, ...scope, '--yes');
  await tellStory(bench, {
    ...driver.begin(bench),
    command: driver.command,
    isSummary: ({ body, text }) => (compactsBeside || !body.tools) && isSummary.test(text),
    shortens: true,
  });
  bench.hookLines();
  bench.scratchpad('uninstall', name, ...scope, '--yes');
  const after = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  bench.expect('uninstalled: byte for byte as before', after === before, after);
}

function inCopilot(bench: Bench): ReturnType<Driver['begin']> {
  const run = makeCopilot(bench, cache);
  let isNew = true;
  const say = async (words: string): Promise<void> => {
    await run([...(isNew ? [] : ['--continue']), '-p', words]);
    isNew = false;
  };
  return {
    say,
    async compact() {
      await fillContext(bench, { say }, 55_000);
      await say('read on');
    },
    async clear() {
      isNew = true;
    },
  };
}

function inQwenCode(bench: Bench): ReturnType<Driver['begin']> {
  const { say, restart } = makeQwenCode(bench, cache);
  return {
    say,
    resume: restart,
    resumes: { startsAnew: true, dropsReminders: true },
    async compact() {
      bench.stub.aside = '<state_snapshot>The pool leaks.</state_snapshot>';
      // It compresses only what is long.
      await fillContext(bench, { say }, 1000);
      await say('/compress');
    },
    clear: () => say('/clear'),
  };
}

/** `droid exec` reports no prompts: the start of a run tells what is new. */
async function playDroid(bench: Bench): Promise<void> {
  const run = makeDroid(bench, cache);
  const path = join(bench.home, '.factory/settings.json');
  const before = readFileSync(path, 'utf8');
  bench.onPath();
  bench.scratchpad('init');
  bench.scratchpad('install', 'droid', '--scope', 'user', '--yes');
  bench.scratchpad('plan', 'set', '1. Find the leak\n2. Write the test');
  const count = (text: string): number => bench.lastTurn().split(text).length - 1;
  bench.stub.reply = ({ text }) =>
    text.includes('"role":"tool"') || text.includes('tool_result')
      ? { text: 'Done.' }
      : {
          tool: {
            name: 'Execute',
            input: {
              command: 'true',
              summary: 'run it',
              timeout: 60,
              riskLevel: 'low',
              riskLevelReason: 'safe',
            },
          },
        };
  await run(['look at the pool']);
  bench.expect('a start: the request holds the plan, once', count('Find the leak') === 1);
  const found = findDifference(bench.stub.turns(), {}, 2);
  bench.expect('the requests share their beginning, byte for byte', found === undefined, found);
  bench.scratchpad('notes', 'append', 'release() is skipped on timeout');
  await run(['look again']);
  bench.expect(
    'the next run: plan and note, once',
    count('release() is skipped') === 1 && count('Find the leak') === 1,
    bench.lastTurn().slice(-2000),
  );
  bench.note('going on: skipped, because Droid asks its own service for the session');
  bench.hookLines();
  bench.scratchpad('uninstall', 'droid', '--scope', 'user', '--yes');
  bench.expect('uninstalled: byte for byte as before', readFileSync(path, 'utf8') === before);
}
