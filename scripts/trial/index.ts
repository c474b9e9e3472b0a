/**
 * A trial of what a session is told of the one before it, with a real agent. docs/trial.md has the whole.
 *
 *   npx tsx scripts/trial --agent claude-code --runs 1
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { armOf, USUAL, unable } from './arms.ts';
import { readJson, remove, stateOf, writeJson, writeWhole } from './home.ts';
import { claudeCode } from './hosts/claude-code.ts';
import { codex } from './hosts/codex.ts';
import { geminiCli } from './hosts/gemini-cli.ts';
import type { Host, Program } from './hosts/host.ts';
import { openclaw } from './hosts/openclaw.ts';
import { type About, markdown, STUB, summarise } from './report.ts';
import { CUT } from './session.ts';
import { loadTasks, TASKS, tasksAre } from './tasks.ts';
import {
  cells,
  firstSessions,
  Hopeless,
  nameOf,
  remaining,
  resultOf,
  runTrial,
  type Trial,
} from './trial.ts';
import { endAll } from './turn.ts';

const HOSTS: Record<string, Host> = { 'claude-code': claudeCode, codex, 'gemini-cli': geminiCli, openclaw };
const SCRATCHPAD = join(import.meta.dirname, '../../bin/scratchpad.js');
/** Measured in runs by hand: about twelve calls a session; a host's own prompt is 15,000 tokens and more. */
const GUESS = { calls: 12, context: 20_000, output: 5_000 };

interface Options {
  agent: string;
  runs: number;
  arms: string[];
  tasks?: string[];
  tasksFolder: string;
  seed: number;
  model?: string;
  sandbox: boolean;
  out?: string;
  continue?: string;
  command?: string;
  minutes: number;
  pause: number;
  stub?: boolean;
  yes?: boolean;
}

const names = (list: string): string[] => list.split(',').filter(Boolean);
const count = (text: string): number => {
  const number = Number(text);
  if (!(number >= 0)) throw new InvalidArgumentError(`expected a number, found "${text}"`);
  return number;
};

const command = new Command('trial')
  .description('try, with a real agent, what a session is told of the one before it')
  .addOption(new Option('--agent <name>', 'the agent').choices(Object.keys(HOSTS)).default('claude-code'))
  .option('--runs <n>', 'runs of each task and arm', count, 1)
  .option('--arms <names>', 'arms, or files that describe one', names, USUAL)
  .option('--tasks <names>', 'some of the tasks', names)
  .option('--tasks-folder <path>', 'tasks of your own', TASKS)
  .option('--seed <n>', 'decides the order', count, 1)
  .option('--model <name>', 'the model, if not the one of your configuration')
  .option('--no-sandbox', "without the host's own sandbox: only in a container")
  .option('--out <folder>', 'where the results go (default: trial-AGENT-TIME)')
  .option('--continue <folder>', 'go on with an interrupted trial')
  .option('--command <words>', "the agent's command, instead of the one on the PATH")
  .option('--minutes <n>', 'the longest that a turn may take', count, 15)
  .option('--pause <seconds>', 'the least time between the two sessions', count, 150)
  .addOption(new Option('--stub', 'a script plays the model: the figures are marked as none').hideHelp())
  .option('-y, --yes', 'do not ask');

const complain = (text: string): never => {
  console.error(text);
  process.exit(1);
};

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The agent's program and its version. */
function find(host: Host, given: string | undefined): { program: Program; version: string } {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, host.command));
  const [first = '', ...args] = given?.split(' ') ?? onPath.filter(isProgram).slice(0, 1);
  if (first === '') return complain(`${host.command} is not on the PATH. Install it: ${host.install}`);
  const probe = mkdtempSync(join(tmpdir(), 'trial-probe-'));
  const env = { PATH: process.env.PATH ?? '', HOME: probe };
  const how = { encoding: 'utf8', cwd: probe, env, timeout: 60_000 } as const;
  const { status, error, stdout, stderr } = spawnSync(first, [...args, '--version'], how);
  remove(probe);
  if (status !== 0) return complain(`${host.command} --version failed: ${error?.message ?? stderr}`);
  return { program: { command: first, args }, version: stdout.trim().split('\n').at(-1) ?? '' };
}

interface Saved {
  about: About;
  temporary: string;
  options: Options;
}

