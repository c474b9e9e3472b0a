import { EmbeddingError } from './failures.ts';
import { postJson } from './http.ts';
import { PROTOCOLS, type Role } from './protocols.ts';
import type { EmbeddingSettings } from './settings.ts';

/** Turns texts into vectors. */
export interface Embedder {
  /** Service, model and length: vectors of different ids cannot be compared. */
  readonly id: string;
  /**
   * One vector per text, all of the same length.
   * @throws EmbeddingError for every failure, including the signal
   */
  embed(texts: readonly string[], role: Role, signal: AbortSignal): Promise<number[][]>;
}

/** The configured embedder; `undefined` if there is none. */
export function embedderOf(
  settings: EmbeddingSettings,
  env: NodeJS.ProcessEnv = process.env,
): Embedder | undefined {
  if (settings.provider === 'off') return undefined;
  const protocol = PROTOCOLS[settings.provider];
  const model = settings.model ?? protocol.model;
  const base = (settings.url ?? protocol.url).replace(/\/+$/, '');
  const keyFrom = settings.keyFrom ?? protocol.keyFrom;
  const dimensions = settings.dimensions === undefined ? {} : { dimensions: settings.dimensions };
  return {
    id: [settings.provider, base, model, settings.dimensions ?? ''].join(' '),
    async embed(texts, role, signal) {
      const key = keyFrom === undefined ? undefined : env[keyFrom];
      // A service at a user's own address may need no key; if it does, it says so itself.
      if (keyFrom !== undefined && !key && (settings.url === undefined || settings.keyFrom !== undefined))
        throw new EmbeddingError(`the environment has no ${keyFrom}`);
      const answer = await postJson(`${base}${protocol.path(model)}`, {
        headers: key ? protocol.headers(key) : {},
        body: protocol.body({ model, texts, role, ...dimensions }),
        signal,
        hidden: key,
      });
      return checked(protocol.vectors(answer), texts.length);
    },
  };
}

function checked(found: unknown[], expected: number): number[][] {
  if (found.length !== expected)
    throw new EmbeddingError(`expected ${expected} vectors, found ${found.length}`);
  const length = Array.isArray(found[0]) ? found[0].length : 0;
  for (const vector of found) {
    if (!Array.isArray(vector) || vector.length === 0 || !vector.every(Number.isFinite))
      throw new EmbeddingError('expected vectors of numbers, found something else');
    if (vector.length !== length)
      throw new EmbeddingError(
        `expected vectors of one length, found ${length} and ${vector.length} numbers`,
      );
  }
  return found as number[][];
}
