import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ModelRequest, ModelStub } from './model-stub.ts';
import { Terminal } from './terminal.ts';

const ROOT = join(import.meta.dirname, '../..');
export const BIN = join(ROOT, 'bin/scratchpad.js');
const RUN_MS = 300_000;
const READY_MS = 300_000;
const END_MS = 3000;

/** A workspace, a home without settings and a model on loopback, for one host. */
export class Bench {
  readonly dir: string;
  readonly workspace: string;
  readonly home: string;
  readonly stub: ModelStub;
  readonly url: string;
  /** The time zone of everything that runs here: one where the date differs from that in UTC. */
  readonly zone = new Date().getUTCHours() < 11 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati';
  /** The output of the host that ran last, on both streams. */
  output = '';
  /** The output of hosts that print a stream of lines. */
  readonly outputLines: string[] = [];
  #failed = 0;
  readonly #running: ChildProcess[] = [];
  readonly #terminals: Terminal[] = [];
  readonly #path = [join(process.execPath, '..'), process.env.PATH ?? ''];

  constructor(dir: string, stub: ModelStub, url: string) {
    this.dir = dir;
    this.workspace = join(dir, 'workspace');
    this.home = join(dir, 'home');
    this.stub = stub;
    this.url = url;
    mkdirSync(this.workspace);
    mkdirSync(this.home);
  }

  /**
   * Runs one story on a bench of its own, which is always cleaned up. `KEEP=1` keeps its folder, with what was sent
   * to the model.
   */
  static async runStory(name: string, story: (bench: Bench) => Promise<void>): Promise<void> {
    const stub = new ModelStub();
    const url = await stub.start();
    const bench = new Bench(mkdtempSync(join(tmpdir(), `scratchpad-e2e-${name}-`)), stub, url);
    try {
      await story(bench);
    } finally {
      await bench.#close();
    }
  }

  /** Puts `scratchpad` on the PATH of the host. @param programs others by name, which our `install` looks for */
  addToPath(programs: Readonly<Record<string, string>> = {}): void {
    const bin = join(this.dir, 'bin');
    mkdirSync(bin);
    for (const [name, path] of Object.entries({ scratchpad: BIN, ...programs }))
      symlinkSync(path, join(bin, name));
    this.#path.unshift(bin);
    // Login shells, which Codex starts, set their PATH again.
    writeFileSync(join(this.home, '.profile'), `PATH='${this.#path.join(delimiter)}'\n`);
  }

  /** The PATH of the programs that run here. */
  get path(): string {
    return this.#path.join(delimiter);
  }

