/**
 * Speed and size, as ratios to `node -e 0` in turn with it. Every process that a run starts counts.
 *
 *   npx tsx scripts/bench/index.ts [GROUP…] [--rounds 15] [--transcript 1024] [--passages 1000,100000] [--qmd FOLDER]
 *
 * Groups: `commands` (the default), `hooks` over 1,000 memory files, `growth` to 50,000, `memory` (the cold search of so many passages),
 * `transcripts` (of so many MB against 1 MB), `mood`; `all` of them. FOLDER has `npm install @tobilu/qmd bun`
 * in it, for comparison. Linux; run it on the built package and an otherwise idle machine.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { build } from 'esbuild';
import { computeQuantile } from '../evaluate/stats.ts';
import { readArguments, withFolder } from '../script.ts';
import {
  type Cost,
  compare,
  env,
  judgeFigure,
  type Measure,
  measurePeak,
  measureProcess,
  PROGRAM,
  readProcessorTime,
  runScratchpad,
} from './harness.ts';
import { LINES, makeWorkspace, QUERY } from './notes.ts';
import { Talk, writeSession } from './transcript.ts';

const ROOT = join(import.meta.dirname, '../..');
const [groups, options] = readArguments('[GROUP…]', 0, {
  ...{ rounds: 15, transcript: 1024, passages: '1000,100000', qmd: '' },
});
const { rounds } = options;
const GROUPS: Readonly<Record<string, (dir: string) => Promise<void>>> = {
  commands: benchCommands,
  hooks: benchHooks,
  growth: benchGrowth,
  memory: benchMemory,
  transcripts: benchTranscripts,
  mood: benchMood,
};
const wanted = groups.length === 0 ? ['commands'] : groups;
for (const [name, group] of Object.entries(GROUPS))
  if (wanted.includes(name) || wanted.includes('all')) await withFolder('bench', group);

/** A copy of the example workspace with a fresh state block. */
async function makeExample(dir: string): Promise<string> {
  const workspace = join(dir, 'workspace');
  cpSync(join(ROOT, 'workspace-example'), workspace, { recursive: true });
  await runScratchpad(['assemble', '--ttl', '1d'], { cwd: workspace });
  return workspace;
}

function runHook(cwd: string, common: object): (event: string, more: object) => Promise<Cost> {
  return (event, more) => {
    const input = JSON.stringify({ cwd, hook_event_name: event, ...common, ...more });
    return runScratchpad(['hook', 'claude-code', event], { cwd, input });
  };
}

async function benchCommands(dir: string): Promise<void> {
  const cwd = await makeExample(dir);
  const hook = runHook(cwd, { session_id: 'bench' });
  const run = (name: string, args: readonly string[], must: number): Measure => ({
    name,
    must,
    run: () => runScratchpad(args, { cwd }),
  });
  await compare(
    'commands on the example workspace',
    [
      run('notes append, durable', ['notes', 'append', 'x'], 1.6),
      run('notes show', ['notes', 'show'], 1.5),
      run('context', ['context'], 1.5),
      { name: 'a prompt, fresh state', must: 1.5, run: () => hook('UserPromptSubmit', { prompt: 'go on' }) },
      run('assemble', ['assemble'], 2.5),
    ],
    rounds,
  );
}

