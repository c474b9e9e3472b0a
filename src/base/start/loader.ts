import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { hashText } from '../text/hash.ts';
import { CodeCache, type Kept } from './code-cache.ts';

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
