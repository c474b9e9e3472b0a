/**
 * The scratchpad in a real host with a model on loopback that records its requests: it is installed, used for thirty turns
 * and uninstalled.
 *
 *   npx tsx scripts/e2e/play.ts HOST FOLDER
 *
 * HOST is one of the names below, or droid. FOLDER has the host in it (`hosts/programs.ts`; pi and Qwen Code also need
 * `npm i node@24`). Build the package first. Nothing leaves the machine; the homes are temporary. Gemini CLI needs tmux for
 * actions that only a person in a terminal can take.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import { makeCodex } from './hosts/codex.ts';
import { makeCopilot } from './hosts/copilot.ts';
import { makeDroid } from './hosts/droid.ts';
import { type GeminiTerminal, makeGeminiCli } from './hosts/gemini-cli.ts';
import { openCode } from './hosts/opencode.ts';
import { makePi } from './hosts/pi.ts';
import { findProgram } from './hosts/programs.ts';
import { makeQwenCode } from './hosts/qwen-code.ts';
import { findDifference } from './requests.ts';
import { fillContext, type Host, tellStory } from './story.ts';

interface Player {
  /** The file or folder that the installation makes in the workspace. */
  installed: string;
  /** Begins a conversation, after the installation. */
  begin(bench: Bench): Host | Promise<Host>;
}

const PLAYERS: Readonly<Record<string, Player>> = {
  codex: { installed: '.codex/hooks.json', begin: inCodex },
  copilot: { installed: '.github', begin: inCopilot },
  'gemini-cli': { installed: '.gemini/settings.json', begin: inGeminiCli },
  kilo: { installed: '.kilo/plugins', begin: (bench) => inOpenCode(bench, 'kilo') },
  opencode: { installed: '.opencode/plugins', begin: (bench) => inOpenCode(bench, 'opencode') },
  pi: { installed: '.pi/extensions', begin: inPi },
  'qwen-code': { installed: '.qwen/settings.json', begin: inQwenCode },
};

const [, , name = '', cache] = process.argv;
const player = PLAYERS[name];
if (name === 'droid') await Bench.runStory(name, playDroid);
else if (player) await Bench.runStory(name, (bench) => play(bench, player));
else throw new Error(`one of ${Object.keys(PLAYERS).join(', ')}, droid`);

async function play(bench: Bench, { installed, begin }: Player): Promise<void> {
  bench.makeRepository();
  bench.addToPath(name === 'codex' ? { codex: findProgram(cache, name) } : {});
  bench.scratchpad('init');
  bench.scratchpad('install', name, '--yes');
  await tellStory(bench, await begin(bench));
  bench.noteHooks();
  bench.scratchpad('uninstall', name, '--yes');
  bench.expect('uninstalled: nothing of ours is left', !existsSync(join(bench.workspace, installed)));
}

/** Turns of a host of which each run is one; all but the first continue. */
function takeTurns(
  run: (args: readonly string[]) => Promise<string>,
  continued: readonly string[],
  words: readonly string[] = [],
): Pick<Host, 'say' | 'clear'> {
  let isNew = true;
  return {
    async say(text) {
      const before = isNew ? [] : continued;
      isNew = false;
      return run([...before, ...words, text]);
    },
    async clear() {
      isNew = true;
    },
  };
}

function inCodex(bench: Bench): Host {
  const { run, rewind } = makeCodex(bench, cache, {
    keys: 'model_context_window = 20000\nmodel_auto_compact_token_limit = 15000',
  });
  const turns = takeTurns(run, ['resume', '--last']);
  return {
    ...turns,
    command: (cmd) => ({ name: 'exec_command', input: { cmd, yield_time_ms: 10_000 } }),
    rewind,
    compact: () => fillContext(bench, turns, 16_000),
    isSummary: ({ text }) => text.includes('CONTEXT CHECKPOINT COMPACTION'),
    passesOn: 64_000,
  };
}

function inCopilot(bench: Bench): Host {
  const isSummary = /Please create a detailed summary of the conversation/;
  // It compacts beside a turn, which it answers from a part of the conversation.
  bench.stub.isTurn = ({ text }) => !isSummary.test(text);
  const turns = takeTurns(makeCopilot(bench, cache), ['--continue'], ['-p']);
  return {
    ...turns,
    command: (command) => ({ name: 'bash', input: { command, description: 'run it' } }),
    async compact() {
      await fillContext(bench, turns, 55_000);
      await turns.say('read on');
    },
    isSummary: ({ text }) => isSummary.test(text),
    shortens: true,
  };
}

