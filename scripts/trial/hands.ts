/**
 * The trial played by hand: agents at a shell play second sessions through `act`, which is their only tool; the first
 * sessions are recorded. docs/figures.md, "The trial", has the whole.
 *
 *   npx tsx scripts/trial/hands.ts prepare FOLDER --player 1     then an agent reads FOLDER/player-1/BRIEF.md
 *   … prepare FOLDER --player 1 --findings                       the same for first sessions of investigation
 *   … prepare FOLDER --player 1 --findings --second              then another agent reads FOLDER/second-1/BRIEF.md
 *   npx tsx scripts/trial/hands.ts score FOLDER
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { buildSync } from 'esbuild';
import { createRandom } from '../random.ts';
import { drawOrder } from '../script.ts';
import type { State } from './act.ts';
import { drawFindings } from './findings.ts';
import { type Result, renderTables } from './measures.ts';
import { ARMS, type Arm, assertTasks, loadTasks, readArm, type Step, TASKS, type Task } from './tasks.ts';

/** The second session is that much later, except after a compaction. */
const HOURS = 16;
const ROOT = join(import.meta.dirname, '../..');

interface Options {
  tasks: string;
  arms: string[];
  seed: number;
  /** Tasks of investigation, drawn anew for each player. */
  findings?: boolean;
}

interface Saved extends Options {
  started: string;
  /** The commit of the scratchpad that is tried. */
  commit: string;
}

