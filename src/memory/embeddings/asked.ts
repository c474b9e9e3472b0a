import { readCache, writeCache } from '../../fs/cache.ts';
import { checkBytes } from '../../text/hash.ts';
import type { Quantized } from './quantize.ts';

/** Number of queries with cached vectors. */
const MOST_QUERIES = 64;

interface Kept {
  hashes: [number, number];
  scale: number;
  /** Base64. */
  values: string;
  check: number;
}

/** The vectors of the last queries in a JSON file, so that a repeated query is not sent again. */
export class AskedBefore {
  readonly #path: string;
  readonly #id: string;

  /** @param id `Embedder.id`: vectors of another model are ignored */
  constructor(path: string, id: string) {
    this.#path = path;
    this.#id = id;
  }

  find(hashes: readonly number[]): Quantized | undefined {
    const found = this.#all().find((each) => same(each.hashes, hashes));
    if (found === undefined) return undefined;
    const bytes = Uint8Array.from(Buffer.from(found.values, 'base64'));
    if (checkBytes(bytes, found.hashes[0]) !== found.check) return undefined;
    return { scale: found.scale, values: new Int8Array(bytes.buffer) };
  }

  keep(hashes: [number, number], { scale, values }: Quantized): void {
    const bytes = Uint8Array.from(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    const check = checkBytes(bytes, hashes[0]);
    const query: Kept = { hashes, scale, values: Buffer.from(bytes).toString('base64'), check };
    const others = this.#all().filter((each) => !same(each.hashes, hashes));
    writeCache(this.#path, { id: this.#id, queries: [query, ...others].slice(0, MOST_QUERIES) });
  }

  #all(): Kept[] {
    const found = readCache(this.#path) as { id?: unknown; queries?: unknown } | null | undefined;
    if (found?.id !== this.#id || !Array.isArray(found.queries)) return [];
    return (found.queries as Kept[]).filter((each) => typeof each?.values === 'string');
  }
}

function same(a: readonly number[] | undefined, b: readonly number[]): boolean {
  return a?.[0] === b[0] && a?.[1] === b[1];
}
