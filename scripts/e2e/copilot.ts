/**
 * The scratchpad beside a real GitHub Copilot CLI with a model on loopback: it reads the settings of Claude Code, too,
 * and runs the hooks in them.
 *
 *   npx tsx scripts/e2e/copilot.ts FOLDER
 *
 * FOLDER has `npm i @github/copilot` in it (200 MB). Build the package first. Nothing leaves the machine; the homes are
 * temporary.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import { makeCopilot } from './hosts/copilot.ts';

const [, , cache] = process.argv;

for (const [scope, file] of [
  ['local', 'settings.local.json'],
  ['project', 'settings.json'],
] as const)
  await Bench.runStory(`copilot-${scope}`, async (bench) => {
    const run = makeCopilot(bench, cache);
    const ran = join(bench.dir, 'own-hook');
    const command = `echo ran >> '${ran}'`;
    mkdirSync(join(bench.workspace, '.claude'));
    const path = join(bench.workspace, '.claude', file);
    const theirs = `${JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } }, null, 2)}\n`;
    writeFileSync(path, theirs);
    bench.makeRepository();
    bench.addToPath();
    bench.scratchpad('install', 'claude-code', '--hooks', '--scope', scope, '--yes');
    bench.scratchpad('plan', 'set', '1. Find the leak');
    await run(['-p', 'hello']);
    bench.expect(`beside Claude Code's hooks (${scope}): the person's own hook runs`, existsSync(ran));
    bench.expect('and nothing is warned of', !/warn|invalid|reject|error/i.test(bench.output), bench.output);
    bench.scratchpad('uninstall', 'claude-code', '--scope', scope, '--yes');
    bench.expect('uninstalled, the settings are as before', readFileSync(path, 'utf8') === theirs);
  });
