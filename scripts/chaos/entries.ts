import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileEntries } from '../../src/entries/file-entries.ts';
import { sessionPaths } from '../../src/session/workspace.ts';
import { randomFrom } from '../random.ts';
import {
  copyProgram,
  type Ended,
  freshDir,
  freshWorkspace,
  numbers,
  removeAll,
  report,
  start,
} from './rig.ts';
import { fill, mount } from './small-disk.ts';

/**
 * Named entries under adverse conditions: commands killed at random times and at each of their file system calls,
 * many processes at once, a full disk. Every change that was acknowledged (exit code 0
 * seen) must be there, every entry must have one of the contents that were written to it, and the next command must
 * work.
 *
 *     npx tsx scripts/chaos/entries.ts [kills] [every] [processes] [changes each] [seed]
 *
 * `every`: a command is killed at every n-th call, 1 for all.
 */
const [kills = 0, every = 1, processes = 0, each = 0, seed = 0] = numbers(100, 5, 8, 12, 1);
const FAULT = join(import.meta.dirname, 'fault.cjs');
const random = randomFrom(seed);
const program = copyProgram();
const LARGE = join(freshDir('large'), 'large');
/** Large enough to be read in several pieces, with a table of its characters. */
const LARGE_TEXT = 'größer als 日本語 🦀\n'.repeat(60_000);
writeFileSync(LARGE, LARGE_TEXT);

type Contents = ReadonlyMap<string, string>;

/** A command line, and the contents after it. */
interface Change {
  args: string[];
  apply: (before: Contents) => Contents;
}

const put =
  (name: string, content: (before: Contents) => string) =>
  (before: Contents): Contents =>
    new Map(before).set(name, content(before));
const take = (name: string, before: Contents): Map<string, string> => {
  const after = new Map(before);
  after.delete(name);
  return after;
};

/** Every kind of change to an existing entry, with another entry beside it. */
const KINDS: readonly ((name: string, other: string, text: string) => Change)[] = [
  (name, _, text) => ({ args: ['entry', 'write', name, text], apply: put(name, () => text) }),
  (name, _, text) => ({
    args: ['entry', 'write', name, '--append', text],
    apply: put(name, (now) => (now.get(name) ?? '') + text),
  }),
  (name) => ({ args: ['entry', 'load', name, LARGE], apply: put(name, () => LARGE_TEXT) }),
  (name, _, text) => ({ args: ['entry', 'edit', name, '--content', text], apply: put(name, () => text) }),
  (name, _, text) => ({
    args: ['entry', 'edit', name, '--old', ';', '--new', `;${text}`, '--all'],
    apply: put(name, (now) => (now.get(name) ?? '').replaceAll(';', `;${text}`)),
  }),
  (name, other) => ({
    args: ['entry', 'merge', other, other, name, '--separator', '|', '--remove'],
    apply: (now) => put(other, () => `${now.get(other)}|${now.get(name)}`)(take(name, now)),
  }),
  (name, other) => ({
    args: ['entry', 'rename', name, other, '--force'],
    apply: (now) => put(other, () => now.get(name) ?? '')(take(name, now)),
  }),
  (name) => ({ args: ['entry', 'delete', name], apply: (now) => take(name, now) }),
  (name, _, text) => ({
    args: ['run', '--limit', '10', '--scratchpad', name, 'printf', `${text}\\n%.0s`, ...'123456789'],
    apply: put(name, () => `${text}\n`.repeat(9)),
  }),
];

/** A workspace, and the expected contents. */
class Witness {
  readonly root: string;
  readonly entries: FileEntries;
  acknowledged = 0;
  contents: Contents = new Map();

  constructor(root = freshWorkspace('entries')) {
    this.root = root;
    this.entries = new FileEntries(sessionPaths(root, 'main'));
  }

  /** Ensures that there are two entries, without a fault. */
  async prepare(failures: string[]): Promise<void> {
    for (const name of ['a', '../b']) {
      if (!this.contents.has(name)) await this.try(`prepare ${name}`, change(0, name), failures);
    }
  }

