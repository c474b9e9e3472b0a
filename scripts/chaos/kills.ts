import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../../src/fs/index.ts';
import { parsePad } from '../../src/pad/document.ts';
import { FileStore } from '../../src/session/file-store.ts';
import { randomFrom } from '../random.ts';
import { copyProgram, freshWorkspace, numbers, removeAll, report, start } from './rig.ts';

/**
 * Kills the program with SIGKILL: first at random times, then before and in the middle of each of its file system
 * calls. Afterwards every acknowledged line (exit code 0 seen) must be
 * there, the file must parse, and the next command must work.
 *
 *     npx tsx scripts/chaos/kills.ts [kills] [seed]
 */
const [kills = 0, seed = 0] = numbers(100, 1);
const PER_WORKSPACE = 50;
/** A first write with settings makes about 300 calls, because each component of a path is checked. */
const MOST_CALLS = 600;
const FAULT = join(import.meta.dirname, 'fault.cjs');
const random = randomFrom(seed);
const program = copyProgram();
const failures: string[] = [];

const mutations: readonly ((token: string) => { args: string[]; space: 'notes' | 'plan' | 'refs' })[] = [
  (token) => ({ args: ['notes', 'append', token], space: 'notes' }),
  (token) => ({ args: ['notes', 'append', token], space: 'notes' }),
  (token) => ({ args: ['notes', 'prepend', token], space: 'notes' }),
  (token) => ({ args: ['plan', 'add', token], space: 'plan' }),
  (token) => ({ args: ['refs', 'add', token], space: 'refs' }),
];

/** The acknowledged lines of one workspace. */
class Witness {
  readonly root = freshWorkspace('kills');
  readonly store = new FileStore(this.root, 'main');
  readonly acknowledged: { space: 'notes' | 'plan' | 'refs'; token: string }[] = [];

  async check(when: string): Promise<void> {
    const text = readText(this.store.paths.pad, 'pad');
    const problems = text === undefined ? [] : parsePad(text).problems;
    if (problems.length > 0) failures.push(`${when}: torn file: ${problems[0]?.message}`);
    const { spaces } = await this.store.read();
    for (const { space, token } of this.acknowledged) {
      const lines = spaces[space].split('\n').map((line) => line.replace(/^(?:\d+\.|-) /, ''));
      const times = lines.filter((line) => line === token).length;
      if (times !== 1) failures.push(`${when}: ${token} is in ${space} ${times} times`);
    }
  }
}

let tokens = 0;
async function mutate(witness: Witness, env: Record<string, string>, killAfter?: number) {
  tokens += 1;
  const token = `token-${tokens}`;
  const { args, space } = (mutations[Math.floor(random() * mutations.length)] ?? mutations[0])?.(token) ?? {
    args: [],
    space: 'notes' as const,
  };
  const { child, ended } = start([program, ...args], witness.root, env);
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  const end = await ended;
  clearTimeout(timer);
  if (end.code === 0) witness.acknowledged.push({ space, token });
  return end;
}

const figures = { tried: 0, killed: 0, acknowledged: 0, leftovers: 0 };

/** The next command, without a fault, must work and see everything. */
async function recover(witness: Witness, when: string): Promise<void> {
  const { code, stderr } = await mutate(witness, {});
  if (code !== 0) failures.push(`${when}: the next command failed with ${code}: ${stderr}`);
  await witness.check(when);
  const left = readdirSync(witness.store.paths.dir).filter((name) => /^lock|\.tmp$/.test(name));
  figures.leftovers = Math.max(figures.leftovers, left.length);
}

// The typical time of a whole run: most kills are aimed at its second half, where the writing is.
let typical = 0;
let witness = new Witness();
for (let k = 0; k < 5; k += 1) typical = Math.max(typical, (await mutate(witness, {})).ms);
for (let tried = 0; tried < kills; tried += 1) {
  if (tried % PER_WORKSPACE === 0) {
    figures.acknowledged += witness.acknowledged.length;
    witness = new Witness();
  }
  const { code, ms } = await mutate(witness, {}, typical * (0.3 + random() * 0.8));
  figures.tried += 1;
  if (code === null) figures.killed += 1;
  else typical = typical * 0.9 + ms * 0.1;
  await witness.check(`random kill ${tried}`);
  if (tried % 10 === 9) await recover(witness, `after random kill ${tried}`);
}
figures.acknowledged += witness.acknowledged.length;
report('SIGKILL at random times', figures, failures);

const calls = { tried: 0, killed: 0, acknowledged: 0, leftovers: 0 };
const before = failures.length;
for (const fault of ['kill', 'half']) {
  // A first write, an ordinary one, and one that takes over the lock of a dead process.
  for (const prepared of [0, 1, 2]) {
    for (let at = 1; ; at += 1) {
      const place = new Witness();
      if (prepared > 0) await mutate(place, {});
      if (prepared > 1)
        await mutate(place, { NODE_OPTIONS: `--require=${FAULT}`, FAULT: 'kill', FAULT_AT: '20' });
      const env = { NODE_OPTIONS: `--require=${FAULT}`, FAULT: fault, FAULT_AT: String(at) };
      const { code } = await mutate(place, env);
      if (code === 77) break;
      calls.tried += 1;
      if (code === null) calls.killed += 1;
      const when = `${fault} at call ${at}, prepared ${prepared}`;
      await place.check(when);
      await recover(place, when);
      calls.acknowledged += place.acknowledged.length;
      if (at > MOST_CALLS) {
        failures.push(`${when}: no end of calls`);
        break;
      }
    }
  }
}
calls.leftovers = figures.leftovers;
report('SIGKILL before and in the middle of each file system call', calls, failures.slice(before));
removeAll();
