import { attempt, getMessage } from '../base/errors.ts';
import { type HeldLock, tryLock, tryRemove, tryStat } from '../base/fs/index.ts';
import { redactPassage, redactSecrets, redactStart } from '../base/safety/index.ts';
import { getList, parseObject } from '../base/text/json.ts';
import { hashText } from '../base/text/strings.ts';
import { isPointer } from './notes.ts';
import { readValue, writeValue } from './packed.ts';
import { parsePassages } from './passages.ts';
import { chooseDistinct, HitReader, readMemoryFile, splitLines } from './read.ts';
import { listSources } from './sources.ts';
import { type IndexLocation, IndexStore } from './store.ts';
import type { EmbeddingSettings, MemoryAnswer, MemoryHit, MemoryOptions } from './types.ts';

/** Of the protocol of OpenAI, which Ollama, Gemini and many local servers speak. */
const OPENAI = {
  url: 'https://api.openai.com/v1',
  model: 'text-embedding-3-small',
  keyFrom: 'OPENAI_API_KEY',
};
/** Maximum length of a passage or query; services refuse or cut more than about 8,000 tokens. */
const LONGEST_TEXT = 2000;
const BATCH = 64;
const REQUEST_TIMEOUT = 60_000;
const REST = 5 * 60_000;
const DEPTH = 50;
/** Score of one standard deviation of a passage's vector; the best hit by words has 100. */
const PER_DEVIATION = 6;
/** What only its vector finds must stand out by so many standard deviations: there is always a nearest one. */
const LEAST = 5;

/** Why vectors are missing. The message is for a person and contains no secret. */
class EmbeddingError extends Error {}

/** A passage with its vector, whatever its length. One that changed since is passed over: its key differs. */
interface Row {
  path: string;
  number: number;
  key: string;
  vector: Int8Array;
}

interface Vectors {
  /** Vectors of different ids cannot be compared. */
  id: string;
  rows: Row[];
  problem?: string | undefined;
}

type Options = MemoryOptions & { embeddings: EmbeddingSettings };

function getModelId({ provider, url, model, dimensions }: EmbeddingSettings): string {
  const base = (url ?? OPENAI.url).replace(/\/+$/, '');
  return [provider, base, model ?? OPENAI.model, dimensions ?? '', 'cosine'].join(' ');
}

const getVectorFile = (place: IndexLocation): string => new IndexStore(place).path('vectors');
const readTime = (path: string): number => tryStat(path)?.mtimeMs ?? 0;

function readVectors(options: IndexLocation & { embeddings: EmbeddingSettings }): Vectors | undefined {
  const vectors = attempt(() => readValue(getVectorFile(options))) as Vectors | undefined;
  return vectors?.id === getModelId(options.embeddings) ? vectors : undefined;
}

/**
 * Adds the passages whose vectors are near the query's to the results of a search by words. If anything fails with the
 * vectors, the results by words remain.
 */
export async function searchByMeaning(
  options: Options,
  limit: number,
  byWords: (limit: number) => Promise<MemoryAnswer>,
): Promise<MemoryAnswer> {
  const { embeddings, alreadyShown, background } = options;
  const answer = await byWords(Math.max(limit, DEPTH));
  const vectors = readVectors(options);
  const age = Date.now() - readTime(getVectorFile(options));
  const isBehind =
    answer.changed > 0 || readTime(new IndexStore(options).base) > readTime(getVectorFile(options));

  if (vectors === undefined || (vectors.problem ? age > REST : isBehind)) background?.();

  try {
    const text = redactForService(answer.asked);
    const signals = [options.signal ?? [], AbortSignal.timeout(embeddings.deadline)].flat();
    if (vectors === undefined || vectors.rows.length === 0) throw new EmbeddingError(NONE_YET);

    const [query] = text === '' ? [] : await requestVectors([text], embeddings, AbortSignal.any(signals));
    const rows = vectors.rows.filter(({ vector }) => vector.length === query?.length);

    if (query !== undefined && rows.length === 0) {
      tryRemove(getVectorFile(options));
      throw new EmbeddingError(NONE_YET);
    }

    const near = query === undefined ? [] : findNearestPassages(query, rows, options);
    const hits = fuseResults(answer.hits, near, alreadyShown, limit);

    return { ...answer, hits, meaning: { used: true } };
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    const meaning = { used: false, problem: error.message };
    return { ...answer, hits: answer.hits.slice(0, limit), meaning };
  }
}

const NONE_YET = 'there are no vectors of this model yet: scratchpad memory index creates them';

