/**
 * The scratchpad in a real Gemini CLI, against a model on loopback that records what it is sent.
 *
 *   npx tsx scripts/e2e/gemini-cli.ts FOLDER
 *
 * FOLDER has `npm i @google/gemini-cli` in it (100 MB). Build the package first. Nothing leaves
 * the machine; the home is a temporary one. Where tmux is, a person in a terminal is tried, too.
 */
import { Bench } from './bench.ts';
import { geminiCli } from './hosts/gemini-cli.ts';
import { fillContext, tellStory } from './story.ts';
import { Terminal } from './terminal.ts';

const REVIEW = '[Hint: The conversation was compacted;';

await Bench.with('gemini-cli', async (bench) => {
  // The context of the model has a million tokens: compression begins at 20,000.
  const gemini = geminiCli(bench, process.argv[2], { model: { compressionThreshold: 0.02 } });
  bench.scratchpad('install', 'gemini-cli', '--yes');
  bench.scratchpad('config', 'set', 'nudgeAfterCompaction', '1');
  let turns = 0;
  let hints = 0;
  let compacted = false;
  const say = async (words: string): Promise<void> => {
    await gemini.run([...(turns++ === 0 ? [] : ['--resume', 'latest']), '-p', words]);
    if (!compacted && bench.lastTurn().includes(REVIEW)) hints += 1;
  };
  await tellStory(bench, {
    say,
    command: (command) => ({ name: 'run_shell_command', input: { command } }),
    compact: async () => {
      await fillContext(bench, { say }, 30_000);
      compacted = true;
    },
    // Each run begins with the folder as it is then.
    startsAnew: true,
    isSummary: ({ text }) => text.includes('generate the updated <state_snapshot>'),
  });
  bench.expect('no review hint while nothing was compressed', hints === 0);
  if (Terminal.isThere()) await compressInTerminal(bench, gemini.open());
  else bench.note('without tmux: a compression in a terminal was not tried');
  bench.hookLines();
});

/** A person has the conversation compressed: the agent is to look at its scratchpad then. */
async function compressInTerminal(bench: Bench, terminal: Terminal): Promise<void> {
  const { stub } = bench;
  const turn = async (words: string): Promise<void> => {
    const before = stub.turns().length;
    await terminal.type(words);
    await terminal.until('a request for an answer', () => stub.turns().length > before);
    await terminal.until('the end of the answer', (screen) => !/esc to cancel/.test(screen));
  };
  await terminal.until('a prompt', (screen) => screen.includes('Type your message'));
  // Of less there is nothing to compress.
  const long = Array.from({ length: 800 }, (_, k) => `${k} ${(k * 7919).toString(36)}`).join(' ');
  stub.reply = () => ({ text: `Read: ${long}`, inputTokens: 9000 });
  await turn('the pool leaks, look at it');
  stub.reply = () => ({ text: '<state_snapshot>the pool leaks</state_snapshot>', inputTokens: 50 });
  await terminal.type('/compress');
  await terminal.until('a compression', (screen) => screen.includes('history compressed'));
  await turn('go on');
  bench.sees('compressed in a terminal: the next request asks to review the scratchpad', [REVIEW]);
  await turn('and on');
  bench.expect('and the one after it does not ask again', bench.lastTurn().split(REVIEW).length <= 2);
}
