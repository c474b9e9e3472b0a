/**
 * The trial played by hand: agents at a shell play second sessions through `act`, which is their only tool; the first
 * sessions are recorded. docs/trial.md has the whole.
 *
 *   npx tsx scripts/trial/hands.ts prepare FOLDER --player 1     then an agent reads FOLDER/player-1/BRIEF.md
 *   npx tsx scripts/trial/hands.ts score FOLDER
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { buildSync } from 'esbuild';
import { randomFrom } from '../random.ts';
import type { State } from './act.ts';
import { type Arm, armOf, hasOwnFirst, pathWith } from './arms.ts';
import { COPY, copyOf, readJson, remove, writeJson, writeWhole } from './home.ts';
import { claudeCode } from './hosts/claude-code.ts';
import type { Result } from './measures.ts';
import { markdown, summarise } from './report.ts';
import { CUT } from './session.ts';
import { loadTasks, type Step, TASKS, type Task, tasksAre } from './tasks.ts';
import { judge, prepare as prepareProject } from './trial.ts';

/** The second session is that much later, except after a compaction. */
const HOURS = 16;
const ROOT = join(import.meta.dirname, '../..');

interface Options {
  tasks: string;
  arms: string[];
  seed: number;
  stub?: boolean;
}

interface Saved extends Options {
  started: string;
  /** The commit of the scratchpad that is tried. */
  commit: string;
}

/** What players do not see: outside /tmp, over which each session has its own. */
const machineOf = (folder: string): string => {
  const name = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 12);
  return join('/var/tmp/trial', name);
};
const stateIn = (folder: string): State | undefined => readJson(join(folder, 'state.json'));
const firstOf = (arm: Arm, task: Task): string =>
  join('firsts', `${hasOwnFirst(arm) ? arm.name : 'nothing'}-${task.name}`);
const playerFolder = (player: number | string): string => `player-${player}`;

/** The command that makes the calls of one session, with a view of the file system of its own. */
function actIn(machine: string, at: string, to: string): void {
  mkdirSync(join(at, 'tmp'), { recursive: true });
  mkdirSync(to, { recursive: true });
  const mounts = `mount --bind '${at}/live' '${machine}/live' && mount --bind '${at}/tmp' /tmp`;
  const program = `'${process.execPath}' '${machine}/act.mjs' '${at}/state.json'`;
  const script = `#!/bin/sh
export ASKED_MS=$(date +%s%3N)
flock -n -o -E 99 '${at}/lock' unshare ${process.getuid?.() === 0 ? '-m' : '-rm'} sh -c "${mounts} && cd / && exec ${program} \\"\\$@\\"" act "$@"
code=$?
[ $code != 99 ] || echo 'ONE CALL AT A TIME: wait for the answer of the last call. Nothing was done.'
exit $code
`;
  writeFileSync(join(to, 'act'), script, { mode: 0o755 });
}

