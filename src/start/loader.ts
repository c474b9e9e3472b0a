import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { Script } from 'node:vm';
import { hashText } from '../text/hash.ts';
import { CodeCache, cacheFolderOf, type Kept, scratch } from './code-cache.ts';

/** The build puts a digest of a bundle's content into its first line: `//0123456789abcdef`. */
const STAMP_LENGTH = '//0123456789abcdef'.length;
/** What a CommonJS module is given. */
const WRAPPER = '(function(exports,require,module,__filename,__dirname){';
const DAY_MS = 86_400_000;

/** Node's types leave it out. */
type Latin1Bytes = Buffer & { latin1Slice(from: number, to: number): string };

/** Node's types for version 20 leave it out. */
const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };

interface Chunk {
  exports: unknown;
  script: Script;
  /** Name of its compiled code in the cache; `undefined` when it is not to be kept. */
  name: string | undefined;
  kept: Kept | undefined;
}

/** Gives the exports of a bundle by its file name, `./main.cjs`, and of a module of Node by its own. */
export type Load = (id: string) => unknown;

/**
 * Loads the bundles of a folder with the code that V8 compiled at earlier runs: compiling is a fifth of an assembly.
 * Node has a cache for that since 22.1; older versions use ours.
 *
 * @param require for what is not a bundle
 * @param argv words of the command line: which kind of run this is
 */
export function openLoader(
  folder: string,
  require: Load,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Load {
  if (enableCompileCache !== undefined) {
    const cacheFolder = cacheFolderOf(env);
    if (cacheFolder !== undefined) enableCompileCache(cacheFolder);
    return (id) => require(id.startsWith('./') ? folder + id.slice(2) : id);
  }
  const cache = CodeCache.of(env);
  const chunks = new Map<string, Chunk>();
  const kind = 1 << (hashText(argv.slice(0, 3).join(' ')) & 31);
  const setting = [process.version, process.arch, env.NODE_OPTIONS, ...process.execArgv].join(' ');
  let saving = false;

  const load: Load = (id) => {
    if (!id.startsWith('./')) return require(id);
    const known = chunks.get(id);
    if (known) return known.exports;
    const file = folder + id.slice(2);
    const source = readAscii(file);
    const stamp = source.startsWith('//') ? source.slice(2, STAMP_LENGTH) : '';
    const name = stamp && `${id.slice(2, -4)}-${hex(`${stamp} ${source.length} ${setting}`)}`;
    const kept = name ? cache?.read(name) : undefined;
    const script = new Script(`${WRAPPER}${source}\n})`, {
      filename: file,
      ...(kept ? { cachedData: kept.code } : {}),
    });
    // What V8 did not want for no reason that we know of is not written anew at every run.
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

/** The build writes ASCII only, and this is the fastest way to read that: `toString` asks what `latin1` is. */
function readAscii(path: string): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = scratch(size) as Latin1Bytes;
    return bytes.latin1Slice(0, readSync(file, bytes, 0, size, 0));
  } finally {
    closeSync(file);
  }
}

/** At the end of a run the functions that it used are compiled, so they are kept too. */
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
