/**
 * The scratchpad in a real Codex, with a model on loopback that records its requests.
 *
 *   npx tsx scripts/e2e/codex.ts FOLDER
 *
 * FOLDER has `npm i @openai/codex` in it (400 MB). Build the package first. Nothing leaves the
 * machine; the home is a temporary one.
 */
import { Bench } from './bench.ts';
import { makeCodex } from './hosts/codex.ts';
import { findProgram } from './hosts/programs.ts';
import { fillContext, tellStory } from './story.ts';

await Bench.with('codex', async (bench) => {
  const { run, rewind } = makeCodex(bench, process.argv[2], {
    keys: 'model_context_window = 20000\nmodel_auto_compact_token_limit = 15000',
  });
  bench.onPath({ codex: findProgram(process.argv[2], 'codex') });
  bench.scratchpad('install', 'codex', '--yes');
  let isNew = true;
  const say = (words: string): Promise<string> => {
    const resume = isNew ? [] : ['resume', '--last'];
    isNew = false;
    return run([...resume, words]);
  };
  await tellStory(bench, {
    say,
    command: (cmd) => ({ name: 'exec_command', input: { cmd, yield_time_ms: 10_000 } }),
    rewind,
    clear: () => {
      isNew = true;
      return Promise.resolve();
    },
    compact: () => fillContext(bench, { say }, 16_000),
    isSummary: ({ text }) => text.includes('CONTEXT CHECKPOINT COMPACTION'),
    keeps: 64_000,
  });
  bench.hookLines();
});
