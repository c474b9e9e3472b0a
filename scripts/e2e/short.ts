/**
 * Short stories in real hosts, with a model on loopback:
 *
 *   first     first use: `install` in an empty home, then a model that makes the calls that it is told about, in the
 *             host's default permission mode. Every call must succeed. Codex may query its model before it has our
 *             tools; until they are listed, the model uses the commands that it is told about.
 *   once      a run that answers one question and ends, in a workspace with the plan of another task: the model is
 *             told of it in one line, and gets the plan if the question is about it.
 *   settings  settings that a team commits, cloned to another path: the host runs undisturbed where the package is
 *             missing, and with the plan where it is on the PATH.
 *
 *   npx tsx scripts/e2e/short.ts FOLDER [--packed] [STORY|HOST…]
 *
 * FOLDER has the hosts in it (`hosts/programs.ts`). Build the package first; with `--packed` it is packed and installed
 * as a person would get it. Nothing leaves the machine; the homes are temporary.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench, BIN, usePacked } from './bench.ts';
import { HOSTS, type Host } from './hosts/index.ts';

const [, , cache, ...words] = process.argv;
const STORIES: Readonly<Record<string, (bench: Bench, name: string) => Promise<void>>> = {
  first,
  once,
  settings,
};
const hostIn = (bench: Bench, name: string, careful = false): Host => {
  const host = HOSTS[name]?.(bench, cache, careful);
  if (host === undefined) throw new Error(`one of ${Object.keys(HOSTS).join(', ')}`);
  return host;
};
if (words.includes('--packed')) usePacked();
for (const [story, tell] of Object.entries(STORIES)) {
  if (words.some((word) => word in STORIES) && !words.includes(story)) continue;
  for (const name of Object.keys(HOSTS)) {
    if (words.some((word) => word in HOSTS) && !words.includes(name)) continue;
    // Its settings cannot be committed, and it keeps its sessions.
    if (story !== 'first' && name === 'openclaw') continue;
    await Bench.with(`${story}-${name}`, async (bench) => {
      bench.note(`${story}, ${name}`);
      await tell(bench, name);
    });
  }
}

async function first(bench: Bench, name: string): Promise<void> {
  bench.onPath();
  const host = hostIn(bench, name, true);
  bench.scratchpad('init');
  bench.scratchpad('install', name, '--yes');
  const todo: { input?: object; line: string }[] = [
    { input: { action: 'set_plan', content: '1. Find the leak' }, line: 'plan set "1. Find the leak"' },
    { input: { action: 'append_notes', content: 'by the tool' }, line: 'notes append "by the tool"' },
    { input: { action: 'refs.add', ref: 'src/pool.ts' }, line: 'refs add src/pool.ts' },
    ...(host.byTool ? [] : [{ line: 'notes append "by the command"' }]),
  ];
  bench.stub.reply = ({ body }) => {
    const next = body.tools === undefined ? undefined : todo.shift();
    if (next === undefined) return { text: 'Done.' };
    const missing = host.late && !JSON.stringify(body.tools).includes('session_scratchpad');
    const isTool = next.input !== undefined && !missing;
    return { tool: isTool ? host.tool(next.input ?? {}) : host.command(`scratchpad ${next.line}`) };
  };
  await host.begin('begin');
  const told = JSON.stringify(bench.stub.turns()[0]?.body);
  bench.expect('an empty pad says how it is written', told.includes('The scratchpad is empty.'));
  const pad = readFileSync(join(bench.workspace, 'SCRATCHPAD.md'), 'utf8');
  for (const text of [
    '1. Find the leak',
    'by the tool',
    '- src/pool.ts',
    ...(host.byTool ? [] : ['by the command']),
  ])
    bench.expect(`written: ${text}`, pad.includes(text));
  bench.expect('every call was made', todo.length === 0, `${todo.length} were left`);
}

async function once(bench: Bench, name: string): Promise<void> {
  bench.scratchpad('install', name, '--yes');
  const before = new Date(Date.now() - 2 * 3_600_000).toISOString();
  bench.scratchpad('plan', 'set', '1. Teach the parser fractions', '--now', before);
  const { begin } = hostIn(bench, name);
  await begin('what does foo do?');
  bench.expect('another question: no step of the plan', !bench.lastTurn().includes('1. Teach the parser'));
  bench.sees('but that there is one', ['There is a plan']);
  await begin('continue with the plan');
  bench.sees('a question about the plan: the plan', ['Teach the parser fractions']);
}

async function settings(bench: Bench, name: string): Promise<void> {
  const git = (cwd: string, ...args: string[]): string => {
    const person = ['-c', 'user.name=Sam', '-c', 'user.email=sam@example.com'];
    return execFileSync('git', [...person, ...args], { cwd, encoding: 'utf8' });
  };
  const [origin, home] = [join(bench.dir, 'origin'), join(bench.dir, 'colleague')];
  mkdirSync(origin);
  mkdirSync(home);
  git(origin, 'init', '-q', '-b', 'main');
  const installed = spawnSync(process.execPath, [BIN, 'install', name, '--scope', 'project', '--yes'], {
    cwd: origin,
    env: { PATH: process.env.PATH, HOME: home },
    encoding: 'utf8',
  });
  bench.expect('install --scope project', installed.status === 0, installed.stderr);
  git(origin, 'add', '-A');
  git(origin, 'commit', '-q', '-m', 'settings');
  const here = `${origin}|${process.execPath}|${join(BIN, '../..')}`;
  const paths = spawnSync('git', ['grep', '-nE', here], { cwd: origin, encoding: 'utf8' }).stdout;
  bench.expect('no path of this machine is in a committed file', paths === '', paths);
  git(bench.dir, 'clone', '-q', origin, 'workspace');
  const { begin } = hostIn(bench, name);
  await begin('what does foo do?');
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
  await begin('what does foo do?');
  bench.sees('with the package on the PATH the model sees the plan', ['Find the leak']);
  const changed = git(bench.workspace, 'status', '--porcelain');
  bench.expect('and the clone is clean', changed === '', changed);
}
