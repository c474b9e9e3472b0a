import childProcess from 'node:child_process';
import { Console } from 'node:console';
import diagnostics from 'node:diagnostics_channel';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { Script } from 'node:vm';
import { type CliOptions, type CliResult, minimalEnv, PROGRAM } from './run-cli.ts';

const BUNDLES = join(PROGRAM, '../../dist/cli');
const WRAPPER = '(function(exports,require,module,__filename,__dirname,process,console){';
const builtin = createRequire(import.meta.url);
const compiled = new Map<string, Script>();

interface Entry {
  answerHook(
    argv: readonly string[],
    env: NodeJS.ProcessEnv,
    cwd: string,
    here: (asked: unknown) => Promise<void>,
  ): Promise<void> | undefined;
  runHook(asked: unknown): Promise<void>;
  main(argv: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<number>;
  forgetAll(): void;
}

type Load = (id: string) => unknown;

/**
 * Like `runCli`, at a twentieth of its cost: runs the built program in this process, with its own standard streams,
 * environment and working directory, and with nothing remembered of the runs before. For tests of what the program
 * answers and writes. Signals, deadlines, locks between processes and the start itself need `runCli`.
 */
export async function runWarm(
  args: readonly string[],
  options: CliOptions & {
    onCall?: OnCall;
    /** Streams of a command that talks until its stdin ends. */
    stdin?: Readable;
    stdout?: Writable;
  },
): Promise<CliResult> {
  // Without the place of the code cache: the bundles are compiled already.
  const { XDG_CACHE_HOME: _, ...env } = { ...minimalEnv(), ...options.env };
  const loaded = idle.pop() ?? new Loaded();
  const run = new Run(args, { ...options, env });
  const exitCode = await run.toItsEnd(loaded);
  idle.push(loaded);
  return { stdout: run.printed(1), stderr: run.printed(2), exitCode };
}

type OnCall = (call: string, args: readonly unknown[], result: unknown) => void;

/** Programs that are loaded and run nothing: V8 has optimised them, so that a run takes a third of the first one's time. */
const idle: Loaded[] = [];

/** What ends a run in the place of `process.exit`. */
class Exit extends Error {}

/** The modules of one program. What they get of Node acts for the run that is going on. */
class Loaded {
  run: Run | undefined;
  readonly #modules = new Map<string, { exports: unknown }>();
  readonly #process = this.#acting(process, () => this.run?.process);
  readonly #console = this.#acting(console, () => this.run?.console);
  readonly #builtins: Record<string, unknown>;

  constructor() {
    const files = this.#calling(fs, () => this.run?.files);
    const children = this.#calling(childProcess, () => this.run?.children);
    // A program hears only itself: another one would mark a folder with the key of its own last run.
    const channels = new Map<string | symbol, diagnostics.Channel>();
    const channel = (name: string | symbol): diagnostics.Channel => {
      const own = channels.get(name) ?? diagnostics.channel(Symbol(String(name)));
      channels.set(name, own);
      return own;
    };
    this.#builtins = {
      'node:diagnostics_channel': { ...diagnostics, channel },
      'node:fs': files,
      fs: files,
      'node:child_process': children,
      child_process: children,
      'node:process': this.#process,
      process: this.#process,
    };
  }

  entry(id: string): Entry {
    return this.#load(id) as Entry;
  }

  /** A bundle by its file name, or a module of Node. */
  readonly #load: Load = (id) => {
    if (!id.startsWith('./')) return this.builtin(id);
    const known = this.#modules.get(id);
    if (known) return known.exports;
    const filename = join(BUNDLES, id);
    const script =
      compiled.get(filename) ??
      new Script(`${WRAPPER}${fs.readFileSync(filename, 'latin1')}\n})`, { filename });
    compiled.set(filename, script);
    const module = { exports: {} };
    this.#modules.set(id, module);
    script.runInThisContext()(
      ...[module.exports, this.#load, module, filename, BUNDLES, this.#process, this.#console],
    );
    return module.exports;
  };

  builtin(id: string): unknown {
    return this.#builtins[id] ?? builtin(id);
  }

  #acting<Whole extends object>(whole: Whole, own: () => Whole | undefined): Whole {
    return new Proxy(whole, {
      get: (_, key) => Reflect.get(own() ?? whole, key),
      set: (_, key, value) => Reflect.set(own() ?? whole, key, value),
    });
  }

  /** Bundles may take a function when they are loaded, and call it in any run. */
  #calling<Whole extends object>(whole: Whole, own: () => Partial<Whole> | undefined): Whole {
    const calls = Object.entries(whole).map(([name, call]) => {
      if (typeof call !== 'function' || /^[A-Z]/.test(name)) return [name, call];
      const acting = (...args: unknown[]): unknown =>
        ((own()?.[name as keyof Whole] ?? call) as typeof acting)(...args);
      return [name, Object.assign(acting, call)];
    });
    return Object.fromEntries(calls);
  }
}

