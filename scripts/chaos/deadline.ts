import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOOK_HOSTS } from '../../src/hosts/host-rows.ts';
import { copyProgram, makeDirectory, readNumbers, removeAll, report } from './harness.ts';
import { INPUTS, type Input, write } from './hook-inputs.ts';

/**
 * Whether any hook misses its deadline: every event of every host, with everything that a hook reads, in the most
 * expensive forms, up to 100 MB.
 *
 *     npm run build && npx tsx scripts/chaos/deadline.ts [first input] [last input]
 *
 * A hook that ends late is run again up to three times, because the machine may be busy; it counts as late if it is
 * late each time. Those that used less processor time than half the limit are counted as `held up`: processor time
 * does not depend on other work.
 */
const LIMIT_MS = 2300;
const LARGEST = 100 * 1024 * 1024;
/** Inputs of many files, which would take hours to write. */
const MANY = /^(?:memory files|sessions|git index)$/;
const EVENTS = [...new Set(HOOK_HOSTS.values())].flatMap(({ name, events }) =>
  Object.keys(events).map((event) => ({ host: name, event })),
);
const [first = 0, last = 0] = readNumbers(0, INPUTS.length - 1);
const program = copyProgram();
const failures: string[] = [];
const figures = {
  runs: 0,
  'largest MB': 0,
  'late at first': 0,
  'late each time': 0,
  'held up': 0,
  'longest CPU ms': 0,
};

/** The time until the end, and processor time, which other work does not affect: infinite if it was ended after a minute. */
function run(root: string, home: string, host: string, event: { hook_event_name: string }) {
  const [usage, preload] = [join(home, 'usage.txt'), join(home, 'usage.cjs')];
  const used = 'const {user, system} = process.cpuUsage();';
  const told = `${used} require('fs').writeFileSync(${JSON.stringify(usage)}, String((user + system) / 1000))`;
  writeFileSync(preload, `process.on('exit', () => { ${told} });`);
  rmSync(usage, { force: true });
  const args = ['--require', preload, program, 'hook', host, event.hook_event_name];
  const env = { PATH: process.env.PATH, HOME: home, TZ: 'UTC' };
  const from = performance.now();
  const done = spawnSync(process.execPath, args, {
    ...{ cwd: root, input: JSON.stringify(event), env, timeout: 60_000, maxBuffer: 1e9 },
  });
  const wall = performance.now() - from;
  if (done.status !== 0 || String(done.stderr) !== '')
    failures.push(`${host} ${event.hook_event_name}: exit ${done.status} ${String(done.stderr).slice(-200)}`);
  return { wall, cpu: existsSync(usage) ? Number(readFileSync(usage, 'utf8')) : Number.POSITIVE_INFINITY };
}

/** A fresh workspace with an input of a given size, its size in bytes, and what the host sends with it. */
function prepare(input: Input, size: number): { home: string; root: string; bytes: number; more: object } {
  const home = makeDirectory('deadline');
  const root = join(home, 'workspace');
  write(root, '.scratchpad/.gitignore', '*\n');
  const more = input.make(root, size);
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).map((name) =>
    statSync(join(home, name)),
  );
  return {
    home,
    root,
    more,
    bytes: files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), JSON.stringify(more).length),
  };
}

/** The sizes to try: a hundred times the smallest, and those that amount to 10 and 100 MB. */
function listSizes(input: Input): number[] {
  if (MANY.test(input.name)) return [input.from, input.from * 10, input.from * 100];
  const { home, bytes } = prepare(input, input.from * 10);
  rmSync(home, { recursive: true, force: true });
  const whole = Math.floor((input.from * 10 * LARGEST) / bytes);
  return [input.from * 100, Math.ceil(whole / 10), whole];
}

function tryAll(input: Input, size: number): void {
  const { home, root, bytes, more } = prepare(input, size);
  const megabytes = Math.round(bytes / 1024 / 1024);
  figures['largest MB'] = Math.max(figures['largest MB'], megabytes);
  for (const { host, event } of EVENTS) {
    const json = {
      ...{ session_id: 's1', cwd: root, hook_event_name: event, prompt: 'is the upload test fixed?' },
      ...{ tool_name: 'Bash', tool_response: { stdout: 'x\n', stderr: '' } },
      ...more,
    };
    figures.runs += 1;
    let took = run(root, home, host, json);
    if (took.wall > LIMIT_MS) figures['late at first'] += 1;
    for (let again = 0; again < 3 && took.wall > LIMIT_MS; again += 1) {
      const next = run(root, home, host, json);
      took = { ...next, wall: Math.min(took.wall, next.wall), cpu: Math.min(took.cpu, next.cpu) };
    }
    figures['longest CPU ms'] = Math.max(figures['longest CPU ms'], Math.round(took.cpu));
    if (took.wall <= LIMIT_MS) continue;
    figures['late each time'] += 1;
    if (took.cpu < LIMIT_MS / 2) figures['held up'] += 1;
    else {
      const times = `${Math.round(took.wall)} ms, ${Math.round(took.cpu)} of the processor`;
      failures.push(`${input.name}, ${megabytes} MB: ${host} ${event}: ${times}`);
    }
  }
  rmSync(home, { recursive: true, force: true });
}

for (const input of INPUTS.slice(first, last + 1)) for (const size of listSizes(input)) tryAll(input, size);
report(`deadline, inputs ${first} to ${last}`, figures, failures);
removeAll();
