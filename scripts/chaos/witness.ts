import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileEntries } from '../../src/entries/file-entries.ts';
import { parsePad } from '../../src/pad/document.ts';
import { FileStore } from '../../src/session/file-store.ts';
import { getSessionPaths } from '../../src/session/workspace.ts';
import { copyProgram, type Ended, makeDirectory, makeWorkspace, start } from './harness.ts';

/** What is in a workspace: the spaces by name, and entries as `entry a`. */
export type Contents = ReadonlyMap<string, string>;

/** A command line, and the contents after it. */
export interface Change {
  args: string[];
  apply(before: Contents): Contents;
}

export const program = copyProgram();
const LARGE = join(makeDirectory('large'), 'large');
/** Large enough to be read in several pieces. */
const LARGE_TEXT = 'größer als 日本語 🦀\n'.repeat(60_000);
writeFileSync(LARGE, LARGE_TEXT);

const put =
  (name: string, content: (before: Contents) => string) =>
  (before: Contents): Contents =>
    new Map(before).set(name, content(before));
const take = (name: string, before: Contents): Map<string, string> => {
  const after = new Map(before);
  after.delete(name);
  return after;
};
const readLines = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join('\n');
const readEntry = (now: Contents, name: string): string => now.get(`entry ${name}`) ?? '';

type Kind = (text: string, name: string, other: string) => Change;

/** Every kind of change to the spaces. */
export const SPACES: readonly Kind[] = [
  (text) => ({
    args: ['notes', 'append', text],
    apply: put('notes', (now) => readLines(now.get('notes'), text)),
  }),
  (text) => ({ args: ['notes', 'set', text], apply: put('notes', () => text) }),
  (text) => ({
    args: ['plan', 'add', text],
    apply: put('plan', (now) => {
      const plan = now.get('plan') ?? '';
      return readLines(plan, `${plan === '' ? 1 : plan.split('\n').length + 1}. ${text}`);
    }),
  }),
  (text) => ({
    args: ['refs', 'add', text],
    apply: put('refs', (now) => readLines(now.get('refs'), `- ${text}`)),
  }),
];

/** Every kind of change to an existing entry, with another one beside it; the last two need much room. */
export const ENTRIES: readonly Kind[] = [
  (text, name) => ({ args: ['entry', 'write', name, text], apply: put(`entry ${name}`, () => text) }),
  (text, name) => ({
    args: ['entry', 'write', name, '--append', text],
    apply: put(`entry ${name}`, (now) => readEntry(now, name) + text),
  }),
  (text, name) => ({
    args: ['entry', 'edit', name, '--old', ';', '--new', `;${text}`, '--all'],
    apply: put(`entry ${name}`, (now) => readEntry(now, name).replaceAll(';', `;${text}`)),
  }),
  (_, name, other) => ({
    args: ['entry', 'rename', name, other, '--force'],
    apply: (now) => put(`entry ${other}`, () => readEntry(now, name))(take(`entry ${name}`, now)),
  }),
  (_, name) => ({ args: ['entry', 'delete', name], apply: (now) => take(`entry ${name}`, now) }),
  (_, name) => ({
    args: ['entry', 'write', name, '--file', LARGE],
    apply: put(`entry ${name}`, () => LARGE_TEXT),
  }),
  (text, name) => ({
    args: ['run', '--limit', '10', '--scratchpad', name, 'printf', `${text}\\n%.0s`, ...'123456789'],
    apply: put(`entry ${name}`, () => `${text}\n`.repeat(9)),
  }),
];

/** Commands that change no content. */
export const OTHERS: readonly Kind[] = [() => ({ args: ['memory', 'index'], apply: (now) => now })];

/** Agents note git's conflict markers, too: they are text. */
const MARKS = ['<<<<<<< ', '', '>>>>>>> ', '', '||||||| ', ''];

let changes = 0;
/** A change with a text of its own. */
export function make(kind: Kind | undefined, name = 'a'): Change {
  changes += 1;
  if (kind === undefined) throw new Error('no such kind of change');
  return kind(`${MARKS[changes % MARKS.length]}text-${changes};`, name, name === 'a' ? '../b' : 'a');
}

