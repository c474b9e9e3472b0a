/**
 * The scratchpad in a real Gemini CLI, against a model on loopback that records what it is sent.
 *
 *   npx tsx scripts/e2e/gemini-cli.ts FOLDER
 *
 * FOLDER has `npm i @google/gemini-cli` in it (100 MB). Build the package first. Nothing leaves
 * the machine; the home is a temporary one.
 */
import { Bench } from './bench.ts';
import { geminiCli } from './hosts/gemini-cli.ts';
import { fillContext, tellStory } from './story.ts';

const REVIEW = '[Hint: The conversation was compacted;';

await Bench.with('gemini-cli', async (bench) => {
  // The context of the model has a million tokens: compression begins at 20,000.
  const run = geminiCli(bench, process.argv[2], { model: { compressionThreshold: 0.02 } });
  bench.scratchpad('install', 'gemini-cli', '--yes');
  bench.scratchpad('config', 'set', 'nudgeAfterCompaction', '1');
  let turns = 0;
  let hints = 0;
  const say = async (words: string): Promise<void> => {
    await run([...(turns++ === 0 ? [] : ['--resume', 'latest']), '-p', words]);
    if (bench.lastTurn().includes(REVIEW)) hints += 1;
  };
  await tellStory(bench, {
    say,
    command: (command) => ({ name: 'run_shell_command', input: { command } }),
    compact: () => fillContext(bench, { say }, 30_000),
    isSummary: ({ text }) => text.includes('generate the updated <state_snapshot>'),
  });
  bench.expect('no review hint while nothing was compressed', hints === 0);
  bench.hookLines();
});