/**
 * The passages nearest to a query, read from their files; those that changed since are left out. The score of each is how
 * many standard deviations it is closer to the query than the average passage.
 */
function findNearestPassages(query: Int8Array, rows: readonly Row[], options: Options): MemoryHit[] {
  const all = rows.map((row) => ({ row, score: computeCosine(query, row.vector) }));
  const mean = all.reduce((sum, { score }) => sum + score, 0) / all.length;
  const deviation = Math.sqrt(all.reduce((sum, { score }) => sum + (score - mean) ** 2, 0) / all.length);
  const reader = new HitReader(options);
  const best = all.sort((one, other) => other.score - one.score).slice(0, DEPTH);

  return best.flatMap(({ row, score }) => {
    const hit = reader.at(row.path, row.number, deviation && (score - mean) / deviation);
    return hit && computeKey(hit) === row.key ? hit : [];
  });
}

function computeCosine(one: Int8Array, other: Int8Array): number {
  const multiplyVectors = (a: Int8Array, b: Int8Array): number =>
    a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
  return (
    multiplyVectors(one, other) / (Math.sqrt(multiplyVectors(one, one) * multiplyVectors(other, other)) || 1)
  );
}

/**
 * Merges both lists, without repeats and lines already shown. It adds scores, not ranks: reciprocal rank fusion
 * discards the distance between the best hit and the next, and lost 10 to 18 points of recall.
 */
function fuseResults(
  byWords: readonly MemoryHit[],
  byMeaning: readonly MemoryHit[],
  alreadyShown: readonly string[] | undefined,
  limit: number,
): MemoryHit[] {
  const all = new Map<string, MemoryHit>();
  const getPlaceKey = ({ path, line, text }: MemoryHit): string => `${path}:${line}:${text}`;
  const best = byWords[0]?.score ?? 1;

  for (const hit of byWords) all.set(getPlaceKey(hit), { ...hit, score: (100 * hit.score) / best });

  for (const hit of byMeaning) {
    const stored = all.get(getPlaceKey(hit));
    const meaning = PER_DEVIATION * hit.score;
    if (hit.score >= LEAST || (hit.score > 0 && stored !== undefined))
      all.set(getPlaceKey(hit), { ...hit, score: (stored?.score ?? 0) + meaning, meaning });
  }

  const inOrder = [...all.values()].sort((one, other) => other.score - one.score);

  return chooseDistinct(inOrder, limit, alreadyShown);
}

/** How many passages have a vector of the configured model, and why the last update stopped. */
export function readVectorStatus(options: IndexLocation & { embeddings: EmbeddingSettings }): {
  rows: number;
  problem?: string | undefined;
} {
  const { rows = [], problem } = readVectors(options) ?? {};
  return { rows: rows.length, problem };
}

export interface VectorUpdate {
  embedded: number;
  missing: number;
  sent: number;
  problem?: string | undefined;
}

interface UpdateOptions extends IndexLocation {
  embeddings: EmbeddingSettings;
  env?: NodeJS.ProcessEnv;
}

/**
 * Creates the missing vectors of a memory. Undefined if embeddings are off or another process is doing it. If the
 * service fails, the vectors received so far stay; it never throws for that.
 */
export async function updateVectors(options: UpdateOptions): Promise<VectorUpdate | undefined> {
  if (options.embeddings.provider === 'off') return undefined;

  const store = new IndexStore(options);
  store.createFolder();
  const lock = tryLock(store.path('vectors-lock'));
  if (lock === undefined) return undefined;

  try {
    return await update(lock, options);
  } finally {
    lock.release();
  }
}

async function update(lock: HeldLock, options: UpdateOptions): Promise<VectorUpdate> {
  const { workspace, include, embeddings, env } = options;
  const vectors = new Map(readVectors(options)?.rows.map(({ key, vector }) => [key, vector]));
  const all = listSources(workspace, include).sources.flatMap(({ path, real }) => {
    const read = readMemoryFile(real);
    return 'text' in read ? readTexts({ path, real }, read.text) : [];
  });
  let [sent, problem] = [0, undefined as string | undefined];

  try {
    let missing = all.filter(({ key }) => !vectors.has(key));
    while (missing.length > 0) {
      const batch = missing.slice(0, BATCH);
      const texts = batch.map(({ text }) => text);
      lock.renew();
      const found = await requestVectors(texts, embeddings, AbortSignal.timeout(REQUEST_TIMEOUT), env);
      // Of another model: earlier vectors are useless.
      for (const [key, { length }] of vectors) if (length !== found[0]?.length) vectors.delete(key);
      for (const [k, vector] of found.entries()) vectors.set(batch[k]?.key ?? '', vector);
      sent += batch.length;
      missing = all.filter(({ key }) => !vectors.has(key));
      if (sent > 2 * all.length) throw new EmbeddingError('the vectors are of changing lengths');
    }
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    problem = error.message;
  }

  const rows = all.flatMap(({ path, number, key }): Row[] => {
    const vector = vectors.get(key);
    return vector ? [{ path, number, key, vector }] : [];
  });
  writeValue(getVectorFile(options), { id: getModelId(embeddings), rows, problem });

  return { embedded: rows.length, missing: all.length - rows.length, sent, problem };
}

