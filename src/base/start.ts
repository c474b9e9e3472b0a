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
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { attempt } from './errors.ts';
import { digestText, hashText } from './text/strings.ts';

/** The build puts a digest of a bundle's content into its first line: `//0123456789abcdef`. */
const STAMP_LENGTH = '//0123456789abcdef'.length;
/** The function that wraps a CommonJS module. */
const WRAPPER = '(function(exports,require,module,__filename,__dirname){';
/** Bytes at the end of a file for the kinds of runs. */
const KINDS_BYTES = 4;
const LEAST_FREE_BYTES = 64 * 1024 * 1024;
/** Limit for all versions together; the oldest are removed first. */
const MOST_CACHED_BYTES = 32 * 1024 * 1024;

/** Loads a bundle by its file name, such as `./main.cjs`, or a module of Node by its name. */
export type Load = (id: string) => unknown;

/** Cached code, and the kinds of runs whose functions it includes, one bit for each. */
interface CodeCache {
  code: Buffer;
  kinds: number;
}

interface Chunk {
  exports: unknown;
  script: Script;
  /** Name of its compiled code in the cache; empty if it is not to be cached. */
  name: string;
  cached: CodeCache | undefined;
}

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
  const cache = findCacheFolder(env);
  const chunks = new Map<string, Chunk>();
  const kind = 1 << (hashText(getCommandKind(argv)) & 31);
  const setting = [process.version, process.arch, env.NODE_OPTIONS, ...process.execArgv].join(' ');
  let willSave = false;

  const load: Load = (id) => {
    if (!id.startsWith('./')) return require(id);

    const loaded = chunks.get(id);
    if (loaded) return loaded.exports;

    const file = folder + id.slice(2);
    // The build writes ASCII only.
    const source = readFileSync(file, 'latin1');
    const stamp = source.startsWith('//') ? source.slice(2, STAMP_LENGTH) : '';
    const name = stamp && `${id.slice(2, -4)}-${digestText(`${stamp} ${source.length} ${setting}`)}`;
    const found = cache && name ? attempt(() => readCachedCode(`${cache}/${name}`)) : undefined;
    const script = new Script(`${WRAPPER}${source}\n})`, { filename: file, cachedData: found?.code });
    const cached = script.cachedDataRejected ? undefined : found;
    const chunk: Chunk = { exports: {}, script, name, cached };

    chunks.set(id, chunk);

    if (cache && name && !willSave && !((cached?.kinds ?? 0) & kind)) {
      willSave = true;
      // Without room or permission the next run has no cache.
      process.once('exit', () => void attempt(() => save(cache, chunks.values(), kind)));
    }

    script.runInThisContext()(chunk.exports, load, chunk, file, folder);

    return chunk.exports;
  };

  return load;
}

/** The command without its arguments: runs of one kind use the same functions. */
function getCommandKind(argv: readonly string[]): string {
  const [command, verb = '', event] = argv;
  if (command === 'hook') return `${verb} ${event}`;
  return `${command} ${/^[a-z]{1,9}$/.test(verb) ? verb : ''}`;
}

/**
 * The cache of compiled code: `$XDG_CACHE_HOME/scratchpad/code`, else `~/.cache/scratchpad/code`. A wrong byte can make
 * V8 hang; so a file that another user owns or may write is ignored, and each file holds its content twice, to be
 * compared. `undefined` if the base folder is missing, or the variable that disables Node's own cache is set.
 */
function findCacheFolder(env: NodeJS.ProcessEnv): string | undefined {
  const base = env.XDG_CACHE_HOME || env.HOME;
  if (env.NODE_DISABLE_COMPILE_CACHE || !process.getuid || !base?.startsWith('/') || !existsSync(base))
    return undefined;
  return `${env.XDG_CACHE_HOME ? base : `${base}/.cache`}/scratchpad/code`;
}

const isOurs = ({ uid, mode }: { uid: number; mode: number }): boolean =>
  uid === process.getuid?.() && (mode & 0o022) === 0;

function readCachedCode(path: string): CodeCache | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || !isOurs(stats)) return undefined;

    const bytes = readFileSync(file);
    const half = (bytes.length - KINDS_BYTES) / 2;
    const code = bytes.subarray(0, half);
    if (half <= 0 || !code.equals(bytes.subarray(half, half * 2))) return undefined;

    return { code, kinds: bytes.readUInt32LE(half * 2) };
  } finally {
    closeSync(file);
  }
}

/** Called at the end of a run: the functions that it used are compiled then, and cached with the rest. */
function save(folder: string, chunks: Iterable<Chunk>, kind: number): void {
  // Node's own `recursive` never ends in a folder that takes none, such as /proc.
  for (const path of [join(folder, '../..'), join(folder, '..'), folder])
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
  const stats = lstatSync(folder);
  const { bavail, bsize } = statfsSync(folder);

  if (!stats.isDirectory() || !isOurs(stats) || bavail * bsize < LEAST_FREE_BYTES) return;

  for (const { name, script, cached } of chunks) {
    if (!name) continue;
    const kinds = Buffer.alloc(KINDS_BYTES);
    kinds.writeUInt32LE(((cached?.kinds ?? 0) | kind) >>> 0);
    const code = script.createCachedData();
    replace(`${folder}/${name}`, Buffer.concat([code, code, kinds]));
  }

  sweep(folder);
}

/** Flushed: after a power cut a file with a hole would look complete. */
function replace(path: string, bytes: Buffer): void {
  const temporary = `${path}.${process.pid}.tmp`;
  const file = openSync(temporary, 'wx', 0o600);

  try {
    try {
      writeSync(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }

    renameSync(temporary, path);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}

function sweep(folder: string): void {
  const files = readdirSync(folder)
    .map((name) => ({ path: `${folder}/${name}`, stats: lstatSync(`${folder}/${name}`) }))
    .sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs);
  let total = 0;
  for (const { path, stats } of files) {
    total += stats.size;
    if (total > MOST_CACHED_BYTES) unlinkSync(path);
  }
}
