import { createHash } from 'node:crypto';
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path';
import {
  isExecutable,
  isInside,
  linkStatOf,
  PAD_FILE,
  realPathOf,
  tryList,
  tryReadBytes,
  tryStat,
} from '../fs/index.ts';
import { gitPlace } from '../git/place.ts';
import { atHome, type CommandSpec } from './command.ts';
import { DATA, GIT_READS, interpreterOf, isReader, namesIn, PYTHON, RECORD } from './command-words.ts';

/** A file that a command runs or reads. */
export interface NamedFile {
  /** Relative to the workspace. */
  path: string;
  /** SHA-256 of its bytes, hex. */
  sha256: string;
}

/** Most files to follow from one script; more would take too long in a hook. */
const MOST_NAMED = 300;
const MOST_TEXT = 512 * 1024;

/** The files that the words of a command name, and the files that those name in turn. */
export class NamedFiles {
  readonly #workspace: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #digests = new Map<string, string>();
  /** For each folder, its file names by full name and by each prefix that ends before a dot. */
  readonly #listed = new Map<string, Map<string, string[]>>();
  /** Everything below this folder may have come with a clone: the workspace may be part of a repository. */
  readonly #top: string;
  #tooMany = false;

  constructor(workspace: string, env: NodeJS.ProcessEnv) {
    this.#workspace = workspace;
    this.#env = env;
    this.#top = realPathOf(gitPlace(workspace)?.top ?? workspace) ?? workspace;
  }

