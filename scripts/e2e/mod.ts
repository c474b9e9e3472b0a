/**
 * The mod of our plugin in a real Claude Code, with a model on loopback: installed by one command, two sessions, a fork, a
 * killed server, mods that may not run, and a mod that fails.
 *
 *   npx tsx scripts/e2e/mod.ts FOLDER
 *
 * FOLDER has `npm i @anthropic-ai/claude-code` in it. Build the package first. Nothing leaves the machine.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRecord } from '../../src/hosts/session-memory.ts';
import { Bench } from './bench.ts';
import { beginClaude, copyPlugin } from './hosts/claude-code.ts';
import { findProgram } from './hosts/programs.ts';

const [, , cache] = process.argv;
const PAD = '[Session Scratchpad - your';
const NOTE = 'release() is skipped on timeout';

await Bench.runStory('mod', async (bench) => {
  bench.addToPath({ claude: findProgram(cache, 'claude-code') });
  furnish(bench);
  bench.scratchpad('install', 'claude-code', '--yes');
  const say = beginClaude(bench, cache);
  await expectTold(bench, 'installed by one command: the first prompt has the pad', () => say('hello'));
  const doctor = bench.scratchpad('doctor');
  bench.expect('the mod answers', doctor.includes("plugin's mod answers"), doctor);
  for (let turn = 0; turn < 8; turn += 1) await say(`look at part ${turn}`);
  await expectTold(bench, 'ten prompts later it is there once', () => say('go on'));

  const other = beginClaude(bench, cache);
  await expectTold(bench, 'a second session has the pad, once', () => other('hello'));
  bench.scratchpad('notes', 'append', NOTE);
  for (const sayInSession of [say, other]) {
    await sayInSession('and now?');
    bench.expectOnce('both sessions are told of a note, once', NOTE);
  }

  const [session] = listSessions(bench);
  const fork = beginClaude(bench, cache, ['--resume', session ?? '', '--fork-session']);
  await expectTold(bench, 'a fork has what its parent was told, once', () => fork('try it otherwise'));

  for (const signal of ['the server', 'the server and its shell']) {
    const killed = killServers(bench, signal.includes('shell'));
    bench.scratchpad('notes', 'append', `after ${signal}`);
    const from = bench.outputLines.length;
    await other('what now?');
    bench.expectOnce(`${signal} killed (${killed}): the next prompt has the news, once`, `after ${signal}`);
    const errors = bench.outputLines.slice(from).filter((line) => isError(line));
    // Claude Code connects to a server once, and names each hook that asks one that is gone.
    if (signal === 'the server')
      bench.expect('and no error is shown', errors.length === 0, errors.join('\n').slice(0, 2000));
  }

  bench.scratchpad('uninstall', 'claude-code', '--yes');
  const cwd = join(import.meta.dirname, '../..');
  const status = execFileSync('git', ['status', '--short', 'templates'], { cwd, encoding: 'utf8' });
  bench.expect('the host wrote nothing into the package', !status.includes('types'), status);
});

const broken: readonly [what: string, change: (plugin: string) => readonly string[]][] = [
  [
    'a mod that does not load',
    (plugin) => rewrite(plugin, 'register.js', (text) => `throw new Error('no');${text}`),
  ],
  [
    'an event that is not there any more',
    (plugin) =>
      rewrite(plugin, 'register.js', (text) => text.replaceAll("'prompt.submit'", "'prompt.given'")),
  ],
  [
    'a handler that throws',
    (plugin) =>
      rewrite(plugin, 'register.js', (text) =>
        text.replace('const speaker =', 'e.gone.gone; const speaker ='),
      ),
  ],
  [
    'a call that is not there any more',
    (plugin) =>
      rewrite(plugin, 'ask.js', (text) =>
        text.replaceAll('$.http.fetch', '$.http.send').replaceAll('$.process.run', '$.process.start'),
      ),
  ],
  [
    'mods that are forbidden',
    () => {
      const options = { allowManagedModsOnly: true };
      const guard = { 'cc-plugin-sec-default@builtin': { options } };
      return ['--managed-settings', JSON.stringify({ pluginConfigs: guard })];
    },
  ],
];

for (const [what, change] of broken)
  await Bench.runStory('mod-broken', async (bench) => {
    bench.addToPath({ claude: findProgram(cache, 'claude-code') });
    furnish(bench);
    const plugin = copyPlugin(bench);
    const say = beginClaude(bench, cache, ['--plugin-dir', plugin, ...change(plugin)]);
    await expectTold(bench, `${what}: hooks answer`, () => say('hello'));
    bench.scratchpad('notes', 'append', NOTE);
    await say('and now?');
    bench.expectOnce('and say what is new, once', NOTE);
    const { lastPrompt } = readRecord(join(bench.workspace, '.scratchpad'));
    bench.expect('by themselves', lastPrompt?.event === 'UserPromptSubmit', lastPrompt?.event);
    const errors = bench.outputLines.filter((line) => isError(line));
    bench.expect('without an error', errors.length === 0, errors.join('\n').slice(0, 1500));
  });

function furnish(bench: Bench): void {
  bench.stub.reply = ({ body }) => (body.tools ? { text: 'Understood.' } : { text: 'A title' });
  bench.scratchpad('init');
  bench.scratchpad('plan', 'set', '1. Find the leak\n2. Write the test');
}

async function expectTold(bench: Bench, what: string, turn: () => Promise<void>): Promise<void> {
  await turn();
  bench.expectOnce(what, PAD);
}

/** Whether a line of the host shows an error to the person; its first one only lists what it has. */
function isError(line: string): boolean {
  return (
    !line.includes('"subtype":"init"') &&
    /error/i.test(line.replace(/"is_error":false|"api_error_status":null/g, ''))
  );
}

function listSessions(bench: Bench): string[] {
  const projects = join(bench.home, '.claude/projects');
  const [project = ''] = readdirSync(projects);
  return readdirSync(join(projects, project)).map((name) => name.replace('.jsonl', ''));
}

/** Kills what answers hooks, and with it, if `whole`, the shell that would start it again. @returns how many */
function killServers(bench: Bench, whole: boolean): number {
  const folder = join(bench.home, '.local/state/scratchpad/servers');
  const notes = readdirSync(folder).filter((name) => !name.endsWith('.sock'));
  const pids = notes.flatMap((name) => {
    const [shell = '', , server = ''] = readFileSync(join(folder, name), 'utf8').trim().split(' ');
    return whole ? [shell, server] : [server];
  });
  for (const pid of pids)
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended.
    }
  return pids.length;
}

function rewrite(plugin: string, file: string, change: (text: string) => string): [] {
  const path = join(plugin, 'hooks', file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
  return [];
}
