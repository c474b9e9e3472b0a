import { hasCode, messageOf } from '../../base/errors.ts';
import { redactSecrets } from '../../base/safety/index.ts';
import { parsedObject } from '../../base/text/json.ts';
import type { EmbeddingSettings } from './settings.ts';

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
      const { data } = await postJson(`${base}/embeddings`, {
        headers: key ? { authorization: `Bearer ${key}` } : {},
        body: { model, input: texts, encoding_format: 'float', dimensions },
        signal,
        hidden: key,
      });
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

/** More than the largest possible answer to one request. */
const LARGEST_ANSWER = 64 * 1024 * 1024;
/** Milliseconds to wait for a service that does not say how long. */
const BUSY_WAIT = 2000;

interface Post {
  headers: Record<string, string>;
  body: unknown;
  signal: AbortSignal;
  /** The key, which must never be shown, even if the service repeats it. */
  hidden: string | undefined;
}

/**
 * Sends JSON and returns the JSON object of the answer. It uses `node:http`, because loading `fetch` costs a search
 * 30 MB. It follows no redirects: the texts and the key are only for the configured address.
 *
 * @throws EmbeddingError for every failure, including the signal
 */
async function postJson(address: string, post: Post): Promise<Record<string, unknown>> {
  let answer: Answer;
  try {
    answer = await send(address, post);
  } catch (error) {
    if (error instanceof EmbeddingError) throw error;
    if (post.signal.aborted) throw new EmbeddingError(`${hostOf(address)}: no answer in time`, BUSY_WAIT);
    throw new EmbeddingError(`${hostOf(address)} cannot be reached: ${reasonOf(error)}`, BUSY_WAIT);
  }
  const { status, text, retryAfter } = answer;
  if (status !== 200) {
    const { hidden } = post;
    const said = redactSecrets(hidden ? text.replaceAll(hidden, '…') : text).replace(/\s+/g, ' ');
    const again = status === 429 || status >= 500 ? waitOf(retryAfter) : undefined;
    throw new EmbeddingError(`${hostOf(address)} answered ${status}: ${said.slice(0, 200)}`, again);
  }
  const found = parsedObject(text);
  if (found !== undefined) return found;
  throw new EmbeddingError(`${hostOf(address)} answered something that is not JSON`);
}

interface Answer {
  status: number;
  text: string;
  retryAfter: string | undefined;
}

async function send(address: string, post: Post): Promise<Answer> {
  const { headers, body, signal } = post;
  const { request } = address.startsWith('https:') ? await import('node:https') : await import('node:http');
  const bytes = Buffer.from(JSON.stringify(body));
  return await new Promise<Answer>((resolve, reject) => {
    const sent = request(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': bytes.length, ...headers },
      signal,
    });
    sent.on('error', (error) => {
      // A kept-alive connection that was closed meanwhile says nothing about the service.
      if (sent.reusedSocket && hasCode(error, 'ECONNRESET')) resolve(send(address, post));
      else reject(error);
    });
    sent.on('response', (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      response.on('data', (part: Buffer) => {
        size += part.length;
        parts.push(part);
        if (size > LARGEST_ANSWER) response.destroy(new EmbeddingError('the answer is too long'));
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(parts).toString('utf8'),
          retryAfter: response.headers['retry-after'],
        }),
      );
    });
    sent.end(bytes);
  });
}

/** Milliseconds that a busy service asks for (RFC 9110, 10.2.3): seconds or a date. */
function waitOf(said: string | undefined): number {
  if (said === undefined) return BUSY_WAIT;
  const seconds = Number(said);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(said) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : BUSY_WAIT;
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address.slice(0, 80);
}

function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : messageOf(error);
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
