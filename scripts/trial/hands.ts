/**
 * The trial played by hand: agents at a shell play the sessions through `act`, which is their only tool.
 * docs/trial.md has the whole.
 *
 *   npx tsx scripts/trial/hands.ts begin FOLDER      then agents play FOLDER/first-ARM-TASK
 *   npx tsx scripts/trial/hands.ts second FOLDER     then other agents play FOLDER/ARMn-TASK
 *   npx tsx scripts/trial/hands.ts score FOLDER
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { buildSync } from 'esbuild';
import type { State } from './act.ts';
import { type Arm, armOf, hasOwnFirst, pathWith } from './arms.ts';
import { COPY, copyOf, readJson, writeWhole } from './home.ts';
import { claudeCode } from './hosts/claude-code.ts';
import type { Result } from './measures.ts';
import { markdown, summarise } from './report.ts';
import { AGAIN, loadTasks, type Message, TASKS, type Task, tasksAre } from './tasks.ts';
import { judge, prepare } from './trial.ts';

/** The second session is that much later, except after a compaction. */
const HOURS = 16;

interface Options {
  tasks: string[];
  only?: string[];
  arms: string[];
  runs: number;
  program: string;
  stub?: boolean;
}

interface Saved extends Options {
  started: string;
}

/** Tasks whose checks are functions of one `checks.py` beside their folder: `person.json` and `ws/` each. */
function pythonTasks(folder: string): Task[] {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'person.json')));
  const program = `import json, sys
sys.path.insert(0, ${JSON.stringify(dirname(folder))})
import checks
log = [[e['call'], e['arg']] for e in json.load(open(sys.argv[3]))['events'] if 'call' in e]
print(json.dumps({k: bool(v) for k, v in getattr(checks, sys.argv[1])(sys.argv[2], {'log': log}).items()}))`;
  return names.map((name) => {
    const said = JSON.parse(readFileSync(join(folder, name, 'person.json'), 'utf8')) as {
      first: { text: string; at?: number }[];
      second: Message[];
      limit: number;
    };
    // There calls are counted from the beginning of the session.
    const calls = said.first.map(({ at = 0 }) => at);
    const first = said.first.map(({ text, at }, index) => ({
      text,
      after: at === undefined ? undefined : at - (calls[index - 1] ?? 0),
    }));
    return {
      name,
      kind: 'with checks in Python',
      folder: join(folder, name),
      project: join(folder, name, 'ws'),
      checks: ['python3', '-c', program, name],
      first,
      cut: said.limit - (calls.at(-1) ?? 0),
      second: said.second,
      again: AGAIN,
    };
  });
}

function tasksOf({ tasks, only }: Options): Task[] {
  const all = tasks.flatMap((folder) => [...loadTasks(undefined, folder), ...pythonTasks(folder)]);
  return only ? all.filter(({ name }) => only.includes(name)) : all;
}

const savedIn = (folder: string): Saved => {
  const saved = readJson<Saved>(join(folder, 'trial.json'));
  if (!saved) throw new Error(`${folder} has no trial in it: expected a file trial.json.`);
  return saved;
};
const stateIn = (folder: string): State | undefined => readJson(join(folder, 'state.json'));
const firstOf = (arm: Arm, task: Task): string =>
  `first-${hasOwnFirst(arm) ? arm.name : 'nothing'}-${task.name}`;

/** The same paths for all sessions, however many are played at once: each call has a view of its own. */
function putAct(folder: string, name: string, state: State): void {
  const at = join(folder, name);
  writeWhole(join(at, 'state.json'), JSON.stringify(state));
  const view = process.getuid?.() === 0 ? '-m' : '-rm';
  const given = [
    join(at, 'live'),
    state.live,
    process.execPath,
    join(folder, 'act.mjs'),
    join(at, 'state.json'),
  ];
  const words = given.map((word) => `'${word}'`).join(' ');
  const mount = `mount --bind "$0" "$1" && shift && exec "$@"`;
  const lines = ['#!/bin/sh', `exec flock -o '${at}/lock' unshare ${view} sh -c '${mount}' ${words} "$@"`];
  writeFileSync(join(at, 'act'), `${lines.join('\n')}\n`, { mode: 0o755 });
}

