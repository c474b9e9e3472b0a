/**
 * The scratchpad as a plugin in a real OpenCode, Kilo or pi with a model on loopback that records its requests.
 *
 *   npx tsx scripts/e2e/plugins.ts HOST FOLDER
 *
 * FOLDER has the host in it (`hosts/programs.ts`; pi also needs `npm i node@24`). Build the package first. Nothing
 * leaves the machine; the homes are temporary.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import { openCode } from './hosts/opencode.ts';
import { makePi } from './hosts/pi.ts';
import { fillContext, tellStory } from './story.ts';

const [, , name = '', cache] = process.argv;

await Bench.with(name, async (bench) => {
  bench.onPath();
  bench.scratchpad('init');
  bench.scratchpad('install', name, '--yes');
  if (name === 'pi') await playPi(bench);
  else await playOpenCode(bench, name === 'kilo' ? 'kilo' : 'opencode');
  bench.hookLines();
  bench.scratchpad('uninstall', name, '--yes');
  const folder = join(bench.workspace, name === 'pi' ? '.pi/extensions' : `.${name}/plugins`);
  bench.expect('uninstalled: nothing of ours is left', !existsSync(folder));
});

async function playOpenCode(bench: Bench, host: 'opencode' | 'kilo'): Promise<void> {
  let started = await openCode(bench, cache, host);
  let session = await started.begin();
  const say = (words: string): Promise<void> => started.say(session, words);
  await tellStory(bench, {
    say,
    command: (command) => ({ name: 'bash', input: { command, description: 'run it' } }),
    compact: async () => {
      bench.stub.reply = () => ({ text: 'Summary: the pool leaks.' });
      await started.compact(session);
    },
    isSummary: ({ body, text }) => !body.tools && /summar/i.test(text),
    rewind: () => started.revert(session),
    clear: async () => {
      await started.stop();
      started = await openCode(bench, cache, host);
      session = await started.begin();
    },
    keepsPlan: true,
  });
}

async function playPi(bench: Bench): Promise<void> {
  const run = makePi(bench, cache);
  let isNew = true;
  const say = async (words: string): Promise<void> => {
    await run([...(isNew ? [] : ['--continue']), '-p', words]);
    isNew = false;
  };
  await tellStory(bench, {
    say,
    command: (command) => ({ name: 'bash', input: { command } }),
    compact: () => fillContext(bench, { say }, 199_000),
    isSummary: ({ body, text }) => !body.tools && /summar/i.test(text),
    clear: async () => {
      isNew = true;
    },
  });
}
