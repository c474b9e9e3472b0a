/**
 * What embeddings add to the search by words.
 * `tsx scripts/evaluate/memory-meaning.ts DATA --url URL [--model NAME] [--key VARIABLE]`: a service as in `memory.embeddings`, for instance `sentence-encoder.ts` beside this.
 * Prints the recall of both together for several thresholds that a passage found only by its embedding must reach,
 * and how often such a passage is returned when the memory of another conversation is searched.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { embedderOf } from '../../src/memory/embeddings/provider.ts';
import { quantized } from '../../src/memory/embeddings/quantize.ts';
import { fused, readHits, similarTo } from '../../src/memory/embeddings/search.ts';
import type { EmbeddingSettings } from '../../src/memory/embeddings/settings.ts';
import { updateVectors } from '../../src/memory/embeddings/update.ts';
import { VectorStore } from '../../src/memory/embeddings/vector-store.ts';
import { IndexStore } from '../../src/memory/index/store.ts';
import { searchMemory } from '../../src/memory/search.ts';
import type { MemoryHit } from '../../src/memory/types.ts';
import { queriesOf, type Scores, scoresOf } from './memory.ts';
import { mean } from './stats.ts';

const NEVER = Number.POSITIVE_INFINITY;
const TRIES = [0, 3, 6, 9, 12, 16, 24].flatMap((perDeviation) =>
  [3, 4, 5, NEVER].map((least) => ({ perDeviation, least })),
);
const DEPTH = 50;

async function main(data: string, embeddings: EmbeddingSettings): Promise<void> {
  const embedder = embedderOf(embeddings);
  if (embedder === undefined) return;
  const own = TRIES.map((): Scores[] => []);
  const foreign = TRIES.map((): number[] => []);
  const alone: Scores[] = [];
  const root = join(data, 'locomo-dev');
  const ids = readdirSync(root);
  const home = mkdtempSync(join(tmpdir(), 'scratchpad-meaning-'));
  try {
    for (const [k, id] of ids.entries()) {
      const workspace = join(home, id);
      cpSync(join(root, id), workspace, { recursive: true });
      const update = await updateVectors({ workspace, embeddings });
      console.error(`${id}: ${update?.embedded} passages, ${update?.problem ?? 'no problem'}`);
      const file = new VectorStore(new IndexStore(workspace)).open();
      if (file === undefined) throw new Error('no vectors');
      const ask = async (
        text: string,
      ): Promise<{ byWords: MemoryHit[]; byMeaning: ReturnType<typeof readHits> }> => {
        const [vector = []] = await embedder.embed([text], AbortSignal.timeout(60_000));
        const { hits: byWords } = await searchMemory({ text }, { workspace, limit: DEPTH });
        return { byWords, byMeaning: readHits(similarTo(quantized(vector), file, DEPTH), { workspace }) };
      };
      const placeOf = ({ path, line }: MemoryHit): string => `${path}:${line}`;
      for (const { query, evidence } of queriesOf(join(root, id))) {
        const { byWords, byMeaning } = await ask(query);
        alone.push(scoresOf([...new Set(byMeaning.map(({ hit }) => placeOf(hit)))], evidence));
        TRIES.forEach((weights, t) => {
          const hits = fused(byWords, byMeaning, [], 10, weights);
          own[t]?.push(scoresOf([...new Set(hits.map(placeOf))], evidence));
        });
      }
      const stranger = queriesOf(join(root, ids[(k + 1) % ids.length] ?? id));
      for (const { query } of stranger.slice(0, 100)) {
        const { byWords, byMeaning } = await ask(query);
        TRIES.forEach((weights, t) => {
          foreign[t]?.push(fused(byWords, byMeaning, [], 5, weights).length > 0 ? 0 : 1);
        });
      }
      file.close();
    }
    const cells = (scores: readonly Scores[]): string =>
      (['r5', 'r10', 'ndcg'] as const)
        .map((key) => (100 * mean(scores.map((each) => each[key]))).toFixed(1))
        .join(' / ');
    console.log(`vectors alone: ${cells(alone)}\n`);
    console.log(
      '| a deviation counts | found by its vector alone counts from | R@5 / R@10 / nDCG@10 | other people’s memory, no answer |',
    );
    console.log('|---|---|---|---|');
    TRIES.forEach(({ perDeviation, least }, t) => {
      const name = `${perDeviation} | ${least === NEVER ? 'never' : `${least} deviations`}`;
      console.log(`| ${name} | ${cells(own[t] ?? [])} | ${(100 * mean(foreign[t] ?? [])).toFixed(0)} % |`);
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: 'string' },
    provider: { type: 'string', default: 'openai' },
    model: { type: 'string' },
    key: { type: 'string' },
  },
});
const [data] = positionals;
const { provider } = values;
if (data === undefined || provider !== 'openai') {
  console.error('usage: tsx scripts/evaluate/memory-meaning.ts DATA [--url URL]');
  process.exitCode = 2;
} else {
  await main(data, {
    provider,
    url: values.url,
    model: values.model,
    keyFrom: values.key,
    dimensions: undefined,
    deadline: 60_000,
  });
}
