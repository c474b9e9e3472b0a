import { hashWith } from '../sentiment/hash.ts';
import type { ModelReading, SentimentModel } from '../sentiment/index.ts';
import { VERSION as PROGRAM } from '../version.ts';
import type { WindowCache, WindowPart } from '../window-cache.ts';

/** Goes up when the same words are read in another way by the same weights. */
const VERSION = `${PROGRAM} 4`;
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
 * A model that remembers between processes what it read in each message: reading one costs a fresh
 * process a millisecond. Kept are its numbers.
 */
export class KeptReadings implements SentimentModel {
  readonly name: string;
  readonly lexicon: SentimentModel['lexicon'];
  readonly #model: SentimentModel;
  readonly #kept: WindowPart<readonly number[]>;

  constructor(model: SentimentModel, cache: WindowCache) {
    this.name = model.name;
    this.lexicon = model.lexicon;
    this.#model = model;
    this.#kept = cache.part('mood', `${VERSION} ${model.name}`, numbersOf);
  }

  score: SentimentModel['score'] = (prose, tokens) => {
    const key = keyOf(prose);
    const known = this.#kept.get(key);
    if (known !== undefined) return readingOf(known);
    const reading = this.#model.score(prose, tokens);
    this.#kept.set(
      key,
      NUMBERS.map((name) => reading[name]),
    );
    return reading;
  };
}

/**
 * 64 bits: two texts of one window have the same once in a billion of billions. Two characters at a
 * time, since a cold process takes its time for each step.
 */
function keyOf(prose: string): string {
  let [one, other] = [SEED, OTHER_SEED];
  for (let at = 0; at < prose.length; at += 2) {
    const pair = prose.charCodeAt(at) | (prose.charCodeAt(at + 1) << 16);
    one = hashWith(one, pair);
    other = hashWith(other, pair);
  }
  return `${prose.length} ${one} ${other}`;
}

function numbersOf(kept: unknown): readonly number[] | undefined {
  const isReading = Array.isArray(kept) && kept.length === NUMBERS.length && kept.every(Number.isFinite);
  return isReading ? (kept as number[]) : undefined;
}

function readingOf(numbers: readonly number[]): ModelReading {
  return Object.fromEntries(NUMBERS.map((name, i) => [name, numbers[i]])) as unknown as ModelReading;
}
