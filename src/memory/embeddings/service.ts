import { messageOf } from '../../base/errors.ts';
import { redactSecrets } from '../../base/safety/index.ts';
import { parsedObject } from '../../base/text/json.ts';

/** The configuration of embeddings (`memory.embeddings.*`). */
export interface EmbeddingSettings {
  provider: 'off' | 'openai';
  /** Base address of the service; OpenAI's unless set. */
  url: string | undefined;
  model: string | undefined;
  /** Name of the environment variable that holds the key. The key itself is never stored. */
  keyFrom: string | undefined;
  /** Numbers in a vector, for models that support shorter ones; the model's default unless set. */
  dimensions: number | undefined;
  /** Milliseconds that a search waits for the vector of its query. */
  deadline: number;
}

/** Turns texts into vectors. */
export interface Embedder {
  /** Service, model and length: vectors of different ids cannot be compared. */
  readonly id: string;
  /**
   * One vector per text, all of the same length.
   * @throws EmbeddingError for every failure, including the signal
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<number[][]>;
}

/** Protocol: https://platform.openai.com/docs/api-reference/embeddings. Ollama, Gemini and many local servers speak it. */
const OPENAI = {
  url: 'https://api.openai.com/v1',
  model: 'text-embedding-3-small',
  keyFrom: 'OPENAI_API_KEY',
};

/** The configured embedder; `undefined` if there is none. */
export function embedderOf(
  settings: EmbeddingSettings,
  env: NodeJS.ProcessEnv = process.env,
): Embedder | undefined {
  if (settings.provider === 'off') return undefined;
  const { model = OPENAI.model, dimensions } = settings;
  const base = (settings.url ?? OPENAI.url).replace(/\/+$/, '');
  // A key for OpenAI goes to no other address unless the user says so.
  const keyFrom = settings.keyFrom ?? (settings.url === undefined ? OPENAI.keyFrom : undefined);
  return {
    id: [settings.provider, base, model, dimensions ?? ''].join(' '),
    async embed(texts, signal) {
      const key = keyFrom === undefined ? undefined : env[keyFrom];
      if (keyFrom !== undefined && !key) throw new EmbeddingError(`the environment has no ${keyFrom}`);
      const body = { model, input: texts, encoding_format: 'float', dimensions };
      const { data } = await postJson(`${base}/embeddings`, body, key, signal);
      const rows = (Array.isArray(data) ? data : []) as ({ index?: number; embedding?: unknown } | null)[];
      const found = rows.map((row, place) => ({ at: row?.index ?? place, vector: row?.embedding }));
      const inOrder = found.sort((one, other) => one.at - other.at).map(({ vector }) => vector);
      return checked(inOrder, texts.length);
    },
  };
}

function checked(found: unknown[], expected: number): number[][] {
  if (found.length !== expected)
    throw new EmbeddingError(`expected ${expected} vectors, found ${found.length}`);
  const length = Array.isArray(found[0]) ? found[0].length : 0;
  const isVector = (vector: unknown): vector is number[] =>
    Array.isArray(vector) && length > 0 && vector.length === length && vector.every(Number.isFinite);
  if (!found.every(isVector))
    throw new EmbeddingError('expected vectors of numbers of one length, found something else');
  return found;
}

/** More than the largest possible answer to one request, in bytes. */
const LARGEST_ANSWER = 64 * 1024 * 1024;
/** Milliseconds to wait for a service that does not say how long. */
const BUSY_WAIT = 2000;

/**
 * Sends JSON and returns the JSON object of the answer. It follows no redirects: the texts and the key are only for the
 * configured address.
 *
 * @param key must never be shown, even if the service repeats it
 * @throws EmbeddingError for every failure, including the signal
 */
async function postJson(
  address: string,
  body: object,
  key: string | undefined,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const host = URL.canParse(address) ? new URL(address).host : address.slice(0, 80);
  let answer: Response;
  let text: string;
  try {
    const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
    answer = await fetch(address, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    });
    text = await textOf(answer);
  } catch (error) {
    if (error instanceof EmbeddingError) throw error;
    if (signal.aborted) throw new EmbeddingError(`${host}: no answer in time`, BUSY_WAIT);
    const { cause = error } = error as { cause?: { code?: string } };
    const reason = (cause as { code?: string }).code ?? messageOf(cause);
    throw new EmbeddingError(`${host} cannot be reached: ${reason}`, BUSY_WAIT);
  }
  const { status } = answer;
  if (status !== 200) {
    const said = redactSecrets(key ? text.replaceAll(key, '…') : text).replace(/\s+/g, ' ');
    const again = status === 429 || status >= 500 ? waitOf(answer.headers.get('retry-after')) : undefined;
    throw new EmbeddingError(`${host} answered ${status}: ${said.slice(0, 200)}`, again);
  }
  const found = parsedObject(text);
  if (found !== undefined) return found;
  throw new EmbeddingError(`${host} answered something that is not JSON`);
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > LARGEST_ANSWER) throw new EmbeddingError('the answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Milliseconds that a busy service asks for (RFC 9110, 10.2.3): seconds or a date. */
function waitOf(said: string | null): number {
  if (said === null) return BUSY_WAIT;
  const seconds = Number(said);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(said) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : BUSY_WAIT;
}

/** The reason for missing vectors. The message is for a person and contains no secret. */
export class EmbeddingError extends Error {
  /** Milliseconds after which the service may be asked again; `undefined` if that is useless. */
  readonly again: number | undefined;

  constructor(message: string, again?: number) {
    super(message);
    this.name = 'EmbeddingError';
    this.again = again;
  }
}

/** The received vectors cannot be compared with the stored ones: the name now belongs to another model. */
export class OtherLength extends Error {
  constructor(expected: number, found: number) {
    super(`expected vectors of ${expected} numbers, found ${found}: all vectors will be rebuilt`);
    this.name = 'OtherLength';
  }
}
