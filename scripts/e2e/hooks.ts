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
import { copilot } from './hosts/copilot.ts';
import { droid } from './hosts/droid.ts';
import { qwenCode } from './hosts/qwen-code.ts';
import type { Reply } from './model-stub.ts';
import { fillContext, tellStory } from './story.ts';

interface Driver {
  start(bench: Bench): (args: readonly string[]) => Promise<string>;
  /** The arguments of one turn. */
  turn(words: string, isNew: boolean): string[];
  command(line: string): NonNullable<Reply['tool']>;
  /** More than the model's context holds. */
  full: number;
  isSummary: RegExp;
  stampsTime?: true;
  scope?: string;
  file: string;
}

const DRIVERS: Readonly<Record<string, Driver>> = {
  copilot: {
    start: (bench) => copilot(bench, cache),
    turn: (words, isNew) => [...(isNew ? [] : ['--continue']), '-p', words],
    command: (command) => ({ name: 'bash', input: { command, description: 'run it' } }),
    full: 127_000,
    isSummary: /<overview>/,
    stampsTime: true,
    file: 'workspace/.github',
  },
  'qwen-code': {
    start: (bench) => qwenCode(bench, cache),
    turn: (words, isNew) => [...(isNew ? [] : ['--continue']), '-p', words],
    command: (command) => ({ name: 'run_shell_command', input: { command, is_background: false } }),
    full: 150_000,
    isSummary: /state_snapshot|summar/,
    file: 'workspace/.qwen/settings.json',
  },
  droid: {
    start: (bench) => droid(bench, cache),
    turn: (words, isNew) => [...(isNew ? [] : ['--continue']), words],
    command: (command) => ({
      name: 'Execute',
      input: { command, summary: 'run it', timeout: 60, riskLevel: 'low', riskLevelReason: 'safe' },
    }),
    full: 190_000,
    isSummary: /summary/i,
    scope: 'user',
    file: 'home/.factory/settings.json',
  },
};

const [, , name = '', cache] = process.argv;
const driver = DRIVERS[name];
if (driver === undefined) throw new Error(`one of ${Object.keys(DRIVERS).join(', ')}`);

await Bench.with(name, async (bench) => {
  const run = driver.start(bench);
  const path = join(bench.dir, driver.file);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const scope = ['--scope', driver.scope ?? 'local'];
  bench.onPath();
  bench.scratchpad('init');
  bench.scratchpad('install', name, ...scope, '--yes');
  let isNew = true;
  const say = async (words: string): Promise<void> => {
    await run(driver.turn(words, isNew));
    isNew = false;
  };
  await tellStory(bench, {
    say,
    command: driver.command,
    compact: () => fillContext(bench, { say }, driver.full),
    isSummary: ({ body, text }) => !body.tools && driver.isSummary.test(text),
    ...(driver.stampsTime ? { stampsTime: true } : {}),
    ...{ shortens: true, hasOtherDates: true },
    clear: async () => {
      isNew = true;
    },
  });
  bench.hookLines();
  bench.scratchpad('uninstall', name, ...scope, '--yes');
  const after = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  bench.expect('uninstalled: byte for byte as before', after === before, after);
});
