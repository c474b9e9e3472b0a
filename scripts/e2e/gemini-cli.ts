/**
 * The scratchpad in a real Gemini CLI, with a model on loopback that records its requests.
 *
 *   npx tsx scripts/e2e/gemini-cli.ts FOLDER
 *
 * FOLDER has `npm i @google/gemini-cli` in it (100 MB). Build the package first. Nothing leaves
 * the machine; the home is a temporary one. It needs tmux for actions that only a person in a terminal can take.
 */
import { Bench } from './bench.ts';
import { type GeminiTerminal, makeGeminiCli } from './hosts/gemini-cli.ts';
import { fillContext, tellStory } from './story.ts';

await Bench.with('gemini-cli', async (bench) => {
  // The context of the model has a million tokens: compression begins at 20,000.
  const gemini = makeGeminiCli(bench, process.argv[2], { model: { compressionThreshold: 0.02 } });
  bench.scratchpad('install', 'gemini-cli', '--yes');
  bench.onPath();
  let turns = 0;
  let terminal: GeminiTerminal | undefined;
  let last = '';
  const say = async (words: string): Promise<void> => {
    last = words;
    if (terminal) return terminal.say(words);
    await gemini.run([...(turns++ === 0 ? [] : ['--resume', 'latest']), '-p', words]);
  };
  /** From here on, a person in a terminal continues. */
  const openTerminal = async (): Promise<GeminiTerminal> => {
    if (terminal === undefined) {
      terminal = gemini.open(['--resume', 'latest']);
      await terminal.ready(last);
    }
    return terminal;
  };
  await tellStory(bench, {
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
  });
  bench.hookLines();
});