  /** Runs a change, perhaps with a fault, and checks the contents afterwards. */
  async try(
    when: string,
    { args, apply }: Change,
    failures: string[],
    env: Record<string, string> = {},
    killAfter?: number,
  ): Promise<Ended> {
    const { child, ended } = start([program, ...args], this.root, env);
    const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
    const end = await ended;
    clearTimeout(timer);
    const done = end.code === 0;
    if (done) this.acknowledged += 1;
    const after = apply(this.contents);
    const found = await this.read();
    if (same(after, found)) this.contents = after;
    else if (done || !same(this.contents, found)) {
      failures.push(`${when}: ${args.slice(0, 3).join(' ')}: exit ${end.code}, there is ${shown(found)}`);
      this.contents = found;
    }
    return end;
  }

  /** The next commands, without a fault, must work. @returns files that are in no index */
  async recover(when: string, failures: string[]): Promise<number> {
    await this.prepare(failures);
    const end = await this.try(when, change(0, 'a'), failures);
    if (end.code !== 0) failures.push(`${when}: the next command failed with ${end.code}: ${end.stderr}`);
    const index = readFileSync(join(this.entries.files.dir, 'index.json'), 'utf8');
    const named = (JSON.parse(index) as { entries: { file: string }[] }).entries.map(({ file }) => file);
    const known = new Set(['index.json', ...named.flatMap((file) => [file, `${file}.offsets`])]);
    return readdirSync(this.entries.files.dir).filter((file) => !known.has(file)).length;
  }

  async read(): Promise<Contents> {
    const contents = new Map<string, string>();
    for (const { name, bytes } of await this.entries.list()) {
      const parts: Buffer[] = [];
      for await (const part of this.entries.bytes(name)) parts.push(part);
      const content = Buffer.concat(parts);
      contents.set(
        name,
        content.length === bytes ? content.toString() : `torn: ${content.length} of ${bytes}`,
      );
    }
    return contents;
  }
}

let changes = 0;
function change(kind: number, name: string): Change {
  changes += 1;
  const make = KINDS[kind] as (typeof KINDS)[number];
  return make(name, name === 'a' ? '../b' : 'a', `text ${changes};`);
}

function same(a: Contents, b: Contents): boolean {
  return a.size === b.size && [...a].every(([name, content]) => b.get(name) === content);
}

function shown(contents: Contents): string {
  return JSON.stringify([...contents].map(([name, content]) => [name, content.length, content.slice(0, 60)]));
}

const LEFT = 'files left behind, at most';

{
  const failures: string[] = [];
  const figures = { tried: 0, killed: 0, acknowledged: 0, [LEFT]: 0 };
  let typical = 0;
  let witness = new Witness();
  for (let tried = 0; tried < kills; tried += 1) {
    if (tried % 25 === 0) {
      figures.acknowledged += witness.acknowledged;
      witness = new Witness();
    }
    await witness.prepare(failures);
    const kind = Math.floor(random() * KINDS.length);
    const after = typical === 0 ? undefined : typical * (0.3 + random() * 0.8);
    const when = `random kill ${tried}`;
    const { code, ms } = await witness.try(
      when,
      change(kind, random() < 0.5 ? 'a' : '../b'),
      failures,
      {},
      after,
    );
    figures.tried += 1;
    if (code === null) figures.killed += 1;
    else typical = typical === 0 ? ms : typical * 0.9 + ms * 0.1;
    if (tried % 5 === 4) figures[LEFT] = Math.max(figures[LEFT] ?? 0, await witness.recover(when, failures));
  }
  figures.acknowledged += witness.acknowledged;
  report('entries, SIGKILL at random times', figures, failures);
}

