import { readCache, writeCache } from '../cache.ts';
import { hashWith } from '../sentiment/hash.ts';
import type { ModelReading, SentimentModel } from '../sentiment/index.ts';
import { VERSION as PROGRAM } from '../version.ts';

/** Goes up when the same words are read in another way by the same weights. */
const VERSION = `${PROGRAM} 2`;
const SEED = 0x811c9dc5;
const OTHER_SEED = 0x9747b28c;

/** The numbers of a reading in the order in which they are kept. */
const NUMBERS = [
  'frustrated',
  'playful',
  'curious',
  'engaged',
  'pleased',
  'displeased',
  'urgent',
  'tired',
  'joking',
  'valence',
  'arousal',
] as const satisfies readonly (keyof ModelReading)[];

/**
 * A model that remembers between processes what it read in each message: of a window only the
 * newest words are new, and reading one message costs a fresh process a millisecond. Kept are
 * numbers by hash, no words, and only those of the window that was read last.
 */
export class KeptReadings implements SentimentModel {
  readonly name: string;
  readonly lexicon: SentimentModel['lexicon'];
  readonly #model: SentimentModel;
  readonly #file: string;
  readonly #before: ReadonlyMap<string, ModelReading>;
  readonly #asked = new Map<string, ModelReading>();
  #added = false;

  constructor(model: SentimentModel, file: string) {
    this.name = model.name;
    this.lexicon = model.lexicon;
    this.#model = model;
    this.#file = file;
    this.#before = readKept(file, model.name);
  }

  score: SentimentModel['score'] = (prose, tokens) => {
    const key = keyOf(prose);
    const known = this.#asked.get(key) ?? this.#before.get(key);
    const reading = known ?? this.#model.score(prose, tokens);
    this.#added ||= known === undefined;
    this.#asked.set(key, reading);
    return reading;
  };

  /** Keeps what this process was asked; nothing is lost with it. */
  keep(): void {
    if (!this.#added) return;
    const readings = [...this.#asked].map(([key, reading]) => [key, NUMBERS.map((name) => reading[name])]);
    writeCache(this.#file, { version: VERSION, model: this.name, readings });
  }
}

/**
 * 64 bits: two texts of one window have the same once in a billion of billions. Four bytes at a
 * time, since a cold process takes its time for each step.
 */
function keyOf(prose: string): string {
  const bytes = Buffer.alloc(Math.ceil(Buffer.byteLength(prose) / 4) * 4);
  bytes.write(prose);
  let [one, other] = [SEED, OTHER_SEED];
  for (const word of new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)) {
    one = hashWith(one, word);
    other = hashWith(other, word);
  }
  return `${prose.length} ${one} ${other}`;
}

function readKept(file: string, model: string): Map<string, ModelReading> {
  const kept = readCache(file) as
    | { version?: unknown; model?: unknown; readings?: unknown }
    | null
    | undefined;
  const found = new Map<string, ModelReading>();
  if (kept?.version !== VERSION || kept.model !== model || !Array.isArray(kept.readings)) return found;
  for (const entry of kept.readings) {
    const [key, numbers] = Array.isArray(entry) ? entry : [];
    if (typeof key === 'string' && Array.isArray(numbers)) add(found, key, numbers);
  }
  return found;
}

function add(found: Map<string, ModelReading>, key: string, numbers: readonly unknown[]): void {
  if (numbers.length !== NUMBERS.length || !numbers.every(Number.isFinite)) return;
  found.set(key, Object.fromEntries(NUMBERS.map((name, i) => [name, numbers[i]])) as unknown as ModelReading);
}
