import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HOOK_HOSTS } from '../../src/hosts/index.ts';
import { INPUTS, type Input, type Took, timedHook, write } from '../hook-inputs.ts';
import { copyProgram, freshDir, numbers, removeAll, report } from './rig.ts';

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
  [...events.keys()].map((event) => ({ host: name, event })),
);

/** A fresh workspace with an input of a given size, its size in bytes, and what the host sends with it. */
function prepare(input: Input, size: number): { home: string; root: string; bytes: number; more: object } {
  const home = freshDir('deadline');
  const root = join(home, 'workspace');
  write(root, '.scratchpad/.gitignore', '*\n');
  const more = input.make(root, size);
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).map((name) =>
    statSync(join(home, name)),
  );
  const bytes = files.reduce(
    (sum, stats) => sum + (stats.isFile() ? stats.size : 0),
    JSON.stringify(more).length,
  );
  return { home, root, bytes, more };
}

/** The sizes to try: a hundred times the smallest, and those that amount to 10 and 100 MB. */
function sizesOf(input: Input): number[] {
  if (MANY.test(input.name)) return [input.from, input.from * 10, input.from * 100];
  const { home, bytes } = prepare(input, input.from * 10);
  rmSync(home, { recursive: true, force: true });
  const whole = Math.floor((input.from * 10 * LARGEST) / bytes);
  return [input.from * 100, Math.ceil(whole / 10), whole];
}

const [first = 0, last = 0] = numbers(0, INPUTS.length - 1);
const program = copyProgram();
const failures: string[] = [];
const figures = {
  runs: 0,
  'largest MB': 0,
  'late at first': 0,
  'late each time': 0,
  'held up': 0,
  'longest ms of processor time': 0,
};

for (const input of INPUTS.slice(first, last + 1)) {
  for (const size of sizesOf(input)) {
    const { home, root, bytes, more } = prepare(input, size);
    const megabytes = bytes / 1024 / 1024;
    figures['largest MB'] = Math.max(figures['largest MB'], Math.round(megabytes));
    for (const { host, event } of EVENTS) {
      const json = {
        session_id: 's1',
        cwd: root,
        hook_event_name: event,
        prompt: 'is the upload test fixed?',
        tool_name: 'Bash',
        tool_response: { stdout: 'x\n', stderr: '' },
        ...more,
      };
      const run = (): Took => {
        const took = timedHook(program, root, home, host, json);
        if (took.ended) console.log(`  ended: ${input.name}, ${Math.round(megabytes)} MB: ${host} ${event}`);
        return took;
      };
      figures.runs += 1;
      let took = run();
      if (took.wall > LIMIT_MS) figures['late at first'] += 1;
      for (let again = 0; again < 3 && took.wall > LIMIT_MS; again += 1) {
        const next = run();
        took = { ...next, wall: Math.min(took.wall, next.wall), cpu: Math.min(took.cpu, next.cpu) };
      }
      figures['longest ms of processor time'] = Math.max(
        figures['longest ms of processor time'],
        Math.round(took.cpu),
      );
      if (took.wall <= LIMIT_MS) continue;
      figures['late each time'] += 1;
      if (took.cpu < LIMIT_MS / 2) {
        figures['held up'] += 1;
        continue;
      }
      failures.push(
        `${input.name}, ${Math.round(megabytes)} MB: ${host} ${event}: ${Math.round(took.wall)} ms, ${Math.round(took.cpu)} of the processor`,
      );
    }
    rmSync(home, { recursive: true, force: true });
  }
}
removeAll();
report(`deadline, inputs ${first} to ${last}`, figures, failures);