  /** Writes a file in the home: settings of a host, as JSON. */
  writeInHome(path: string, content: string | object): void {
    const file = join(this.home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }

  /** Runs our program in the workspace. */
  scratchpad(...args: string[]): string {
    return this.#runSync(process.execPath, [BIN, ...args], {});
  }

  /** Makes the workspace a repository with one commit. @returns git in it */
  makeRepository(): (...args: string[]) => void {
    const runGit = (...args: string[]): void => {
      const id = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
      this.#runSync('git', [...id, ...args], {});
    };
    runGit('init', '-q', '-b', 'main');
    runGit('commit', '-q', '--allow-empty', '-m', 'first');
    return runGit;
  }

  /** Runs a host in the workspace. It must not block this process, in which the stub answers. */
  async run(program: string, args: readonly string[], env: Record<string, string>): Promise<string> {
    const child = spawn(program, args, {
      cwd: this.workspace,
      env: { ...this.#env(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_MS,
    });
    const ended = once(child, 'close');
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    this.output = out + err;
    if (code !== 0)
      throw new Error(`${program} ${args.join(' ')} ended with ${String(code)}:\n${err}\n${out}`);
    return out;
  }

  /** Starts a program that runs until the end of the story, and talks to it. */
  spawn(program: string, args: readonly string[], env: Record<string, string>): ChildProcess {
    const child = spawn(program, args, { cwd: this.workspace, env: { ...this.#env(), ...env } });
    this.#running.push(child);
    return child;
  }

  /** Starts a program that runs until the end of the story, and waits for a line of its output. */
  async start(
    program: string,
    args: readonly string[],
    env: Record<string, string>,
    ready: RegExp,
    onOutput: (output: string) => void = () => undefined,
  ): Promise<ChildProcess> {
    const child = this.spawn(program, args, env);
    await new Promise<void>((resolve, reject) => {
      let out = '';
      const hear = (data: unknown): void => {
        out += String(data);
        onOutput(out);
        if (ready.test(out)) resolve();
      };
      child.stdout?.on('data', hear);
      child.stderr?.on('data', hear);
      child.on('close', () => reject(new Error(`${program} ${args.join(' ')} ended:\n${out}`)));
      setTimeout(() => reject(new Error(`not ready: ${out}`)), READY_MS).unref();
    });
    return child;
  }

  /** Starts a program in a terminal of its own, which is closed with the bench. */
  terminal(
    program: string,
    args: readonly string[],
    env: Record<string, string>,
    columns?: number,
  ): Terminal {
    const terminal = Terminal.open(join(this.dir, `terminal-${this.#terminals.length}`), {
      ...(columns === undefined ? {} : { columns }),
      cwd: this.workspace,
      env: { ...this.#env(), ...env, TERM: 'xterm-256color' },
      command: [program, ...args],
    });
    this.#terminals.push(terminal);
    return terminal;
  }

  /** The last request for an answer, as text with its escapes resolved. */
  lastTurn(): string {
    return joinStrings(this.stub.turns().at(-1)?.body);
  }

  /** How often a text is in the last request for an answer. */
  count(text: string): number {
    return countOccurrences(this.lastTurn(), text);
  }

  lastTurnBody(): ModelRequest['body'] | undefined {
    return this.stub.turns().at(-1)?.body;
  }

  /** Reports whether something holds. @param found shown if it does not */
  expect(what: string, holds: boolean, found = ''): void {
    console.log(`${holds ? 'ok  ' : 'FAIL'}  ${what}`);
    if (!holds && found !== '') this.note(found);
    if (!holds) this.#failed += 1;
  }

  /** Expects all parts in the last request for an answer. */
  expectParts(what: string, ...parts: readonly string[]): void {
    const missing = parts.filter((part) => this.count(part) === 0);
    this.expect(what, missing.length === 0);
  }

  /** Expects each of the texts in the last request for an answer, exactly once. */
  expectOnce(what: string, ...texts: readonly string[]): void {
    const counts = texts.map((text) => this.count(text));
    const isOnce = counts.every((count) => count === 1);
    this.expect(what, isOnce, `found ${counts.join(', ')} times`);
  }

  /** Notes what `status` reports about our hooks. */
  noteHooks(): void {
    for (const line of this.scratchpad('status').split('\n'))
      if (/^(connected|hook fault):/.test(line)) this.note(line);
  }

  note(text: string): void {
    console.log(`      ${text}`);
  }

  async #close(): Promise<void> {
    await Promise.all(this.#running.map(endProgram));
    for (const terminal of this.#terminals) terminal.close();
    this.stub.stop();
    if (process.env.KEEP) {
      const requests = this.stub.requests.map(({ path, body }) => ({ path, body }));
      writeFileSync(join(this.dir, 'requests.json'), JSON.stringify(requests, null, 1));
      console.log(this.dir);
    } else await this.#remove();
    if (this.#failed > 0) process.exitCode = 1;
  }

  /** Removes the folder, in which the last hooks may still write. */
  async #remove(): Promise<void> {
    for (let tries = 10; tries > 0; tries -= 1)
      try {
        return rmSync(this.dir, { recursive: true, force: true });
      } catch {
        await sleep(500);
      }
    this.note(`still written to: ${this.dir}`);
  }

  #env(): Record<string, string> {
    return { PATH: this.path, HOME: this.home, TZ: this.zone, TERM: 'dumb', LANG: 'C.UTF-8' };
  }

  #runSync(program: string, args: readonly string[], env: Record<string, string>): string {
    const result = spawnSync(program, args, {
      cwd: this.workspace,
      env: { ...this.#env(), ...env },
      encoding: 'utf8',
    });
    if (result.status !== 0)
      throw new Error(`${args.join(' ')} ended with ${result.status}:\n${result.stderr}`);
    return result.stdout;
  }
}

export function countOccurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Ends a program: gracefully, so that the programs that it started end, too; otherwise by force. */
async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.on('exit', resolve));
  const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
  child.stdin?.end();
  child.kill('SIGTERM');
  await exit;
  clearTimeout(late);
}

/** All strings in a value, one after the other. */
function joinStrings(value: unknown): string {
  if (typeof value === 'string') return `${value}\n`;
  if (Array.isArray(value)) return value.map(joinStrings).join('');
  if (value !== null && typeof value === 'object') return Object.values(value).map(joinStrings).join('');
  return '';
}
