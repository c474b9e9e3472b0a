/**
 * The scratchpad in a real Gemini CLI, with a model on loopback that records its requests.
 *
 *   npx tsx scripts/e2e/gemini-cli.ts FOLDER
 *
 * FOLDER has `npm i @google/gemini-cli` in it (100 MB). Build the package first. Nothing leaves
 * the machine; the home is a temporary one. It needs tmux for actions that only a person in a terminal can take.
 */
import { Bench } from './bench.ts';
import { type GeminiTerminal, geminiCli } from './hosts/gemini-cli.ts';
import { fillContext, tellStory } from './story.ts';

const REVIEW = '[Hint: The conversation was compacted;';

await Bench.with('gemini-cli', async (bench) => {
  // The context of the model has a million tokens: compression begins at 20,000.
  const gemini = geminiCli(bench, process.argv[2], { model: { compressionThreshold: 0.02 } });
  bench.scratchpad('install', 'gemini-cli', '--yes');
  bench.scratchpad('config', 'set', 'nudgeAfterCompaction', '1');
  bench.onPath();
  let turns = 0;
  let hints = 0;
  let compacted = false;
  let terminal: GeminiTerminal | undefined;
  let last = '';
  const say = async (words: string): Promise<void> => {
    last = words;
    if (terminal) return terminal.say(words);
    await gemini.run([...(turns++ === 0 ? [] : ['--resume', 'latest']), '-p', words]);
    if (!compacted && bench.lastTurn().includes(REVIEW)) hints += 1;
  };
  /** From here on, a person in a terminal continues. */
  const opened = async (): Promise<GeminiTerminal> => {
    if (terminal === undefined) {
      terminal = gemini.open(['--resume', 'latest']);
      await terminal.ready(last);
    }
    return terminal;
  };
  await tellStory(bench, {
    say,
    command: (command) => ({ name: 'run_shell_command', input: { command } }),
    compact: async () => {
      await fillContext(bench, { say }, 30_000);
      compacted = true;
    },
    resume: opened,
    differsInTerminal: true,
    rewind: async () => (await opened()).rewind(),
    clear: async () => (await opened()).clear(),
    // Each run begins with the current state of the folder.
    startsAnew: true,
    repeatsResults: true,
    isSummary: ({ text }) => text.includes('generate the updated <state_snapshot>'),
  });
  bench.expect('no review hint while nothing was compressed', hints === 0);
  await compressed(bench, await opened());
  bench.hookLines();
});

/** A person compresses the conversation; then the agent is told to look at its scratchpad. */
async function compressed(bench: Bench, terminal: GeminiTerminal): Promise<void> {
  const { stub } = bench;
  // With less text there would be nothing to compress.
  const long = Array.from({ length: 800 }, (_, k) => `${k} ${(k * 7919).toString(36)}`).join(' ');
  stub.reply = () => ({ text: `Read: ${long}`, inputTokens: 9000 });
  await terminal.say('the pool leaks, look at it');
  stub.reply = () => ({ text: '<state_snapshot>the pool leaks</state_snapshot>', inputTokens: 50 });
  await terminal.compress();
  await terminal.say('go on');
  bench.sees('compressed in a terminal: the next request asks to review the scratchpad', [REVIEW]);
  await terminal.say('and on');
  bench.expect('and the one after it does not ask again', bench.lastTurn().split(REVIEW).length <= 2);
}