class Run {
  readonly #argv: readonly string[];
  readonly #cwd: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #output: Record<1 | 2, Buffer[]> = { 1: [], 2: [] };
  readonly #atExit: (() => void)[] = [];
  readonly process: NodeJS.Process;
  readonly console = new Console(this.#writer(1), this.#writer(2));
  readonly files: Partial<typeof fs>;
  readonly children: Partial<typeof childProcess>;
  #loaded: Loaded | undefined;
  #exitCode: number | undefined;

  constructor(argv: readonly string[], options: Parameters<typeof runWarm>[1]) {
    const { cwd, env = {}, input = '' } = options;
    this.#argv = argv;
    this.#cwd = cwd;
    this.#env = env;
    const given = Buffer.from(input);
    const { stdin = Readable.from(given.length === 0 ? [] : [given]), stdout = { isTTY: false } } = options;
    this.process = this.#processOf({ stdin, stdout });
    this.files = told(fs, this.#filesOf(given), options.onCall);
    this.children = told(childProcess, this.#childrenOf(), options.onCall);
  }

  printed(fd: 1 | 2): string {
    return Buffer.concat(this.#output[fd]).toString();
  }

  /** As `bin/scratchpad.js` does it. */
  async toItsEnd(loaded: Loaded): Promise<number> {
    this.#loaded = loaded;
    loaded.run = this;
    const { main, forgetAll } = loaded.entry('./main.cjs');
    forgetAll();
    let code = 0;
    try {
      const hook =
        this.#argv[0] === 'hook'
          ? loaded
              .entry('./hosts.ask-server.cjs')
              .answerHook(this.#argv, this.#env, this.#cwd, (asked) =>
                loaded.entry('./commands.hook.cjs').runHook(asked),
              )
          : undefined;
      if (hook === undefined) code = await main(this.#argv, this.#env, this.#cwd);
      else await hook;
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
    }
    for (const last of this.#atExit) last();
    return this.#exitCode ?? code;
  }

  #writer(fd: 1 | 2): Writable {
    return new Writable({
      write: (chunk: Buffer, _, done) => {
        this.#output[fd].push(chunk);
        done();
      },
    });
  }

  #processOf(streams: { stdin: Readable; stdout: object }): NodeJS.Process {
    const exit = (code = 0): never => {
      this.#exitCode = code;
      throw new Exit();
    };
    const once = (event: string, act: () => void): NodeJS.Process => {
      if (event === 'exit') this.#atExit.push(act);
      return this.process;
    };
    const own = {
      env: this.#env,
      argv: [process.execPath, PROGRAM, ...this.#argv],
      cwd: () => this.#cwd,
      // Servers are known by the parent, which all test processes share: a hook here has none that could answer it.
      ppid: this.#argv[0] === 'mcp' ? process.pid : 0,
      exit,
      on: once,
      once,
      getBuiltinModule: (id: string) => this.#loaded?.builtin(id),
      ...streams,
      stderr: { isTTY: false },
    };
    return Object.create(process, Object.getOwnPropertyDescriptors(own));
  }

  /** `node:fs` with this run's standard streams: plain files, as after `< input > output`. */
  #filesOf(stdin: Buffer): Partial<typeof fs> {
    let at = 0;
    const readSync = (fd: number, into: Buffer, offset: number, length: number, position: number | null) => {
      if (fd !== 0) return fs.readSync(fd, into, offset, length, position);
      const count = stdin.copy(into, offset, at, at + length);
      at += count;
      return count;
    };
    const writeSync = (fd: number, bytes: Buffer, ...rest: number[]): number => {
      if (fd !== 1 && fd !== 2) return fs.writeSync(fd, bytes, ...rest);
      const piece = Buffer.from(bytes.subarray(rest[0] ?? 0));
      this.#output[fd].push(piece);
      return piece.length;
    };
    const fstatSync = (fd: number) =>
      fd > 2 ? fs.fstatSync(fd) : Object.assign(fs.statSync(PROGRAM), { size: fd === 0 ? stdin.length : 0 });
    return { readSync, writeSync, fstatSync } as Partial<typeof fs>;
  }

  /** Children start where the program runs, and with its environment, unless it says otherwise. */
  #childrenOf(): Partial<typeof childProcess> {
    const defaults = { cwd: this.#cwd, env: this.#env };
    const within =
      <Start extends 'spawn' | 'spawnSync' | 'execFileSync'>(start: Start) =>
      (file: string, args: readonly string[] = [], options: object = {}) =>
        (childProcess[start] as typeof childProcess.spawnSync)(file, args, { ...defaults, ...options });
    return {
      spawn: within('spawn'),
      spawnSync: within('spawnSync'),
      execFileSync: within('execFileSync'),
    } as unknown as Partial<typeof childProcess>;
  }
}

/** A module that tells of every call. */
function told<Whole extends object>(
  whole: Whole,
  own: Partial<Whole>,
  onCall: OnCall | undefined,
): Partial<Whole> {
  if (onCall === undefined) return own;
  const calls = Object.entries({ ...whole, ...own }).map(([name, call]) => {
    if (typeof call !== 'function' || /^[A-Z]/.test(name)) return [name, call];
    const telling = (...args: unknown[]): unknown => {
      const result = (call as (...args: unknown[]) => unknown)(...args);
      onCall(name, args, result);
      return result;
    };
    return [name, Object.assign(telling, call)];
  });
  return Object.fromEntries(calls) as Partial<Whole>;
}
