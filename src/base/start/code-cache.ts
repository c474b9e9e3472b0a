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