function inQwenCode(bench: Bench): Host {
  const isSummary = /component that summarizes a conversation/;
  bench.stub.isTurn = ({ body, text }) =>
    JSON.stringify(body.tools ?? '').includes('"agent"') && !isSummary.test(text);
  const { say, restart } = makeQwenCode(bench, cache);
  return {
    say,
    command: (command) => ({ name: 'run_shell_command', input: { command, is_background: false } }),
    resume: restart,
    resumes: { startsAnew: true, dropsReminders: true },
    async compact() {
      bench.stub.aside = '<state_snapshot>The pool leaks.</state_snapshot>';
      // It compresses only what is long.
      await fillContext(bench, { say }, 1000);
      await say('/compress');
    },
    clear: () => say('/clear'),
    isSummary: ({ text }) => isSummary.test(text),
    shortens: true,
  };
}

function inGeminiCli(bench: Bench): Host {
  // The context of the model has a million tokens: compression begins at 20,000.
  const gemini = makeGeminiCli(bench, cache, { model: { compressionThreshold: 0.02 } });
  const turns = takeTurns(gemini.run, ['--resume', 'latest'], ['-p']);
  let terminal: GeminiTerminal | undefined;
  let last = '';
  const say = async (words: string): Promise<unknown> => {
    last = words;
    return terminal ? terminal.say(words) : turns.say(words);
  };
  /** From here on, a person in a terminal continues. */
  const openTerminal = async (): Promise<GeminiTerminal> => {
    if (terminal === undefined) {
      terminal = gemini.open(['--resume', 'latest']);
      await terminal.ready(last);
    }
    return terminal;
  };
  return {
    say,
    command: (command) => ({ name: 'run_shell_command', input: { command } }),
    compact: () => fillContext(bench, { say }, 30_000),
    resume: openTerminal,
    differsInTerminal: true,
    rewind: async () => (await openTerminal()).rewind(),
    clear: async () => (await openTerminal()).clear(),
    // Each run begins with the current state of the folder.
    startsAnew: true,
    repeatsResults: true,
    isSummary: ({ text }) => text.includes('generate the updated <state_snapshot>'),
  };
}

async function inOpenCode(bench: Bench, host: 'opencode' | 'kilo'): Promise<Host> {
  let started = await openCode(bench, cache, host);
  let session = await started.begin();
  return {
    say: (words) => started.say(session, words),
    command: (command) => ({ name: 'bash', input: { command, description: 'run it' } }),
    async compact() {
      bench.stub.reply = () => ({ text: 'Summary: the pool leaks.' });
      await started.compact(session);
    },
    isSummary: ({ body, text }) => !body.tools && /summar/i.test(text),
    rewind: () => started.revert(session),
    async clear() {
      await started.stop();
      started = await openCode(bench, cache, host);
      session = await started.begin();
    },
    keepsPlan: true,
  };
}

function inPi(bench: Bench): Host {
  const turns = takeTurns(makePi(bench, cache), ['--continue'], ['-p']);
  return {
    ...turns,
    command: (command) => ({ name: 'bash', input: { command } }),
    compact: () => fillContext(bench, turns, 199_000),
    isSummary: ({ body, text }) => !body.tools && /summar/i.test(text),
  };
}

/** `droid exec` reports no prompts: the start of a run tells what is new. */
async function playDroid(bench: Bench): Promise<void> {
  const run = makeDroid(bench, cache);
  const path = join(bench.home, '.factory/settings.json');
  const before = readFileSync(path, 'utf8');
  bench.addToPath();
  bench.scratchpad('init');
  bench.scratchpad('install', 'droid', '--scope', 'user', '--yes');
  bench.scratchpad('plan', 'set', '1. Find the leak\n2. Write the test');
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
  bench.expectOnce('a start: the request holds the plan, once', 'Find the leak');
  const found = findDifference(bench.stub.turns(), {}, 2);
  bench.expect('the requests share their beginning, byte for byte', found === undefined, found);
  bench.scratchpad('notes', 'append', 'release() is skipped on timeout');
  await run(['look again']);
  bench.expectOnce('the next run: plan and note, once', 'release() is skipped', 'Find the leak');
  bench.note('going on: skipped, because Droid asks its own service for the session');
  bench.noteHooks();
  bench.scratchpad('uninstall', 'droid', '--scope', 'user', '--yes');
  bench.expect('uninstalled: byte for byte as before', readFileSync(path, 'utf8') === before);
}