  files(): NamedFile[] {
    return [...this.#digests]
      .map(([path, digest]) => ({ path: relative(this.#workspace, path), sha256: digest }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /**
   * Adds the files of a command.
   * @returns why its files cannot be determined; `undefined` if they can
   */
  command({ command, args }: CommandSpec, own: boolean): string | undefined {
    const program = this.#program(command);
    const unsure = this.#byItself(command, program, args, own);
    const reads = unsure === undefined && isReader(command);
    for (const arg of args) {
      const whole = resolve(this.#workspace, atHome(arg, this.#env));
      if (tryStat(whole)?.isFile()) this.#given(whole, reads || own);
    }
    for (const { name, isRun } of namesIn([command, ...args].join('\n')))
      for (const path of this.#resolve(name, this.#workspace)) this.#given(path, (reads || own) && !isRun);
    if (unsure !== undefined || reads) return unsure;
    if (this.#tooMany) return `\`${command}\` names too many files`;
    const local = folders(this.#env).some((folder) => this.#isHere(resolve(this.#workspace, folder)));
    return local ? 'PATH leads into the workspace' : undefined;
  }

  #byItself(
    command: string,
    program: string | undefined,
    args: readonly string[],
    own: boolean,
  ): string | undefined {
    if (program !== undefined && this.#isHere(program)) {
      this.#add(program, this.#workspace);
      const first = tryReadBytes(program, 'program')?.toString('latin1', 0, 200).split('\n', 1)[0] ?? '';
      const [interpreter = '', ...more] = first.startsWith('#!') ? first.slice(2).trim().split(/\s+/) : [];
      const words = basename(interpreter) === 'env' ? more : [interpreter, ...more];
      const certain = interpreterOf(basename(words[0] ?? ''), words.slice(1)) === words.length - 1;
      return certain ? undefined : `it is unknown which programs \`${command}\` runs`;
    }
    if (isReader(command)) return undefined;
    if (command === 'git' && GIT_READS.test(args[0] ?? '')) return own ? undefined : this.#git();
    const at = interpreterOf(basename(command), args);
    if (at === undefined) return `it is unknown which programs \`${basename(command)}\` runs`;
    const script = args[at];
    const path = script === undefined ? undefined : resolve(this.#workspace, atHome(script, this.#env));
    if (path === undefined || script?.startsWith('-') || !tryStat(path)?.isFile())
      return `it is unknown which file \`${basename(command)}\` runs`;
    this.#add(path, this.#workspace);
    if (/^python/.test(basename(command))) this.#besides(path);
    return undefined;
  }

  /** Adds what git runs: programs named by the repository's settings, and its hooks. */
  #git(): undefined {
    const place = gitPlace(this.#workspace);
    if (place === undefined) return;
    const { commonDir, gitDir } = place;
    const settings = [join(commonDir, 'config'), join(gitDir, 'config.worktree')];
    const hooks = tryList(join(commonDir, 'hooks')).map((name) => join(commonDir, 'hooks', name));
    for (const path of [...settings, ...hooks]) if (!path.endsWith('.sample')) this.#watch(path, place.top);
  }

  /** Where a program is found, searching like execvp(3) from the workspace. */
  #program(command: string): string | undefined {
    if (command.includes('/')) return resolve(this.#workspace, atHome(command, this.#env));
    for (const folder of folders(this.#env)) {
      const path = resolve(this.#workspace, folder, command);
      if (tryStat(path)?.isFile() && isExecutable(path)) return path;
    }
    return undefined;
  }

  /** Whether a path lies in the workspace or its repository, by its name or after resolving links. */
  #isHere(path: string | undefined): path is string {
    if (path === undefined) return false;
    return [path, realPathOf(path)].some(
      (each) => each !== undefined && [this.#workspace, this.#top].some((top) => isInside(top, each)),
    );
  }

  /** @param reads whether the program only reads the file, so that data may change */
  #given(path: string, reads: boolean): void {
    const mayChange = (reads ? DATA : RECORD).test(path) && isPlain(path);
    if (!mayChange) this.#add(path, this.#workspace);
  }

  /** Adds a file of the workspace and the files that its text names. */
  #add(path: string, cwd: string): void {
    if (this.#isHere(path)) this.#watch(path, cwd);
  }

  #watch(path: string, cwd: string): void {
    if (this.#digests.has(path)) return;
    if (this.#digests.size >= MOST_NAMED) {
      this.#tooMany = true;
      return;
    }
    const bytes = tryReadBytes(path, 'program');
    if (bytes === undefined) return;
    this.#digests.set(path, sha256(bytes));
    if (bytes.length > MOST_TEXT || bytes.includes(0)) return;
    const folder = dirname(realPathOf(path) ?? path);
    if (PYTHON.test(path)) this.#besides(path);
    const text = bytes.toString('utf8');
    for (const { name, isRun } of namesIn(text))
      for (const found of new Set([...this.#resolve(name, folder), ...this.#resolve(name, cwd)]))
        if (isRun || !DATA.test(found) || !isPlain(found)) this.#add(found, cwd);
  }

  /** Python looks for every module beside the script first, even for those of its standard library. */
  #besides(path: string): void {
    for (const name of this.#names(dirname(path)).keys())
      if (PYTHON.test(name)) this.#add(join(dirname(path), name), this.#workspace);
  }

  /**
   * The files that a name can refer to: `lib/x` is `lib/x`, `lib/x.js` or everything in a folder `lib/x`. If
   * the name begins with a variable only its end is known, so the end is looked for too.
   */
  #resolve(name: string, folder: string): string[] {
    const found = new Set<string>();
    const spellings =
      name.includes('/') || !/^\w+(?:\.\w+)+$/.test(name) ? [name] : [name, name.replaceAll('.', '/')];
    for (const spelling of spellings) {
      const parts = spelling.split('/');
      for (let from = 0; from < parts.length; from += 1) {
        const end = parts.slice(from);
        if (end[0] === '' || end.every((part) => part === '')) continue;
        for (const base of from === 0
          ? [folder, join(folder, 'node_modules'), join(folder, 'node_modules/.bin')]
          : [folder])
          for (const path of this.#matching(base, end)) found.add(path);
      }
    }
    return [...found];
  }

  #matching(base: string, parts: readonly string[]): string[] {
    const last = parts.at(-1) === '' ? parts.length - 2 : parts.length - 1;
    const path = resolve(base, ...parts.slice(0, last));
    if (!this.#isHere(path)) return [];
    const name = parts[last] ?? '';
    if (name === '.' || name === '..' || name === '') return [];
    const names = this.#names(path).get(name) ?? [];
    return names.flatMap((each) => this.#filesAt(join(path, each), parts.length > 1));
  }

  /** The file itself; or for a folder the files in it, including subfolders if a path named it. */
  #filesAt(path: string, deep: boolean): string[] {
    if (isOurs(this.#workspace, path)) return [];
    const stats = tryStat(path);
    if (stats?.isFile()) return [path];
    if (!stats?.isDirectory() || /\/(?:\.git|__pycache__)$/.test(path)) return [];
    const found: string[] = [];
    const folders = [path];
    for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
      for (const name of tryList(at).sort()) {
        const each = join(at, name);
        const what = linkStatOf(each);
        if (what?.isDirectory()) {
          if (deep && name !== '__pycache__') folders.push(each);
        } else if (!DATA.test(name) || !isPlain(each)) found.push(each);
      }
      if (found.length > MOST_NAMED) {
        this.#tooMany = true;
        return found.slice(0, MOST_NAMED);
      }
    }
    return found;
  }

  #names(folder: string): Map<string, string[]> {
    let names = this.#listed.get(folder);
    if (names !== undefined) return names;
    names = new Map();
    this.#listed.set(folder, names);
    for (const name of tryList(folder).sort()) {
      for (let end = name.length; end > 0; end = name.lastIndexOf('.', end - 1)) {
        const start = name.slice(0, end);
        const same = names.get(start);
        if (same === undefined) names.set(start, [name]);
        else same.push(name);
      }
    }
    return names;
  }
}

function folders(env: NodeJS.ProcessEnv): string[] {
  return (env.PATH ?? '').split(delimiter);
}

/** Whether the operating system would not run the file by itself. */
function isPlain(path: string): boolean {
  if (((tryStat(path)?.mode ?? 0) & 0o111) !== 0) return false;
  return tryReadBytes(path, 'program')?.toString('latin1', 0, 2) !== '#!';
}

/**
 * The scratchpad's own data, which changes all the time; files in it that a command names are checked anyway.
 */
function isOurs(workspace: string, path: string): boolean {
  return path === join(workspace, PAD_FILE);
}

export function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