/** A conversation that continues prompt by prompt over 1,000 memory files. */
async function benchHooks(dir: string): Promise<void> {
  const cwd = makeWorkspace(10_000);
  for (const old of ['.scratchpad', 'SCRATCHPAD.md'])
    rmSync(join(cwd, old), { recursive: true, force: true });
  for (const args of [['init'], ['plan', 'set', '1. Find the leak\n2. Test it'], ['memory', 'index']])
    await runScratchpad(args, { cwd });
  const talk = new Talk(join(dir, 's.jsonl'));
  const common = { session_id: 'bench', transcript_path: talk.path };
  const hook = runHook(cwd, common);
  const runCalled = (stdout: string): object => ({
    tool_name: 'Bash',
    tool_input: { command: 'npm test' },
    tool_response: { stdout, stderr: '', interrupted: false, isImage: false },
  });
  const long = Array.from({ length: 1000 }, (_, n) => `${n} ${'x'.repeat(58)}`).join('\n');
  const client = new Client({ name: 'bench', version: '1' });
  const server = {
    command: process.execPath,
    args: [PROGRAM, 'mcp'],
    cwd,
    env: env as Record<string, string>,
  };
  const transport = new StdioClientTransport(server);
  await client.connect(transport);
  /** A prompt answered by the running server; its work after the answer counts as well. */
  const benchServed = async (): Promise<Cost> => {
    const before = readProcessorTime(transport.pid ?? 0);
    const from = performance.now();
    const more = { cwd, event: 'UserPromptSubmit', prompt: talk.goOn() };
    await client.callTool({ name: 'hook', arguments: { ...common, ...more } });
    const waited = performance.now() - from;
    await sleep(60);
    return { waited, cpu: readProcessorTime(transport.pid ?? 0) - before };
  };
  const takeFirst = (): Promise<Cost> =>
    hook('UserPromptSubmit', { prompt: talk.goOn(), session_id: `first-${performance.now()}` });
  await compare(
    'hooks over 1,000 memory files',
    [
      {
        name: 'a prompt, by a command',
        must: 2.5,
        run: () => hook('UserPromptSubmit', { prompt: talk.goOn() }),
      },
      { name: 'the first of a session', run: takeFirst },
      { name: 'a prompt, in the server', must: 0.6, run: benchServed },
      { name: 'a tool call, short', must: 1.25, run: () => hook('PostToolUse', runCalled('ok')) },
      { name: 'a tool call, 60,000 characters', must: 1.6, run: () => hook('PostToolUse', runCalled(long)) },
    ],
    rounds,
  );
  await client.close();
}

/** The same question over so many memory files, and after one more has been written. */
async function benchGrowth(): Promise<void> {
  const question = { prompt: 'when does the zeppelin hangar open?' };
  const [few, ...more] = [1000, 25_000, 50_000].map((files) => ({
    files,
    cwd: makeWorkspace(files * LINES),
  }));
  const against = '1,000 memory files';
  const measures: Measure[] = [];
  for (const place of few === undefined ? [] : [few, ...more]) {
    const { files, cwd } = place;
    rmSync(join(cwd, '.scratchpad'), { recursive: true, force: true });
    for (const args of [['init'], ['memory', 'index']]) await runScratchpad(args, { cwd });
    const ask = (): Promise<Cost> =>
      runHook(cwd, { session_id: `growth-${performance.now()}` })('UserPromptSubmit', question);
    if (place === few) measures.push({ name: against, run: ask });
    else measures.push({ name: `${files} memory files`, must: 1.5, against, run: ask });
    if (place === few) continue;
    const growFile = (): Promise<Cost> => {
      const folder = join(cwd, 'memory', readdirSync(join(cwd, 'memory'))[0] ?? '');
      appendFileSync(join(folder, `new-${performance.now()}.md`), '- the quokka sleeps\n');
      return ask();
    };
    measures.push({ name: `${files} memory files and a new one`, against, run: growFile });
  }
  await compare('a prompt while the memory grows', measures, rounds);
}

async function benchMemory(dir: string): Promise<void> {
  for (const passages of options.passages.split(',').map(Number)) {
    const cwd = makeWorkspace(passages);
    rmSync(join(cwd, '.scratchpad'), { recursive: true, force: true });
    await runScratchpad(['init'], { cwd });
    const from = performance.now();
    await runScratchpad(['memory', 'index'], { cwd });
    const seconds = (performance.now() - from) / 1000;
    const search = ['memory', 'search', QUERY];
    const must = passages > 10_000 ? 1.7 : 1.4;
    const cold: Measure = { name: 'memory search', must, run: () => runScratchpad(search, { cwd }) };
    const title = `memory of ${passages} passages`;
    await compare(
      title,
      [cold, ...(options.qmd === '' ? [] : await benchQmd(options.qmd, cwd, dir))],
      rounds,
    );
    let note = 0;
    const makeChanged = (): Promise<Cost> => {
      appendFileSync(join(cwd, 'MEMORY.md'), `- zeppelin ${note++} has landed\n`);
      return runScratchpad(['memory', 'search', 'zeppelin landed'], { cwd });
    };
    // By itself: a file that changed within the last tenth of a second is read again by the next search.
    await compare(title, [{ name: 'search after one changed file', run: makeChanged }], rounds);
    const peak = await measurePeak([PROGRAM, ...search], cwd);
    console.log(`full build ${seconds.toFixed(2)} s${passages > 10_000 ? judgeFigure(seconds, 5) : ''}`);
    console.log(`peak memory of a search ${peak.toFixed(0)} MB${judgeFigure(peak, 80)}`);
  }
}

