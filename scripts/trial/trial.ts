import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer';
import { randomFrom } from '../random.ts';
import { type Arm, binFolder, hasOwnFirst, pathWith, setUp } from './arms.ts';
import { COPY, copyOf, makeOlder, readJson, remove, write, writeJson, writeWhole } from './home.ts';
import type { Happened, Host, Json, Place, Program } from './hosts/host.ts';
import { counts, type Result } from './measures.ts';
import {
  compact,
  emptySession,
  type Failure,
  playFirst,
  playSecond,
  type Session,
  type Setting,
} from './session.ts';
import type { Task } from './tasks.ts';

export interface Trial {
  host: Host;
  program: Program;
  arms: Arm[];
  tasks: Task[];
  runs: number;
  seed: number;
  model?: string | undefined;
  sandbox: boolean;
  /** The person's home, which is only read. */
  person: string;
  scratchpad: string;
  /** Where the results go, and a temporary folder in which the sessions run. */
  out: string;
  temporary: string;
  deadlineMs: number;
  /** The least time between the two sessions. */
  pauseMs: number;
  /** Whether a script plays the model: instead of a wait, the files of the first session are made older. */
  stub: boolean;
}

interface Cell {
  arm: Arm;
  task: Task;
  run: number;
}

export const nameOf = ({ arm, task, run }: Cell): string => `${arm.name}-${task.name}-${run}`;
const firstOf = ({ arm, task, run }: Cell): string =>
  `${hasOwnFirst(arm) ? arm.name : 'plain'}-${task.name}-${run}`;

/** All runs, in an order that the seed decides. */
export function cells({ arms, tasks, runs, seed }: Pick<Trial, 'arms' | 'tasks' | 'runs' | 'seed'>): Cell[] {
  const all = tasks.flatMap((task) =>
    Array.from({ length: runs }, (_, at) => arms.map((arm) => ({ arm, task, run: at + 1 }))).flat(),
  );
  // After a compaction that belongs to the task, the arm "compaction" is the arm "nothing".
  const sensible = all.filter(
    ({ arm, task }) => !(task.restart === 'compaction' && arm.second === 'compact'),
  );
  const random = randomFrom(seed);
  return sensible
    .map((cell) => ({ cell, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ cell }) => cell);
}

export const firstSessions = (all: readonly Cell[]): Cell[] => [
  ...new Map(all.map((cell) => [firstOf(cell), cell])).values(),
];

interface First {
  session: Session;
  endedAt: number;
}

export const resultOf = (out: string, name: string): Result | undefined =>
  readJson(join(out, 'runs', name, 'result.json'));

/** Results that stand; what the machine did, not the agent, is tried again. */
const stands = (result: Result | undefined): result is Result => result !== undefined && counts(result);
const isHopeless = (failure: Failure | undefined): failure is Failure =>
  failure?.kind === 'login' || failure?.kind === 'disk full';

/** A failure that every other run would share. */
export class Hopeless extends Error {}

export async function runTrial(trial: Trial): Promise<void> {
  const todo = cells(trial).filter((cell) => !stands(resultOf(trial.out, nameOf(cell))));
  const firsts = firstSessions(todo);
  for (const [at, cell] of firsts.entries()) {
    const done = readJson<First>(join(kept(trial, cell), 'first.json'));
    if (done && failedBefore(done.session) === undefined) continue;
    console.log(`first session ${at + 1} of ${firsts.length}: ${firstOf(cell)}`);
    await first(trial, cell);
  }
  for (const [at, cell] of todo.entries()) {
    const result = await second(trial, cell);
    const folder = join(trial.out, 'runs', nameOf(cell));
    mkdirSync(folder, { recursive: true });
    writeJson(join(folder, 'result.json'), result);
    const all = Object.values(result.kept);
    const how = result.failure
      ? `${result.failure.kind}: ${result.failure.said}`
      : `kept ${all.filter(Boolean).length} of ${all.length}, ${result.calls} calls`;
    console.log(`run ${at + 1} of ${todo.length}: ${nameOf(cell)}: ${how}`);
    if (isHopeless(result.failure)) throw new Hopeless(result.failure.said);
  }
}