const readJson = <T>(file: string): T | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
/** Never half a file: what was interrupted is not there. */
function writeJson(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 1)}\n`);
  renameSync(`${file}.new`, file);
}
const COPY = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };

/** What players do not see: outside /tmp, over which each session has its own. */
const describeMachine = (folder: string): string => {
  const name = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 12);
  return join('/var/tmp/trial', name);
};
const readState = (folder: string): State | undefined => readJson(join(folder, 'state.json'));
const readFirst = (arm: Arm, task: Task, player: number): string =>
  task.findings
    ? join('players', `${player}`, `first-${task.name}`)
    : join('firsts', `${arm.name}-${task.name}`);
const listTasks = (machine: string, { findings, seed, tasks }: Options, player: number): Task[] =>
  findings ? drawFindings(join(machine, 'findings', `${player}`), seed * 1000 + player) : loadTasks(tasks);
const buildEnvironment = (machine: string, home: string): NodeJS.ProcessEnv => ({
  PATH: [join(machine, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
  HOME: home,
});

/** The command that makes the calls of one session, with a view of the file system of its own. */
function runActIn(machine: string, at: string, to: string): void {
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
  rmSync(machine, { recursive: true, force: true });
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
  for (const arm of options.arms.map(readArm))
    for (const task of options.findings ? [] : loadTasks(options.tasks)) recordFirst(machine, arm, task);
  const made = {
    ...options,
    tasks: resolve(options.tasks),
    started: new Date().toISOString(),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim(),
  };
  writeJson(join(machine, 'trial.json'), made);
  return made;
}

interface Session {
  arm: Arm;
  task: Task;
  player: number;
}

const hasBegun = (machine: string, arm: Arm, task: Task) => ({
  arm,
  task: task.name,
  live: join(machine, 'live'),
  bin: arm.install ? join(machine, 'bin') : '',
  program: join(machine, 'program/bin/scratchpad.js'),
  events: [],
  told: [],
  charactersSeen: 0,
});

/** A task's project and an empty home, with what the arm adds. @throws Error with what a command said */
function putProject(machine: string, arm: Arm, task: Task): void {
  const home = join(machine, 'live/home');
  const work = join(machine, 'live/work');
  const env = buildEnvironment(machine, home);
  const runShell = (command: string): void => {
    const done = spawnSync('sh', ['-c', command], { cwd: work, env, encoding: 'utf8', timeout: 60_000 });
    if (done.status !== 0) throw new Error(`${command} said:\n${done.stderr || done.stdout}`);
  };
  mkdirSync(home, { recursive: true });
  cpSync(join(task.folder, 'project'), work, { recursive: true });
  const identity = '[user]\n name = A Person\n email = person@example.org\n[init]\n defaultBranch = main\n';
  writeFileSync(join(home, '.gitconfig'), identity);
  runShell('git init -q -b main');
  if (arm.instructions) writeFileSync(join(work, 'CLAUDE.md'), `${arm.instructions}\n`);
  if (arm.install) runShell('scratchpad install claude-code --yes');
  runShell('git add -A && git commit -qm "state before"');
  if (task.branch) runShell(`git switch -qc ${task.branch}`);
}

/** Puts the first session of a task where it begins. @param to where its player finds it; nobody but us plays others */
function putFirst(machine: string, { arm, task, player }: Session, to?: string): string {
  const at = join(machine, readFirst(arm, task, player));
  const live = join(machine, 'live');
  putProject(machine, arm, task);
  mkdirSync(at, { recursive: true });
  renameSync(live, join(at, 'live'));
  mkdirSync(live);
  runActIn(machine, at, to ?? at);
  const state: State = {
    ...hasBegun(machine, arm, task),
    player,
    first: to === undefined,
    ...(to !== undefined && { cutAtChange: true }),
    session: randomUUID(),
    hoursLater: 0,
    prompts: task.first.map(({ text }) => text),
    again: to === undefined ? null : task.again,
  };
  writeJson(join(at, 'state.json'), state);
  return at;
}

/** Plays a task's recorded first session. @throws Error if a step does not do what the recording expects */
function recordFirst(machine: string, arm: Arm, task: Task): void {
  const at = putFirst(machine, { arm, task, player: 0 });
  let notes = '';
  const act = (name: string, argument: string, input = ''): void => {
    const done = spawnSync(join(at, 'act'), [name, argument], { encoding: 'utf8', input });
    const failed = readState(at)?.events.findLast((event) => 'call' in event && event.failed);
    if (done.status !== 0 || failed)
      throw new Error(
        `The recorded session of ${task.name}: ${name} ${argument}\n${done.stdout}${done.stderr}`,
      );
  };
  const playTask = ({ write, edit, notes: more, ...plain }: Step): void => {
    if (write) act('write', write.path, write.content);
    if (edit) act('edit', edit.path, JSON.stringify(edit));
    if (more && arm.notes.includes('NOTES.md')) {
      notes += more;
      act('write', 'NOTES.md', notes);
    }
    for (const [name, argument] of Object.entries(plain)) act(name, argument ?? '');
  };
  act('begin', '');
  for (const step of task.recorded) playTask(step);
  if (task.restart !== 'compaction') act('cut', '');
}

/**
 * The arm of each task for a player: in each group of players that is as large as there are arms, each task is played
 * once with each arm, and nobody has an arm more than once oftener than another.
 */
export function assignArms(player: number, tasks: number, arms: number, seed: number): number[] {
  const group = Math.floor((player - 1) / arms);
  const random = createRandom(seed * 10_007 + group);
  const starts = Array.from({ length: tasks }, (_, at) => at % arms);
  return drawOrder(starts, random).map((start) => (start + player) % arms);
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

function prepare(folder: string, options: Options & { player: number; second?: boolean }): void {
  const { player, second = false, ...more } = options;
  const machine = describeMachine(folder);
  const saved = setUp(machine, more);
  const own = join(resolve(folder), `${second ? 'second' : 'player'}-${player}`);
  if (existsSync(own)) throw new Error(`${own} is there already.`);
  const arms = saved.arms.map(readArm);
  const random = createRandom(saved.seed * 7919 + player);
  const all = listTasks(machine, saved, player);
  const given = assignArms(player, all.length, arms.length, saved.seed);
  const tasks = drawOrder(
    all.map((task, at) => ({ task, arm: arms[given[at] ?? 0] })),
    random,
  );
  const names: string[] = [];
  for (const [index, { task, arm }] of tasks.entries()) {
    if (arm === undefined) continue;
    const name = `${index + 1}-${task.name}`;
    const put = saved.findings && !second ? putFirst : putSecond;
    put(machine, { arm, task, player }, join(own, name));
    names.push(name);
  }
  writeFileSync(join(own, 'BRIEF.md'), brief(own, names));
  console.log(`${own}/BRIEF.md`);
}

function putSecond(machine: string, { arm, task, player }: Session, to: string): void {
  const from = join(machine, readFirst(arm, task, player));
  const at = join(machine, 'players', String(player), task.name);
  const was = readState(from);
  if (!was?.endedMs) throw new Error(`The first session of ${task.name} has no end.`);
  mkdirSync(at, { recursive: true });
  cpSync(join(from, 'live'), join(at, 'live'), COPY);
  const work = join(at, 'live/work');
  if (task.between) {
    const env = buildEnvironment(machine, join(at, 'live/home'));
    spawnSync('sh', ['-c', task.between], { cwd: work, env });
  }
  cpSync(work, join(at, 'before'), COPY);
  const goesOn = task.restart === 'compaction';
  const state: State = {
    ...hasBegun(machine, arm, task),
    player,
    first: false,
    session: goesOn ? was.session : randomUUID(),
    hoursLater: goesOn ? 0 : HOURS,
    prompts: task.second.map(({ text }) => text),
    again: task.again,
    summary: was.summary,
    parent: goesOn ? was.parent : undefined,
  };
  writeJson(join(at, 'state.json'), state);
  runActIn(machine, at, to);
}

async function score(folder: string): Promise<void> {
  const machine = describeMachine(folder);
  const saved = readJson<Saved>(join(machine, 'trial.json'));
  if (!saved) throw new Error(`${folder} has no trial: prepare one.`);
  const players = readdirSync(join(machine, 'players')).sort((a, b) => Number(a) - Number(b));
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const results = players.flatMap((player) =>
    listTasks(machine, saved, Number(player)).flatMap(
      (task) => readMeasured(machine, player, task, countTokens) ?? [],
    ),
  );
  const tasks = listTasks(machine, saved, 0);
  const missing = players.length * tasks.length - results.length;
  const table = [
    '# Trial\n',
    `- Scratchpad ${saved.commit}, ${saved.started.slice(0, 10)}, tasks: ${saved.findings ? 'findings' : assertTasks(saved.tasks)}; ${tasks.length} tasks, ${players.length} players, seed ${saved.seed}.`,
    ...saved.arms.map(readArm).map(({ name, about }) => `- ${name}: ${about}.`),
    ...(missing > 0 ? [`- ${missing} sessions have not ended.`] : []),
    renderTables(saved.arms, results, saved.seed),
  ].join('\n');
  writeJson(join(folder, 'results.json'), results);
  writeFileSync(join(folder, 'table.md'), table);
  const whole = results.map((result) => {
    const { events, told } = readState(join(machine, 'players', String(result.run), result.task)) ?? {};
    return JSON.stringify({ ...result, told, events }).replaceAll(`${machine}/live`, '');
  });
  writeFileSync(join(folder, 'runs.jsonl'), `${whole.join('\n')}\n`);
  console.log(table);
  for (const { arm, task, run, kept } of results) {
    const lost = Object.entries(kept).flatMap(([requirement, is]) => (is ? [] : [requirement]));
    if (lost.length > 0) console.log(`player ${run}, ${task}, ${arm}: lost ${lost.join('; ')}`);
  }
  console.log(`\nThe runs: ${machine}/players/PLAYER/TASK (session.json, state.json, live/work)`);
}

/** The measures of a session that has ended; nobody judges but the task's own checks. */
function readMeasured(
  machine: string,
  player: string,
  task: Task,
  tokensOf: (text: string) => number,
): Result | undefined {
  const at = join(machine, 'players', player, task.name);
  const state = readState(at);
  if (!state?.endedMs) return undefined;
  const { arm, events, told, beganMs = 0, ended = '' } = state;
  const file = join(at, 'session.json');
  const plain = events.map((event) => ('call' in event ? { call: event.call, arg: event.arg } : event));
  writeJson(file, { events: plain, before: join(at, 'before') });
  const args = [join(task.folder, 'checks.mjs'), join(at, 'live/work'), file];
  const done = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 300_000 });
  if (done.status !== 0) throw new Error(`The checks of ${task.name} failed themselves:\n${done.stderr}`);
  return {
    arm: arm.name,
    task: task.name,
    run: Number(player),
    kept: JSON.parse(done.stdout) as Record<string, boolean>,
    calls: events.filter((event) => 'call' in event).length,
    questions: events.filter((event) => 'say' in event && /[?？]\s*$/m.test(event.say)).length,
    added: [...told, arm.instructions ?? ''].reduce((sum, text) => sum + tokensOf(text), 0),
    turns: events.filter((event) => 'prompt' in event).length,
    ms: state.endedMs - beganMs,
    ended,
    findings: task.findings && readFindings(machine, state, task),
  };
}

/** What the notes of the first session hold of the findings, what the second was told of them, and how soon it changed something. */
function readFindings(
  machine: string,
  { arm, told, untilChange, player }: State,
  task: Task,
): Result['findings'] {
  const work = join(machine, readFirst(arm, task, player), 'live/work');
  const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  const notes = arm.notes.filter((path) => path.endsWith('.md')).map((path) => read(join(work, path)));
  const count = (text: string): number =>
    Object.values(task.findings ?? {}).filter((pattern) => new RegExp(pattern, 'i').test(text)).length;
  return {
    of: Object.keys(task.findings ?? {}).length,
    noted: count(notes.join('\n').split('<!-- scratchpad:state')[0] ?? ''),
    told: count(told.join('\n')),
    calls: untilChange?.calls ?? 0,
    tokens: Math.round((untilChange?.characters ?? 0) / 4),
  };
}

const program = new Command('hands').description('play the trial by hand');
program
  .command('prepare <folder>')
  .requiredOption('--player <n>', 'from 1 on', Number)
  .option('--tasks <folder>', 'tasks of your own', TASKS)
  .option(
    '--arms <names>',
    'arms; the others are compared with the last',
    (list) => list.split(','),
    ARMS.map(({ name }) => name),
  )
  .option('--seed <n>', 'decides who plays what with which arm, and the order', Number, 1)
  .option('--findings', 'tasks of investigation, whose first sessions are played, too')
  .option('--second', 'with --findings: the second sessions of this player, for another agent')
  .action(prepare);
program.command('score <folder>').action(score);
if (process.argv[1] === import.meta.filename) await program.parseAsync();