/**
 * The passages of a file with what is sent of them: titles above it and its words. Secrets are detected in the whole
 * file, so that the middle of a key is removed too, and again in the text to send.
 */
function readTexts(
  { path, real }: { path: string; real: string },
  file: string,
): (Omit<Row, 'vector'> & { text: string })[] {
  const lines = splitLines(file);
  // Line numbers stay as they are.
  const safe = splitLines(redactSecrets(file));
  return parsePassages(lines).flatMap((passage, number) => {
    // A title with text under it is not a result; it is sent with that text.
    if (passage.title || isPointer(path, real, lines[passage.startLine - 1])) return [];

    const { startLine, endLine, headings } = passage;
    const touched = lines.slice(startLine - 1, endLine).some((each, k) => each !== safe[startLine - 1 + k]);
    const words = touched ? redactPassage(passage.text, file) : passage.text;
    const text = redactForService(`${headings.join(' > ')}\n${words}`);

    return [{ path, number, text, key: computeKey(passage) }];
  });
}

function computeKey({ headings, text }: Pick<MemoryHit, 'headings' | 'text'>): string {
  const whole = JSON.stringify([headings, text]);
  return `${hashText(whole)}-${hashText(whole, 1)}`;
}

const redactForService = (text: string): string => redactStart(text.trim(), LONGEST_TEXT);

/**
 * One vector per text, all of the same length. Follows no redirects: texts and key are for the configured address.
 * @throws EmbeddingError for every failure, including the signal
 */
async function requestVectors(
  texts: readonly string[],
  { url, model = OPENAI.model, dimensions, ...settings }: EmbeddingSettings,
  signal: AbortSignal,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Int8Array[]> {
  const address = `${(url ?? OPENAI.url).replace(/\/+$/, '')}/embeddings`;
  const host = URL.canParse(address) ? new URL(address).host : address.slice(0, 80);
  // A key for OpenAI goes to no other address unless the user says so.
  const keyFrom = settings.keyFrom ?? (url === undefined ? OPENAI.keyFrom : undefined);
  const key = keyFrom && env[keyFrom];

  if (keyFrom !== undefined && !key) throw new EmbeddingError(`the environment has no ${keyFrom}`);

  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, input: texts, encoding_format: 'float', dimensions }),
    redirect: 'manual',
    signal,
  }).catch((error: Error) => {
    if (signal.aborted) throw new EmbeddingError(`${host}: no answer in time`);
    const { cause = error } = error as { cause?: unknown };
    const reason = (cause as { code?: string }).code ?? getMessage(cause);
    throw new EmbeddingError(`${host} cannot be reached: ${reason}`);
  });

  const text = await answer.text().catch(() => '');
  // The service may repeat the key.
  const answerText = redactSecrets((key ? text.replaceAll(key, '…') : text).slice(0, 1000)).replace(
    /\s+/g,
    ' ',
  );

  if (answer.status !== 200)
    throw new EmbeddingError(`${host} answered ${answer.status}: ${answerText.slice(0, 200)}`);

  const rows = getList(parseObject(text) ?? {}, 'data') as ({ index?: number; embedding?: unknown } | null)[];
  const inOrder = rows.sort((one, other) => (one?.index ?? 0) - (other?.index ?? 0));
  const vectors = inOrder.flatMap((row) => (isVector(row?.embedding) ? [row.embedding] : []));

  if (vectors.length !== texts.length || vectors.some(({ length }) => length !== vectors[0]?.length))
    throw new EmbeddingError(
      `${host}: expected ${texts.length} vectors of one length, found ${answerText.slice(0, 80)}`,
    );

  return vectors.map(quantizeVector);
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every(Number.isFinite);

function quantizeVector(vector: readonly number[]): Int8Array {
  const most = vector.reduce((sum, value) => Math.max(sum, Math.abs(value)), 0) || 1;
  return Int8Array.from(vector, (value) => Math.round((value / most) * 127));
}