/** Why nothing can go on from a first session; one that took too long was cut off all the same. */
const failedBefore = ({ failure }: Session): Failure | undefined =>
  failure?.kind === 'too long' ? undefined : failure;

const kept = (trial: Trial, cell: Cell): string => join(trial.temporary, 'firsts', firstOf(cell));
const live = ({ temporary }: Trial): string => join(temporary, 'live');

/** The same two folders for all sessions, since hosts file sessions by path. */
function place(trial: Trial): Place {
  const home = join(live(trial), 'home');
  return { person: trial.person, home, work: join(live(trial), 'work'), sandbox: trial.sandbox };
}

const TAKEN = /^(LANG|LC_\w+|TZ|https?_proxy|no_proxy|all_proxy|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS)$/i;

function setting(trial: Trial, arm: Arm, folder: string): Setting {
  const { host, program, temporary, scratchpad, model, deadlineMs } = trial;
  const at = place(trial);
  const taken = Object.entries(process.env).filter(([name]) => TAKEN.test(name) || host.variables.test(name));
  const env = {
    ...Object.fromEntries(taken.map(([name, value]) => [name, value ?? ''])),
    PATH: pathWith(binFolder(temporary, host, program, scratchpad)),
    HOME: at.home,
    TERM: 'dumb',
    ...host.env(at),
  };
  mkdirSync(folder, { recursive: true });
  const lines = join(folder, 'lines.jsonl');
  rmSync(lines, { force: true });
  const keep = (line: Json): void => appendFileSync(lines, `${JSON.stringify(line)}\n`);
  return { host, program, place: at, env, arm, model, deadlineMs, keep };
}

const git = (cwd: string, ...args: string[]): string => {
  const done = spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
};

/** Makes a task's project and a home, with what the arm adds, in an empty place. */
export function prepare(
  at: Place,
  { arm, task }: Pick<Cell, 'arm' | 'task'>,
  own: Pick<Setting, 'host' | 'env'>,
): void {
  const { host, env } = own;
  mkdirSync(at.home, { recursive: true });
  cpSync(join(task.folder, 'project'), at.work, { recursive: true });
  write(
    at.home,
    '.gitconfig',
    '[user]\n name = A Person\n email = person@example.org\n[init]\n defaultBranch = main\n',
  );
  if (arm.instructions) writeFileSync(join(at.work, host.instructions), '');
  spawnSync('git', ['init', '-q', '-b', 'main'], { cwd: at.work, env });
  const commit = 'git add -A && git commit -qm "state before"';
  const branch = task.branch ? ` && git switch -qc ${task.branch}` : '';
  host.prepare(at);
  if (hasOwnFirst(arm)) setUp(arm, host, at, env);
  spawnSync('sh', ['-c', commit + branch], { cwd: at.work, env });
}

async function first(trial: Trial, cell: Cell): Promise<void> {
  const { arm, task } = cell;
  const folder = join(trial.out, 'firsts', firstOf(cell));
  remove(live(trial));
  const at = place(trial);
  const own = setting(trial, arm, folder);
  prepare(at, cell, own);
  const session = await playFirst(own, task);
  const told = session.id ? trial.host.injected(at, session.id) : [];
  writeJson(join(folder, 'events.json'), session.events);
  writeWhole(join(folder, 'told.md'), toldText(told, arm));
  const to = kept(trial, cell);
  remove(to);
  await copyOf(live(trial), to);
  writeJson(join(to, 'first.json'), { session, endedAt: Date.now() } satisfies First);
  const { failure, ended } = session;
  console.log(`  ${failure ? `${failure.kind}: ${failure.said}` : ended}`);
  if (isHopeless(failure)) throw new Hopeless(failure.said);
}