/** BM25 of qmd, without its models. */
async function benchQmd(folder: string, cwd: string, home: string): Promise<Measure[]> {
  const bin = join(folder, 'node_modules/.bin');
  const command = join(bin, 'qmd');
  const own = { HOME: home, XDG_CACHE_HOME: home, XDG_CONFIG_HOME: home, PATH: `${bin}:${env.PATH}` };
  await measureProcess(['collection', 'add', join(cwd, 'memory'), '--name', 'notes'], { command, env: own });
  const args = ['search', QUERY.split(' ').at(-1) ?? '', '-n', '5'];
  return [{ name: 'qmd BM25', run: () => measureProcess(args, { command, env: own }) }];
}

async function benchTranscripts(dir: string): Promise<void> {
  const workspace = join(dir, 'workspace');
  mkdirSync(workspace);
  for (const shape of ['talk', 'tools'] as const) {
    const [small, large] = [join(dir, `${shape}-small.jsonl`), join(dir, `${shape}-large.jsonl`)];
    writeSession(small, shape, 2 ** 20);
    writeSession(large, shape, options.transcript * 2 ** 20);
    const args = ['assemble', '--dry-run', '-w', workspace, '--transcript'];
    const buildArguments = (path: string): string[] => [...args, path];
    const against = 'assemble, 1 MB';
    await compare(
      `a transcript of ${options.transcript} MB, ${shape}`,
      [
        { name: against, run: () => runScratchpad(buildArguments(small)) },
        {
          name: 'assemble, the large one',
          against,
          must: 1.3,
          run: () => runScratchpad(buildArguments(large)),
        },
      ],
      rounds,
    );
    const peak = await measurePeak([PROGRAM, ...buildArguments(large)]);
    console.log(`peak memory of the large one ${peak.toFixed(0)} MB${judgeFigure(peak, 120)}`);
    rmSync(large);
  }
}

/** The model of moods: its loading in a fresh process, its time for a message, its size. */
async function benchMood(dir: string): Promise<void> {
  const program = join(dir, 'mood.cjs');
  await build({
    stdin: {
      contents: `import { analyzeMood } from './src/sentiment/state.ts';
import { loadModel } from './src/sentiment/model.ts';
        const begun = performance.now();
        const model = loadModel(process.argv[2]);
        const loaded = performance.now() - begun;
        const read = (content) => analyzeMood([{ id: '1', role: 'user', content, session: 's' }], { model });
        const texts = Array.from({ length: 600 }, (_, k) => 'no, ' + 'the build is still broken, look at it. '.repeat(1 + k % 12));
        // The best of three: time that other programs take on the machine is not ours.
        const once = (text) => { const from = performance.now(); read(text); return performance.now() - from; };
        const times = texts.map((text) => Math.min(once(text), once(text), once(text)));
        console.log(JSON.stringify([loaded, times.slice(300).sort((a, b) => a - b)[285]]));`,
      resolveDir: ROOT,
      loader: 'ts',
    },
    ...{ bundle: true, minify: true, platform: 'node', format: 'cjs', outfile: program },
    define: { 'import.meta.dirname': '__dirname' },
  });
  const models = join(ROOT, 'models');
  const times = Array.from({ length: rounds }, () => {
    const printed = execFileSync(process.execPath, [program, models], { env, encoding: 'utf8' });
    return JSON.parse(printed) as [number, number];
  });
  const [load, message] = [0, 1].map((at) =>
    computeQuantile(
      times.map((each) => each[at] ?? 0),
      0.5,
    ),
  ) as [number, number];
  const bytes = measureSize(models) / 1e6;
  console.log(`\nmood: load ${load.toFixed(1)} ms${judgeFigure(load, 30)}`);
  console.log(`a message, p95 ${message.toFixed(2)} ms${judgeFigure(message, 2)}`);
  console.log(`the folder of models ${bytes.toFixed(2)} MB${judgeFigure(bytes, 1)}`);
}

function measureSize(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