/** A workspace whose contents are known: what was acknowledged must be there, and nothing torn. */
export class Witness {
  readonly root: string;
  readonly store: FileStore;
  readonly entries: FileEntries;
  readonly failures: string[];
  acknowledged = 0;
  contents: Contents = new Map();

  constructor(failures: string[], root = makeWorkspace('witness')) {
    this.root = root;
    this.failures = failures;
    this.store = new FileStore(root, 'main');
    this.entries = new FileEntries(getSessionPaths(root, 'main'));
    writeFileSync(join(root, 'MEMORY.md'), '- the cluster needs a token\n');
  }

  /** Ensures that there are two entries, without a fault. */
  async prepare(): Promise<void> {
    for (const name of ['a', '../b'])
      if (!this.contents.has(`entry ${name}`)) await this.try(`prepare ${name}`, make(ENTRIES[0], name));
  }

  /**
   * Runs a change, perhaps with a fault, and checks the contents afterwards.
   * @returns its end, and whether it was refused and happened all the same
   */
  async try(
    when: string,
    { args, apply }: Change,
    env: Record<string, string> = {},
    killAfter?: number,
  ): Promise<Ended & { stands: boolean }> {
    const { child, ended } = start([program, ...args], { cwd: this.root, env });
    const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
    const end = await ended;
    clearTimeout(timer);
    const done = end.code === 0;
    if (done) this.acknowledged += 1;
    const [before, after] = [this.contents, apply(this.contents)];
    this.contents = await this.read(when);
    const [isNew, isOld] = [isSame(after, this.contents), isSame(before, this.contents)];
    if (!isNew && (done || !isOld)) {
      const shown = [...this.contents].map(([name, text]) => `${name}: ${JSON.stringify(text.slice(0, 60))}`);
      this.failures.push(
        `${when}: ${args.slice(0, 3).join(' ')}: exit ${end.code}, there is ${shown.join(', ')}`,
      );
    }
    return { ...end, stands: !done && isNew && !isOld };
  }

  /** The next commands, without a fault, must work. @returns files that a dead process left */
  async recover(when: string): Promise<number> {
    for (const kind of [SPACES[0], ENTRIES[0]]) {
      const { code, stderr } = await this.try(when, make(kind));
      if (code !== 0) this.failures.push(`${when}: the next command failed with ${code}: ${stderr}`);
    }
    if (when.includes('memory')) {
      const { code } = await start([program, 'memory', 'search', 'cluster'], { cwd: this.root }).ended;
      if (code !== 0) this.failures.push(`${when}: the memory is not found any more, ${code}`);
    }
    const { dir } = this.entries;
    const index = readFileSync(join(dir, 'index.json'), 'utf8');
    const isStray = (file: string): boolean =>
      file !== 'index.json' && !index.includes(file.replace(/\.offsets$/, ''));
    const strays = readdirSync(this.store.paths.dir).filter((name) => /^lock|\.tmp$/.test(name));
    return strays.length + readdirSync(dir).filter(isStray).length;
  }

  private async read(when: string): Promise<Contents> {
    const { spaces } = await this.store.read();
    const contents = new Map(Object.entries(spaces).filter(([, text]) => text !== ''));
    try {
      const [problem] = parsePad(readFileSync(this.store.paths.pad, 'utf8')).problems;
      if (problem !== undefined) this.failures.push(`${when}: torn file: ${problem.message}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    for (const { name, bytes } of await this.entries.list()) {
      const content = await this.entries.bytes(name);
      const whole = content.length === bytes;
      contents.set(`entry ${name}`, whole ? content.toString() : `torn: ${content.length} of ${bytes}`);
    }
    return contents;
  }
}

function isSame(a: Contents, b: Contents): boolean {
  const texts = [...a].filter(([name, text]) => text !== '' || name.startsWith('entry '));
  return texts.length === b.size && texts.every(([name, text]) => b.get(name) === text);
}