async function second(trial: Trial, cell: Cell): Promise<Result> {
  const { host } = trial;
  const { arm, task, run } = cell;
  const folder = join(trial.out, 'runs', nameOf(cell));
  const from = kept(trial, cell);
  const was = readJson<First>(join(from, 'first.json'));
  if (!was) throw new Error(`There is no first session ${firstOf(cell)}.`);
  const cellOf = { arm: arm.name, task: task.name, run, first: was.session.ended };
  const failed = failedBefore(was.session);
  if (failed) {
    const failure = { ...failed, said: `in the first session: ${failed.said}` };
    const { turns, usage, ms, model } = emptySession();
    const none = { kept: {}, calls: 0, questions: 0, added: 0, ended: 'not run' };
    return { ...cellOf, ...none, turns, usage, ms, model, failure };
  }
  const isAged = trial.stub && !host.database;
  const wait = isAged ? 0 : was.endedAt + trial.pauseMs - Date.now();
  await new Promise((done) => setTimeout(done, Math.max(0, wait)));
  remove(live(trial));
  await copyOf(from, live(trial));
  if (isAged) makeOlder(live(trial), trial.pauseMs);
  const own = setting(trial, arm, folder);
  const at = own.place;
  if (task.between) spawnSync('sh', ['-c', task.between], { cwd: at.work, env: own.env });
  const before = join(trial.temporary, 'before');
  remove(before);
  cpSync(at.work, before, COPY);
  const start = git(at.work, 'rev-parse', 'HEAD').trim();
  const goesOn = task.restart === 'compaction' || arm.second !== 'new';
  const id = goesOn ? was.session.id : undefined;
  const compacts = arm.second === 'compact' || (task.restart === 'compaction' && arm.second === 'new');
  const compaction = id !== undefined && compacts ? await compact(own, id) : undefined;
  const earlier = id === undefined ? 0 : host.injected(at, id).length;
  const session = compaction?.failure ? compaction : await playSecond(own, task, compaction?.id ?? id);
  if (compaction && compaction !== session) {
    for (const key of ['input', 'cached', 'output'] as const) session.usage[key] += compaction.usage[key];
    session.ms += compaction.ms;
  }
  const told = session.ids.flatMap((one) => host.injected(at, one)).slice(earlier);
  const judged = judge(cell, at.work, folder, { events: session.events, before, told });
  git(at.work, 'add', '-A', '-N');
  writeWhole(join(folder, 'work.patch'), git(at.work, 'diff', start));
  const { turns, usage, ms, ended, failure } = session;
  const model = session.model || was.session.model;
  return { ...cellOf, ...judged, turns, usage, ms, model, ended, failure };
}

interface Happening {
  events: Happened[];
  /** The tree as it was when the session began. */
  before: string;
  /** Every text that was put into the context. */
  told: string[];
}

/** Measures a session, and files what happened in it and what it was told. */
export function judge(
  { arm, task }: Pick<Cell, 'arm' | 'task'>,
  work: string,
  folder: string,
  { events, before, told }: Happening,
): Pick<Result, 'kept' | 'calls' | 'questions' | 'added'> {
  const facts = {
    events: events.map((event) => ('call' in event ? { call: event.call, arg: event.arg } : event)),
    before,
  };
  const file = join(folder, 'session.json');
  writeJson(file, facts);
  writeWhole(join(folder, 'told.md'), toldText(told, arm));
  return {
    kept: checked(task, work, file),
    calls: events.filter((event) => 'call' in event).length,
    questions: events.filter((event) => 'say' in event && /[?？]\s*$/m.test(event.say)).length,
    added: [...told, arm.instructions ?? ''].reduce((sum, text) => sum + countTokens(text), 0),
  };
}

/** What of the person's requirements the tree keeps. */
function checked(task: Task, work: string, session: string): Record<string, boolean> {
  const args = [join(task.folder, 'checks.mjs'), work, session];
  const done = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 300_000 });
  if (done.status !== 0) throw new Error(`The checks of ${task.name} failed themselves:\n${done.stderr}`);
  return JSON.parse(done.stdout) as Record<string, boolean>;
}

const toldText = (told: readonly string[], { instructions }: Arm): string => {
  const all = [...(instructions ? [`(the file of instructions)\n${instructions}`] : []), ...told];
  return all.length === 0 ? 'Nothing was put into the context.\n' : `${all.join('\n\n---\n\n')}\n`;
};

/** Whether everything has been run. */
export const remaining = (trial: Trial): number =>
  cells(trial).filter((cell) => !stands(resultOf(trial.out, nameOf(cell)))).length;