{
  const failures: string[] = [];
  const figures = { tried: 0, killed: 0, acknowledged: 0, [LEFT]: 0 };
  for (const fault of ['kill', 'half']) {
    for (let kind = 0; kind < KINDS.length; kind += 1) {
      for (let at = 1 + (kind % every); at < 400; at += every) {
        const witness = new Witness();
        await witness.prepare(failures);
        const env = { NODE_OPTIONS: `--require=${FAULT}`, FAULT: fault, FAULT_AT: String(at) };
        const when = `${fault} at call ${at} of ${change(kind, 'a').args.slice(0, 2).join(' ')}`;
        const { code } = await witness.try(when, change(kind, 'a'), failures, env);
        if (code === 77) break;
        figures.tried += 1;
        if (code === null) figures.killed += 1;
        figures[LEFT] = Math.max(figures[LEFT] ?? 0, await witness.recover(when, failures));
        figures.acknowledged += witness.acknowledged;
        rmSync(witness.root, { recursive: true, force: true });
      }
    }
  }
  report('entries, SIGKILL before and in the middle of each file system call', figures, failures);
}

{
  const failures: string[] = [];
  const witness = new Witness();
  const figures = { processes, tried: 0, acknowledged: 0, refused: 0 };
  const written = new Map<string, string>();
  const appended: string[] = [];
  let kept = 0;
  const call = async (args: string[]): Promise<boolean> => {
    figures.tried += 1;
    const { code, stderr } = await start([program, ...args], witness.root).ended;
    if (code === 0) figures.acknowledged += 1;
    else figures.refused += 1;
    // Others were faster every time: the command says so and changes nothing.
    if (code !== 0 && !stderr.includes('changed by somebody else'))
      failures.push(`${args.slice(0, 2).join(' ')} failed with ${code}: ${stderr.trim()}`);
    return code === 0;
  };
  const worker = async (id: number): Promise<void> => {
    for (let k = 0; k < each; k += 1) {
      const text = `process ${id} change ${k}`;
      if (k % 3 === 0) {
        if (await call(['entry', 'write', `of ${id}`, text])) written.set(`of ${id}`, text);
      } else if (k % 3 === 1) {
        if (await call(['entry', 'write', 'log', '--append', `${text}\n`])) appended.push(text);
      } else if (await call(['run', '--limit', '1', 'echo', text])) kept += 1;
    }
  };
  await Promise.all(Array.from({ length: processes }, (_, id) => worker(id)));
  const found = await witness.read();
  for (const [name, text] of written)
    if (found.get(name) !== text) failures.push(`${name} is ${found.get(name)}, not ${text}`);
  const log = (found.get('log') ?? '').split('\n').sort();
  if (log.slice(1).join('\n') !== appended.sort().join('\n'))
    failures.push('the log is not what was appended');
  const outputs = [...found.keys()].filter((name) => name.startsWith('execute_command_')).length;
  if (outputs !== kept) failures.push(`${kept} outputs were kept, and ${outputs} are there`);
  report('entries, many processes at once', figures, failures);
}

{
  const dir = freshDir('full');
  if (!mount(dir, 'size=512k')) console.log('entries, a full disk: skipped, mounting is not permitted');
  else {
    const failures: string[] = [];
    const figures = { tried: 0, refused: 0, acknowledged: 0 };
    try {
      // Without those that load a file larger than the disk, or run a command that fails anyway.
      const kinds = KINDS.map((_, kind) => kind).filter((kind) => kind !== 2 && kind !== 8);
      for (const kind of kinds) {
        for (let free = 0; free < 6; free += 1) {
          const root = join(dir, `${kind}-${free}`);
          mkdirSync(root);
          const witness = new Witness(root);
          await witness.prepare(failures);
          const filler = join(dir, 'filler');
          fill(filler, free);
          const when = `${free} pages free, ${change(kind, 'a').args.slice(0, 2).join(' ')}`;
          const { code, stderr } = await witness.try(when, change(kind, 'a'), failures);
          figures.tried += 1;
          if (code === 0) figures.acknowledged += 1;
          else {
            figures.refused += 1;
            if (code !== 3 || !/where: /.test(stderr) || /\n\s+at /.test(stderr))
              failures.push(`${when}: not a clear error: ${code}: ${stderr.trim()}`);
          }
          rmSync(filler);
          await witness.recover(when, failures);
          rmSync(root, { recursive: true });
        }
      }
    } finally {
      execFileSync('umount', [dir]);
    }
    report('entries, a full disk', figures, failures);
  }
}
removeAll();
