import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statfsSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { Script } from 'node:vm';
import { hashText } from './text/strings.ts';

/** Files that no process has written for this long are removed, so that the cache does not grow forever. */
const KEEP_MS = 30 * 86_400_000;
const KINDS = 4;
const MOST_BYTES = 64 * 1024 * 1024;
/** A disk with less free space than this is left for things that a person would miss. */
const ROOM_LEFT = 64 * 1024 * 1024;
/** Limit for all versions together; the oldest are removed first. */
const MOST_KEPT = 32 * 1024 * 1024;

/**
 * `$XDG_CACHE_HOME/scratchpad/code`, else `~/.cache/scratchpad/code`; `undefined` if neither base folder
 * exists.
 */
function cacheFolderOf(env: NodeJS.ProcessEnv): string | undefined {
  const base = env.XDG_CACHE_HOME || env.HOME;
  // A home that does not exist is not created.
  if (!base?.startsWith('/') || !existsSync(base)) return undefined;
  return `${env.XDG_CACHE_HOME ? base : `${base}/.cache`}/scratchpad/code`;
}

/** Cached code, and the kinds of runs whose functions it includes. */
export interface Kept {
  code: Buffer;
  /** One bit per kind of run. */
  kinds: number;
  /** Epoch milliseconds. */
  writtenAt: number;
}

/**
 * A cache of compiled code in a folder of the user. V8 trusts what it is given, and a wrong byte can make it
 * hang; so a file that another user owns or may write is ignored, and each file holds its content twice, to
 * be compared. Nothing here throws: without a cache a start only takes longer.
 */
export class CodeCache {
  readonly #folder: string;
  readonly #user: number;

  private constructor(folder: string, user: number) {
    this.#folder = folder;
    this.#user = user;
  }

  /** `undefined` if there is no place for it, or it is disabled. */
  static of(env: NodeJS.ProcessEnv): CodeCache | undefined {
    const user = process.getuid?.();
    const folder = cacheFolderOf(env);
    // The variable is Node's own, for its own cache of this kind.
    if (env.NODE_DISABLE_COMPILE_CACHE || user === undefined || folder === undefined) return undefined;
    return new CodeCache(folder, user);
  }