/** Everything that is decided before the first run; says what is left out, and stops if it cannot begin. */
function planned() {
  const given = command.parse().opts<Options>();
  const folder = given.continue === undefined ? undefined : resolve(given.continue);
  const saved = folder === undefined ? undefined : readJson<Saved>(join(folder, 'trial.json'));
  if (folder && !saved) complain(`${folder} has no trial in it: expected a file trial.json.`);
  const options = { ...(saved?.options ?? given), yes: given.yes === true };
  const host = HOSTS[options.agent] ?? complain(`There is no agent ${options.agent}.`);
  const wanted = loadTasks(options.tasks, options.tasksFolder);
  const chosen = options.arms.map(armOf);
  const { program, version } = find(host, options.command);
  if (options.arms.includes('ours') && !existsSync(join(SCRATCHPAD, '../../dist')))
    complain('The scratchpad is not built, and the arm "ours" needs it: npm run build.');
  const stamp = new Date().toISOString().slice(0, 16).replaceAll(/[-:]/g, '');
  const out = folder ?? resolve(options.out ?? `trial-${host.name}-${stamp}`);
  if (!folder && existsSync(join(out, 'trial.json')))
    complain(`${out} has a trial already: --continue ${out}, or another --out.`);
  for (const arm of chosen.filter((one) => unable(one, host)))
    console.log(`Left out: the arm ${arm.name} ${unable(arm, host)}.`);
  const arms = chosen.filter((arm) => unable(arm, host) === undefined);
  const tasks = wanted.filter(({ restart }) => restart !== 'compaction' || host.compact !== undefined);
  for (const { name } of wanted.filter((task) => !tasks.includes(task)))
    console.log(`Left out: the task ${name}, for ${host.name} has no compaction without a person.`);
  const about: About = {
    agent: host.name,
    version,
    tasks: tasksAre(options.tasksFolder),
    arms: arms.map(({ name, about: what }) => ({ name, about: what })),
    taskNames: tasks.map(({ name }) => name),
    runs: options.runs,
    seed: options.seed,
    cut: CUT,
    sandbox: options.sandbox,
    started: saved?.about.started ?? new Date().toISOString(),
    stub: options.stub === true,
  };
  for (const key of ['version', 'tasks'] as const) {
    if (saved && saved.about[key] !== about[key])
      complain(`This trial was begun with ${key} ${saved.about[key]}; now it is ${about[key]}.`);
  }
  return { options, saved, host, program, arms, tasks, about, out };
}

async function ask(): Promise<void> {
  if (!process.stdin.isTTY) complain('Nobody can be asked here: add --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Go on? [y/N] ');
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) complain('Nothing was run.');
}

const million = (number: number): string => `${(number / 1e6).toFixed(1)} million`;

async function main(): Promise<void> {
  const { options, saved, host, program, arms, tasks, about, out } = planned();
  const all = cells({ arms, tasks, runs: options.runs, seed: options.seed });
  const todo = all.filter((cell) => resultOf(out, nameOf(cell)) === undefined).length;
  const sessions = firstSessions(all).length + todo;
  const calls = sessions * GUESS.calls;
  console.log(`${about.stub ? `${STUB}\n` : ''}${host.name} ${about.version}, tasks: ${about.tasks}
${tasks.length} tasks, ${arms.length} arms (${arms.map(({ name }) => name).join(', ')}), ${options.runs} runs each: ${firstSessions(all).length} first sessions and ${todo} second ones.
Estimate: ${calls} calls; ${million(calls * GUESS.context)} tokens read (most of them from the cache), ${million(sessions * GUESS.output)} written, with your own login or key.
It works in a temporary folder, with a temporary home made from your configuration, ${options.sandbox ? "in the host's own sandbox" : 'WITHOUT a sandbox: commands of the agent may do what you may do'}.
Results: ${out}`);
  if (!options.yes) await ask();
  mkdirSync(out, { recursive: true });
  if (saved && !existsSync(saved.temporary))
    console.log('The temporary folder of this trial is gone: first sessions are run again where needed.');
  const temporary = saved?.temporary ?? mkdtempSync(join(tmpdir(), 'trial-'));
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  if (!saved) writeJson(join(out, 'trial.json'), { about, temporary, options } satisfies Saved);
  const person = homedir();
  const trial: Trial = {
    arms,
    tasks,
    runs: options.runs,
    seed: options.seed,
    host,
    program,
    model: options.model,
    sandbox: options.sandbox,
    person,
    scratchpad: SCRATCHPAD,
    out,
    temporary,
    deadlineMs: options.minutes * 60_000,
    pauseMs: options.pause * 1000,
    stub: about.stub,
  };
  const before = stateOf(person, host.configuration);
  const tell = (): void => {
    const after = stateOf(person, host.configuration);
    const changed = host.configuration.filter((path) => before[path] !== after[path]);
    const found = Object.values(before).filter((one) => one !== 'not there').length;
    console.log(
      changed.length === 0
        ? `Your configuration is as it was (${found} files compared).`
        : `Changed meanwhile in your home, not by this trial, which only reads it: ${changed.join(', ')}`,
    );
    writeJson(join(out, 'configuration.json'), { before, after });
    const results = all.flatMap((cell) => resultOf(out, nameOf(cell)) ?? []);
    const summary = summarise(about, results, all.length);
    writeWhole(join(out, 'table.md'), markdown(summary));
    writeJson(join(out, 'results.json'), summary);
    console.log(`\n${markdown(summary)}`);
  };
  const next = `npx tsx scripts/trial --continue ${out}`;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      endAll();
      console.log(`\nInterrupted. Go on with: ${next}`);
      process.exit(130);
    });
  }
  try {
    await runTrial(trial);
  } catch (error) {
    endAll();
    const { message, code } = error as NodeJS.ErrnoException;
    const full = code === 'ENOSPC' || /no space left/i.test(message);
    if (!full) tell();
    const why =
      full || error instanceof Hopeless ? 'Stopped, since every other run would end the same:\n' : '';
    return complain(`\n${why}${full ? 'The disk is full: ' : ''}${message}\nThen go on with: ${next}`);
  }
  tell();
  const left = remaining(trial);
  if (left === 0) remove(temporary);
  else console.log(`${left} runs are no results (see the table). Try them again with: ${next}`);
}

await main();
