/**
 * Settings that a team commits: `install --scope project`, committed and cloned to another path. In the clone the
 * host must run undisturbed where the package is missing, and with the plan where it is on the PATH.
 *
 *   npx tsx scripts/e2e/shared-settings.ts FOLDER [HOST…]
 *
 * FOLDER has the hosts in it (`hosts/programs.ts`). Build the package first. Nothing leaves the machine; the homes are
 * temporary.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Bench, BIN } from './bench.ts';
import { asksOnce } from './hosts/once.ts';

const [, , cache, ...asked] = process.argv;

function git(cwd: string, ...args: string[]): string {
  const person = ['-c', 'user.name=Sam', '-c', 'user.email=sam@example.com'];
  return execFileSync('git', [...person, ...args], { cwd, encoding: 'utf8' });
}

for (const [host, hostIn] of Object.entries(asksOnce(cache, ['--verbose']))) {
  if (asked.length > 0 && !asked.includes(host)) continue;
  await Bench.with(host, async (bench) => {
    bench.note(host);
    const origin = join(bench.dir, 'origin');
    mkdirSync(origin);
    git(origin, 'init', '-q', '-b', 'main');
    const home = join(bench.dir, 'colleague');
    mkdirSync(home);
    const installed = spawnSync(process.execPath, [BIN, 'install', host, '--scope', 'project', '--yes'], {
      cwd: origin,
      env: { PATH: process.env.PATH, HOME: home },
      encoding: 'utf8',
    });
    bench.expect('install --scope project', installed.status === 0, installed.stderr);
    git(origin, 'add', '-A');
    git(origin, 'commit', '-q', '-m', 'settings');
    const files = git(origin, 'ls-files').trim().split('\n');
    bench.note(`committed: ${files.join(' ')}`);
    const paths = spawnSync('git', ['grep', '-nE', `${origin}|${process.execPath}|${join(BIN, '../..')}`], {
      cwd: origin,
      encoding: 'utf8',
    }).stdout;
    bench.expect('no path of this machine is in a committed file', paths === '', paths);
    git(bench.dir, 'clone', '-q', origin, 'workspace');
    const say = hostIn(bench);
    await say('what does foo do?');
    // The folders here contain the name in their own names.
    const ours = (text: string): string =>
      text
        .split('\n')
        .filter((line) => /scratchpad(?!-e2e)/i.test(line))
        .join('\n');
    bench.expect('without the package the host runs', bench.stub.turns().length > 0);
    // Gemini CLI itself names the hooks of a project.
    const printed = bench.said.replace(/^WARNING: The following project-level hooks[\s\S]*?^$/m, '');
    bench.expect('and neither says anything of it', ours(printed) === '', printed);
    bench.expect('nor does the model hear of it', ours(bench.lastTurn()) === '', ours(bench.lastTurn()));
    bench.onPath();
    bench.scratchpad('init');
    bench.scratchpad('plan', 'set', '1. Find the leak');
    await say('what does foo do?');
    bench.sees('with the package on the PATH the model sees the plan', ['Find the leak']);
    bench.expect(
      'and the clone is clean',
      git(bench.workspace, 'status', '--porcelain') === '',
      git(bench.workspace, 'status', '--porcelain'),
    );
  });
}