/** Everything that all players share; made by the first `prepare`. */
function setUp(machine: string, options: Options): Saved {
  const saved = readJson<Saved>(join(machine, 'trial.json'));
  if (saved) return saved;
  remove(machine);
  mkdirSync(machine, { recursive: true, mode: 0o700 });
  const program = join(machine, 'program');
  for (const part of ['bin', 'dist', 'models', 'templates', 'package.json'])
    cpSync(join(ROOT, part), join(program, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(program, 'node_modules'));
  const call = `exec '${process.execPath}' '${program}/bin/scratchpad.js' $SCRATCHPAD_CLOCK "$@"`;
  mkdirSync(join(machine, 'bin'));
  writeFileSync(join(machine, 'bin/scratchpad'), `#!/bin/sh\n${call}\n`, { mode: 0o755 });
  buildSync({
    entryPoints: [join(import.meta.dirname, 'act.ts')],
    outfile: join(machine, 'act.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
  });
  const arms = options.arms.map(armOf);
  for (const { name, second } of arms)
    if (second !== 'new') throw new Error(`The arm ${name} goes on with a session of another agent.`);
  for (const task of loadTasks(undefined, options.tasks)) {
    for (const arm of new Set(arms.map((one) => (hasOwnFirst(one) ? one : armOf('nothing')))))
      recordFirst(machine, arm, task);
  }
  const made = {
    ...options,
    tasks: resolve(options.tasks),
    started: new Date().toISOString(),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim(),
  };
  writeJson(join(machine, 'trial.json'), made);
  return made;
}

const begun = (machine: string, arm: Arm, task: Task) => ({
  arm,
  task: task.name,
  live: join(machine, 'live'),
  bin: arm.run ? join(machine, 'bin') : '',
  program: join(machine, 'program/bin/scratchpad.js'),
  events: [],
  told: [],
  charactersSeen: 0,
});

/** Plays a task's recorded first session. @throws Error if a step does not do what the recording expects */
function recordFirst(machine: string, arm: Arm, task: Task): void {
  const at = join(machine, firstOf(arm, task));
  const live = join(machine, 'live');
  const place = {
    person: join(machine, 'nobody'),
    home: join(live, 'home'),
    work: join(live, 'work'),
    sandbox: false,
  };
  const env = { PATH: pathWith(join(machine, 'bin')), HOME: place.home };
  prepareProject(place, { arm, task }, { host: claudeCode, env });
  mkdirSync(at, { recursive: true });
  renameSync(live, join(at, 'live'));
  mkdirSync(live);
  actIn(machine, at, at);
  const state: State = {
    ...begun(machine, arm, task),
    player: 0,
    first: true,
    session: randomUUID(),
    hoursLater: 0,
    prompts: task.first.map(({ text }) => text),
    again: null,
  };
  writeJson(join(at, 'state.json'), state);
  let notes = '';
  const act = (name: string, argument: string, input = ''): void => {
    const done = spawnSync(join(at, 'act'), [name, argument], { encoding: 'utf8', input });
    const failed = stateIn(at)?.events.findLast((event) => 'call' in event && event.failed);
    if (done.status !== 0 || failed)
      throw new Error(
        `The recorded session of ${task.name}: ${name} ${argument}\n${done.stdout}${done.stderr}`,
      );
  };
  const play = ({ write, edit, notes: more, ...plain }: Step): void => {
    if (write) act('write', write.path, write.content);
    if (edit) act('edit', edit.path, JSON.stringify(edit));
    if (more && arm.notes?.includes('NOTES.md')) {
      notes += more;
      act('write', 'NOTES.md', notes);
    }
    for (const [name, argument] of Object.entries(plain)) act(name, argument ?? '');
  };
  act('begin', '');
  for (const step of task.recorded) play(step);
  if (task.restart !== 'compaction') act('cut', '');
}

/**
 * The arm of each task for a player: in each group of players that is as large as there are arms, each task is played
 * once with each arm, and nobody has an arm more than once oftener than another.
 */
export function armsFor(player: number, tasks: number, arms: number, seed: number): number[] {
  const group = Math.floor((player - 1) / arms);
  const random = randomFrom(seed * 10_007 + group);
  const starts = Array.from({ length: tasks }, (_, at) => ({ start: at % arms, by: random() }));
  return starts.sort((a, b) => a.by - b.by).map(({ start }) => (start + player) % arms);
}

const brief = (
  folder: string,
  sessions: readonly string[],
): string => `# Your work: ${sessions.length} sessions

You play a coding agent. Each of these folders is a session of its own, with another person and another project:

${sessions.map((name) => `- ${folder}/${name}`).join('\n')}

Play them in this order, each to its end before the next. Nothing that you saw in one holds in another.

- In each folder \`./act\` is your only tool: first \`./act begin\`, which shows what your host and the person say. \`./act\` alone lists the calls. Look at files, change them and run commands only through it, never with other tools.
- One call at a time: one \`./act\` in one command of your shell, then read the answer, then the next. No loops, no two calls joined, no two at the same time: such calls are refused. Input for \`write\` and \`edit\` comes from a here-document in the same command (\`./act write PATH <<'EOF'\`).
- Work as you would for a person who relies on you, in small steps: one file a call.
- \`./act say TEXT\` ends your turn: to ask, or when the work is done. The person may answer. There is nobody else to ask.
- Stay in the project's folder (where \`./act bash\` starts). Do not open hidden folders, nor anything above it, nor another session's folder, nor this machine's other folders.
- When it says THE SESSION HAS ENDED, go on with the next folder.

When all have ended, answer with one line for each session: its name, and anything that went wrong with \`./act\` itself.
`;

async function prepare(folder: string, options: Options & { player: number }): Promise<void> {
  const { player, ...more } = options;
  const machine = machineOf(folder);
  const saved = setUp(machine, more);
  const own = join(resolve(folder), playerFolder(player));
  if (existsSync(own)) throw new Error(`${own} is there already.`);
  const arms = saved.arms.map(armOf);
  const random = randomFrom(saved.seed * 7919 + player);
  const all = loadTasks(undefined, saved.tasks);
  const given = armsFor(player, all.length, arms.length, saved.seed);
  const tasks = all
    .map((task, at) => ({ task, arm: arms[given[at] ?? 0], by: random() }))
    .sort((a, b) => a.by - b.by);
  const names: string[] = [];
  for (const [index, { task, arm }] of tasks.entries()) {
    if (arm === undefined) continue;
    const name = `${index + 1}-${task.name}`;
    await putSecond(machine, { arm, task, player }, join(own, name));
    names.push(name);
  }
  writeFileSync(join(own, 'BRIEF.md'), brief(own, names));
  console.log(`${own}/BRIEF.md`);
}

async function putSecond(
  machine: string,
  { arm, task, player }: { arm: Arm; task: Task; player: number },
  to: string,
): Promise<void> {
  const from = join(machine, firstOf(arm, task));
  const at = join(machine, 'players', String(player), task.name);
  const was = stateIn(from);
  if (!was?.endedMs) throw new Error(`The recorded session of ${task.name} has no end.`);
  mkdirSync(at, { recursive: true });
  await copyOf(join(from, 'live'), join(at, 'live'));
  const work = join(at, 'live/work');
  const env = { PATH: pathWith(join(machine, 'bin')), HOME: join(at, 'live/home') };
  if (task.between) spawnSync('sh', ['-c', task.between], { cwd: work, env });
  cpSync(work, join(at, 'before'), COPY);
  const goesOn = task.restart === 'compaction';
  const state: State = {
    ...begun(machine, arm, task),
    player,
    first: false,
    session: goesOn ? was.session : randomUUID(),
    hoursLater: goesOn ? 0 : HOURS,
    prompts: task.second.map(({ text }) => text),
    again: task.again,
    ...(was.summary === undefined ? {} : { summary: was.summary }),
    ...(goesOn && was.parent !== undefined ? { parent: was.parent } : {}),
  };
  writeJson(join(at, 'state.json'), state);
  actIn(machine, at, to);
}

function score(folder: string): void {
  const machine = machineOf(folder);
  const saved = readJson<Saved>(join(machine, 'trial.json'));
  if (!saved) throw new Error(`${folder} has no trial: prepare one.`);
  const tasks = loadTasks(undefined, saved.tasks);
  const players = readdirSync(join(machine, 'players')).sort((a, b) => Number(a) - Number(b));
  const results = players.flatMap((player) => tasks.flatMap((task) => measured(machine, player, task) ?? []));
  const about = {
    agent: 'agents at a shell,',
    version: `by hand, scratchpad ${saved.commit}`,
    tasks: tasksAre(saved.tasks),
    arms: saved.arms.map(armOf),
    taskNames: tasks.map(({ name }) => name),
    runs: players.length,
    seed: saved.seed,
    cut: `${CUT}, in a recorded session`,
    sandbox: false,
    started: saved.started,
    stub: saved.stub === true,
  };
  const summary = summarise(about, results, players.length * tasks.length);
  writeJson(join(folder, 'results.json'), summary);
  writeWhole(join(folder, 'table.md'), markdown(summary));
  const whole = results.map(({ usage: _, model: __, first: ___, ...one }) => {
    const { events, told } = stateIn(join(machine, 'players', String(one.run), one.task)) ?? {};
    return JSON.stringify({ ...one, told, events }).replaceAll(`${machine}/live`, '');
  });
  writeWhole(join(folder, 'runs.jsonl'), `${whole.join('\n')}\n`);
  console.log(markdown(summary));
  for (const { arm, task, run, kept } of results) {
    const lost = Object.entries(kept).flatMap(([requirement, is]) => (is ? [] : [requirement]));
    if (lost.length > 0) console.log(`player ${run}, ${task}, ${arm}: lost ${lost.join('; ')}`);
  }
  console.log(`\nThe runs: ${machine}/players/PLAYER/TASK (told.md, session.json, result.json, live/work)`);
}

/** The measures of a session that has ended. */
function measured(machine: string, player: string, task: Task): Result | undefined {
  const at = join(machine, 'players', player, task.name);
  const state = stateIn(at);
  if (!state?.endedMs) return undefined;
  const { arm, events, told, beganMs = 0, ended = '' } = state;
  const result = {
    arm: arm.name,
    task: task.name,
    run: Number(player),
    ...judge({ arm, task }, join(at, 'live/work'), at, { events, before: join(at, 'before'), told }),
    turns: events.filter((event) => 'prompt' in event).length,
    // Nobody counts the tokens of an agent at a shell.
    usage: { input: Number.NaN, cached: Number.NaN, output: Number.NaN },
    ms: state.endedMs - beganMs,
    model: '',
    first: 'recorded',
    ended,
  };
  writeJson(join(at, 'result.json'), result);
  return result;
}

const program = new Command('hands').description('play the trial by hand');
program
  .command('prepare <folder>')
  .requiredOption('--player <n>', 'from 1 on', Number)
  .option('--tasks <folder>', 'tasks of your own', TASKS)
  .option('--arms <names>', 'arms, or files that describe one', (list) => list.split(','), [
    'nothing',
    'paragraph',
    'ours',
  ])
  .option('--seed <n>', 'decides who plays what with which arm, and the order', Number, 1)
  .option('--stub', 'a script plays the agents: the figures are marked as none')
  .action(prepare);
program.command('score <folder>').action(score);
if (process.argv[1] === import.meta.filename) await program.parseAsync();