function begin(to: string, options: Options): void {
  const folder = resolve(to);
  if (existsSync(join(folder, 'trial.json'))) throw new Error(`${folder} has a trial already.`);
  const program = resolve(options.program);
  const [live, bin] = [join(folder, 'live'), join(folder, 'bin')];
  mkdirSync(bin, { recursive: true });
  const call = `exec '${process.execPath}' '${program}' $SCRATCHPAD_CLOCK "$@"`;
  writeFileSync(join(bin, 'scratchpad'), `#!/bin/sh\n${call}\n`, { mode: 0o755 });
  buildSync({
    entryPoints: [join(import.meta.dirname, 'act.ts')],
    outfile: join(folder, 'act.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
  });
  const arms = options.arms.map(armOf);
  for (const { name, second } of arms) {
    if (second !== 'new')
      throw new Error(`The arm ${name} goes on with a session, which another agent cannot.`);
  }
  const place = {
    person: join(folder, 'nobody'),
    home: join(live, 'home'),
    work: join(live, 'work'),
    sandbox: false,
  };
  const own = {
    host: claudeCode,
    program: { command: 'claude', args: [] },
    env: { PATH: pathWith(bin), HOME: place.home },
  };
  for (const task of tasksOf(options)) {
    for (const arm of new Set(arms.map((one) => (hasOwnFirst(one) ? one : armOf('nothing'))))) {
      const name = firstOf(arm, task);
      mkdirSync(join(folder, name), { recursive: true });
      prepare(place, { arm, task }, own);
      renameSync(live, join(folder, name, 'live'));
      putAct(folder, name, {
        arm,
        task: task.name,
        run: 0,
        phase: 'first',
        live,
        bin,
        program,
        session: randomUUID(),
        hoursLater: 0,
        prompts: task.first,
        again: null,
        cut: task.cut,
        restart: task.restart,
        events: [],
        told: [],
        callsSince: 0,
        charactersSeen: 0,
      });
      console.log(join(folder, name));
    }
  }
  mkdirSync(live);
  const saved: Saved = {
    ...options,
    program,
    tasks: options.tasks.map((one) => resolve(one)),
    started: new Date().toISOString(),
  };
  writeWhole(join(folder, 'trial.json'), `${JSON.stringify(saved, null, 1)}\n`);
}

const cellsOf = (saved: Saved): { arm: Arm; task: Task; run: number }[] => {
  const runs = Array.from({ length: saved.runs }, (_, at) => at + 1);
  const arms = saved.arms.map(armOf);
  return tasksOf(saved).flatMap((task) => arms.flatMap((arm) => runs.map((run) => ({ arm, task, run }))));
};
const nameOf = ({ arm, task, run }: { arm: Arm; task: Task; run: number }): string =>
  `${arm.name}${run}-${task.name}`;

async function second(from: string): Promise<void> {
  const folder = resolve(from);
  const waiting = new Set<string>();
  for (const cell of cellsOf(savedIn(folder))) {
    const { arm, task, run } = cell;
    const at = join(folder, nameOf(cell));
    const first = join(folder, firstOf(arm, task));
    const was = stateIn(first);
    if (!was?.endedMs) waiting.add(first);
    if (!was?.endedMs || existsSync(at)) continue;
    await copyOf(join(first, 'live'), join(at, 'live'));
    const { parent, tree: _, ...kept } = was;
    const work = join(at, 'live/work');
    const env = { PATH: pathWith(was.bin), HOME: join(at, 'live/home') };
    if (task.between) spawnSync('sh', ['-c', task.between], { cwd: work, env });
    cpSync(work, join(at, 'before'), COPY);
    const goesOn = task.restart === 'compaction';
    putAct(folder, nameOf(cell), {
      ...kept,
      arm,
      run,
      phase: 'second',
      session: goesOn ? was.session : randomUUID(),
      hoursLater: goesOn ? 0 : HOURS,
      prompts: task.second,
      again: task.again,
      parent: goesOn ? parent : undefined,
      events: [],
      told: [],
      charactersSeen: 0,
      ended: undefined,
      beganMs: undefined,
      endedMs: undefined,
    });
    console.log(at);
  }
  for (const first of waiting) console.log(`not played to its end: ${first}`);
}

function score(from: string): void {
  const folder = resolve(from);
  const saved = savedIn(folder);
  const all = cellsOf(saved);
  const results = all.flatMap((cell): Result[] => {
    const at = join(folder, nameOf(cell));
    const state = stateIn(at);
    if (!state?.endedMs) return [];
    const { events, told, beganMs = 0, ended = '' } = state;
    // Nobody counts the tokens of an agent at a shell.
    const usage = { input: Number.NaN, cached: Number.NaN, output: Number.NaN };
    const result = {
      arm: cell.arm.name,
      task: cell.task.name,
      run: cell.run,
      ...judge(cell, join(at, 'live/work'), at, { events, before: join(at, 'before'), told }),
      turns: events.filter((event) => 'prompt' in event).length,
      usage,
      ms: state.endedMs - beganMs,
      model: '',
      first: stateIn(join(folder, firstOf(cell.arm, cell.task)))?.ended ?? '',
      ended,
    };
    writeWhole(join(at, 'result.json'), `${JSON.stringify(result, null, 1)}\n`);
    return [result];
  });
  const about = {
    agent: 'agents at a shell,',
    version: 'by hand',
    tasks: saved.tasks.map(tasksAre).join('; '),
    arms: saved.arms.map(armOf),
    taskNames: tasksOf(saved).map(({ name }) => name),
    runs: saved.runs,
    seed: 1,
    cut: 'calls',
    sandbox: false,
    started: saved.started,
    stub: saved.stub === true,
  };
  const summary = summarise(about, results, all.length);
  writeWhole(join(folder, 'results.json'), `${JSON.stringify(summary, null, 1)}\n`);
  writeWhole(join(folder, 'table.md'), markdown(summary));
  console.log(markdown(summary));
}

const names = (list: string): string[] => list.split(',').filter(Boolean);
const program = new Command('hands').description('play the trial by hand');
program
  .command('begin <folder>')
  .option('--tasks <folders...>', 'folders of tasks', [TASKS])
  .option('--only <names>', 'some of the tasks', names)
  .option('--arms <names>', 'arms, or files that describe one', names, ['nothing', 'paragraph', 'ours'])
  .option('--runs <n>', 'second sessions of each task and arm', Number, 5)
  .option('--program <path>', 'the scratchpad', join(import.meta.dirname, '../../bin/scratchpad.js'))
  .option('--stub', 'a script plays the agents: the figures are marked as none')
  .action(begin);
program.command('second <folder>').action(second);
program.command('score <folder>').action(score);
await program.parseAsync();