  read(name: string): Kept | undefined {
    let file: number | undefined;
    try {
      file = openSync(`${this.#folder}/${name}`, constants.O_RDONLY | constants.O_NOFOLLOW);
      const stats = fstatSync(file);
      if (!stats.isFile() || !this.#isOurs(stats) || stats.size > MOST_BYTES) return undefined;
      const bytes = readFileSync(file);
      const half = (bytes.length - KINDS) / 2;
      const code = bytes.subarray(0, half);
      if (half <= 0 || !code.equals(bytes.subarray(half, half * 2))) return undefined;
      return { code, kinds: bytes.readUInt32LE(half * 2), writtenAt: stats.mtimeMs };
    } catch {
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  /** Writes all of these, as long as there is room. */
  write(entries: Iterable<{ name: string; code: Buffer; kinds: number }>): void {
    try {
      if (!this.#made()) return;
      for (const { name, code, kinds } of entries) {
        const end = Buffer.alloc(KINDS);
        end.writeUInt32LE(kinds >>> 0);
        this.#replace(name, Buffer.concat([code, code, end]));
      }
      this.#sweep();
    } catch {
      // No room or no permission: the next run has no cache.
    }
  }

  /** Creates the folders, unless the home does not exist or the disk is nearly full. */
  #made(): boolean {
    const [scratchpad, cache] = [
      this.#folder.replace(/\/code$/, ''),
      this.#folder.replace(/\/[^/]+\/code$/, ''),
    ];
    for (const folder of [cache, scratchpad, this.#folder]) {
      if (!statSync(folder, { throwIfNoEntry: false })) mkdirSync(folder, { mode: 0o700 });
    }
    const stats = lstatSync(this.#folder);
    if (!stats.isDirectory() || !this.#isOurs(stats)) return false;
    const { bavail, bsize } = statfsSync(this.#folder);
    return bavail * bsize >= ROOM_LEFT;
  }

  #isOurs({ uid, mode }: { uid: number; mode: number }): boolean {
    return uid === this.#user && (mode & 0o022) === 0;
  }

  /** Flushed: after a power cut a file with a hole would look complete. */
  #replace(name: string, bytes: Buffer): void {
    const temporary = `${this.#folder}/${name}.${process.pid}.tmp`;
    const file = openSync(temporary, 'wx', 0o600);
    try {
      try {
        writeSync(file, bytes);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, `${this.#folder}/${name}`);
    } catch (error) {
      unlinkSync(temporary);
      throw error;
    }
  }

  #sweep(): void {
    const files = readdirSync(this.#folder)
      .map((name) => {
        const path = `${this.#folder}/${name}`;
        const { mtimeMs, size } = lstatSync(path);
        return { path, mtimeMs, size };
      })
      .sort((a, b) => b.mtimeMs - a.mtimeMs);
    let kept = 0;
    for (const { path, mtimeMs, size } of files) {
      kept += size;
      if (Date.now() - mtimeMs > KEEP_MS || kept > MOST_KEPT) unlinkSync(path);
    }
  }
}

/** The build puts a digest of a bundle's content into its first line: `//0123456789abcdef`. */
const STAMP_LENGTH = '//0123456789abcdef'.length;
/** The function that wraps a CommonJS module. */
const WRAPPER = '(function(exports,require,module,__filename,__dirname){';
const DAY_MS = 86_400_000;

interface Chunk {
  exports: unknown;
  script: Script;
  /** Name of its compiled code in the cache; `undefined` if it is not to be cached. */
  name: string | undefined;
  kept: Kept | undefined;
}

/** Loads a bundle by its file name, such as `./main.cjs`, or a module of Node by its name. */
export type Load = (id: string) => unknown;

/**
 * Loads the bundles of a folder with code that V8 compiled in earlier runs: compiling takes a fifth of an
 * assembly. Node's own cache of this kind, from 22.1 on, costs a prompt a quarter more than ours.
 * @param require for everything that is not a bundle
 * @param argv words of the command line, which tell the kind of run
 */
export function openLoader(
  folder: string,
  require: Load,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Load {
  const cache = CodeCache.of(env);
  const chunks = new Map<string, Chunk>();
  const kind = 1 << (hashText(kindOf(argv)) & 31);
  const setting = [process.version, process.arch, env.NODE_OPTIONS, ...process.execArgv].join(' ');
  let saving = false;

  const load: Load = (id) => {
    if (!id.startsWith('./')) return require(id);
    const known = chunks.get(id);
    if (known) return known.exports;
    const file = folder + id.slice(2);
    // The build writes ASCII only.
    const source = readFileSync(file, 'latin1');
    const stamp = source.startsWith('//') ? source.slice(2, STAMP_LENGTH) : '';
    const name = stamp && `${id.slice(2, -4)}-${hex(`${stamp} ${source.length} ${setting}`)}`;
    const kept = name ? cache?.read(name) : undefined;
    const script = new Script(`${WRAPPER}${source}\n})`, { filename: file, cachedData: kept?.code });
    // Code that V8 rejects for no known reason is not rewritten on every run.
    const refused = script.cachedDataRejected === true && Date.now() - (kept?.writtenAt ?? 0) < DAY_MS;
    const chunk: Chunk = { exports: {}, script, name: refused ? undefined : name, kept };
    chunks.set(id, chunk);
    if (cache && chunk.name && !saving && !((kept?.kinds ?? 0) & kind)) {
      saving = true;
      process.once('exit', () => save(cache, chunks.values(), kind));
    }
    script.runInThisContext()(chunk.exports, load, chunk, file, folder);
    return chunk.exports;
  };
  return load;
}

/** What runs alike: a command, not what it is given. */
function kindOf(argv: readonly string[]): string {
  const [command, verb = '', event] = argv;
  if (command === 'hook') return `${verb} ${event}`;
  return `${command} ${/^[a-z]{1,9}$/.test(verb) ? verb : ''}`;
}

/** At the end of a run the functions that it used are compiled, and are cached with the rest. */
function save(cache: CodeCache, chunks: Iterable<Chunk>, kind: number): void {
  cache.write(
    (function* () {
      for (const { name, script, kept } of chunks) {
        if (name) yield { name, code: script.createCachedData(), kinds: (kept?.kinds ?? 0) | kind };
      }
    })(),
  );
}

function hex(text: string): string {
  return [0, 1].map((seed) => hashText(text, seed).toString(16).padStart(8, '0')).join('');
}
