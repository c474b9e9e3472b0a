import type { ModelReading, SentimentModel } from '../sentiment/index.ts';
import { digest } from '../text/hash.ts';
import type { WindowCache, WindowPart } from '../transcript/window-cache.ts';
import { VERSION as PROGRAM } from '../version.ts';

/** Increased when the same weights read the same words differently. */
const VERSION = `${PROGRAM} 5`;

/**
 * A model that caches its reading of each message between processes, because a reading costs a fresh process a
 * millisecond. Only its numbers are stored, by a digest of the words.
 */
export class KeptReadings implements SentimentModel {
  readonly name: string;
  readonly heads: SentimentModel['heads'];
  readonly lexicon: SentimentModel['lexicon'];
  readonly #model: SentimentModel;
  readonly #kept: WindowPart<readonly number[]>;

  constructor(model: SentimentModel, cache: WindowCache) {
    this.name = model.name;
    this.heads = model.heads;
    this.lexicon = model.lexicon;
    this.#model = model;
    const isReading = (kept: unknown): kept is number[] =>
      Array.isArray(kept) && kept.length === 3 + model.heads.length && kept.every(Number.isFinite);
    this.#kept = cache.part('mood', `${VERSION} ${model.name}`, (kept) =>
      isReading(kept) ? kept : undefined,
    );
  }

  score: SentimentModel['score'] = (prose, tokens) => {
    const key = digest(prose);
    const [frustrated, valence, arousal, ...outputs] = this.#kept.get(key) ?? [];
    if (frustrated !== undefined && valence !== undefined && arousal !== undefined) {
      const heads = Object.fromEntries(this.heads.map((name, i) => [name, outputs[i] ?? 0]));
      return { frustrated, valence, arousal, heads };
    }
    const reading: ModelReading = this.#model.score(prose, tokens);
    const values = this.heads.map((name) => reading.heads[name] ?? 0);
    this.#kept.set(key, [reading.frustrated, reading.valence, reading.arousal, ...values]);
    return reading;
  };
}
