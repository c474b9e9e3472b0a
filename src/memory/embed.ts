import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../base/errors.ts';
import type { Held } from '../base/fs/index.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { listAt, parsedObject } from '../base/text/json.ts';
import type { EmbeddingSettings } from './types.ts';

/** Of the protocol of OpenAI, which Ollama, Gemini and many local servers speak. */
const OPENAI = {
  url: 'https://api.openai.com/v1',
  model: 'text-embedding-3-small',
  keyFrom: 'OPENAI_API_KEY',
};
/** Maximum length of a passage or query; services refuse or cut more than about 8,000 tokens. */
const LONGEST_TEXT = 2000;
/** Attempts with a busy service; the wait after the first in milliseconds, which doubles. */
const TRIES = 5;
const BUSY_WAIT = 1000;

/** Why vectors are missing. The message is for a person and contains no secret. */
export class EmbeddingError extends Error {
  readonly isBusy: boolean;

  constructor(message: string, isBusy = false) {
    super(message);
    this.isBusy = isBusy;
  }
}
/** Vectors of different ids cannot be compared. */
export function idOf({
  provider,
  url = OPENAI.url,
  model = OPENAI.model,
  dimensions,
}: EmbeddingSettings): string {
  return [provider, url.replace(/\/+$/, ''), model, dimensions ?? ''].join(' ');
}
/**
 * One vector per text, all of the same length. Follows no redirects: texts and key are for the configured address.
 * @throws EmbeddingError for every failure, including the signal
 */
export async function embed(
  texts: readonly string[],
  { url, model = OPENAI.model, dimensions, ...settings }: EmbeddingSettings,
  signal: AbortSignal,
  env: NodeJS.ProcessEnv = process.env,
): Promise<number[][]> {
  const address = `${(url ?? OPENAI.url).replace(/\/+$/, '')}/embeddings`;
  const host = URL.canParse(address) ? new URL(address).host : address.slice(0, 80);
  // A key for OpenAI goes to no other address unless the user says so.
  const keyFrom = settings.keyFrom ?? (url === undefined ? OPENAI.keyFrom : undefined);
  const key = keyFrom && env[keyFrom];
  if (keyFrom !== undefined && !key) throw new EmbeddingError(`the environment has no ${keyFrom}`);
  let [status, text] = [0, ''];
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, input: texts, encoding_format: 'float', dimensions }),
      redirect: 'manual',
      signal,
    });
    status = answer.status;
    text = await answer.text();
  } catch (error) {
    if (signal.aborted) throw new EmbeddingError(`${host}: no answer in time`, true);
    const { cause = error } = error as { cause?: unknown };
    const reason = (cause as { code?: string }).code ?? messageOf(cause);
    throw new EmbeddingError(`${host} cannot be reached: ${reason}`, true);
  }
  if (status !== 200) {
    // The service may repeat the key.
    const said = redactSecrets(key ? text.replaceAll(key, '…') : text).replace(/\s+/g, ' ');
    throw new EmbeddingError(
      `${host} answered ${status}: ${said.slice(0, 200)}`,
      status === 429 || status >= 500,
    );
  }
  const found = parsedObject(text);
  if (found === undefined) throw new EmbeddingError(`${host} answered something that is not JSON`);
  const rows = listAt(found, 'data') as ({ index?: number; embedding?: unknown } | null)[];
  if (rows.length !== texts.length)
    throw new EmbeddingError(`expected ${texts.length} vectors, found ${rows.length}`);
  const placed = rows.map((row, place) => ({ at: row?.index ?? place, vector: row?.embedding }));
  const vectors = placed.sort((one, other) => one.at - other.at).map(({ vector }) => vector);
  const length = Array.isArray(vectors[0]) ? vectors[0].length : 0;
  const isVector = (vector: unknown): vector is number[] =>
    Array.isArray(vector) && length > 0 && vector.length === length && vector.every(Number.isFinite);
  if (!vectors.every(isVector))
    throw new EmbeddingError('expected vectors of numbers of one length, found something else');
  return vectors;
}
/** A text without secrets, cut to the service's limit. */
export function sendable(text: string): string {
  // Cut to the final length only afterwards, so that a secret at the cut is still complete when it is detected.
  return redactSecrets(text.trim().slice(0, 2 * LONGEST_TEXT)).slice(0, LONGEST_TEXT);
}
/** The name now belongs to another model. */
export function otherLength(expected: number, found: number): EmbeddingError {
  return new EmbeddingError(
    `expected vectors of ${expected} numbers, found ${found}: all vectors will be rebuilt`,
  );
}

/** Tries again, after longer and longer waits, while the service is only busy. */
export async function patiently<T>(lock: Held, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    lock.renew();
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof EmbeddingError && error.isBusy) || attempt + 1 === TRIES) throw error;
      await wait(BUSY_WAIT * 2 ** attempt);
    }
  }
}
