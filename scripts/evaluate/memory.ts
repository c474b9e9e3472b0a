/**
 * Quality of memory search. `tsx scripts/evaluate/memory.ts DATA [--rounds N]`, where DATA holds
 * `locomo-dev/<id>/` (workspaces with `queries.jsonl`) and `cranfield/`. Prints a table in Markdown.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Collection } from '../../src/memory/collection.ts';
import { wantsOf } from '../../src/memory/cues.ts';
import { spansOf } from '../../src/memory/dates.ts';
import { formulate } from '../../src/memory/query.ts';
import { rank } from '../../src/memory/rank.ts';
import { coveredBy, isAnswer, wantedOf } from '../../src/memory/relevance.ts';
import { scan } from '../../src/memory/scan.ts';
import type { Segment } from '../../src/memory/segment.ts';
import type { Ranked } from '../../src/memory/types.ts';
import type { RankWeights } from '../../src/memory/weights.ts';
import { bootstrap, type Interval, mean, pick } from './stats.ts';

export interface LocomoQuery {
  id: string;
  category: number;
  query: string;
  evidence: string[];
  drift: string[];
  elliptical: string[];
}

/** The scores of one query: recall at 5 and 10, nDCG at 10. */
export interface Scores {
  r5: number;
  r10: number;
  ndcg: number;
}

const yearsOf = (segment: Segment): number[] => {
  const years = new Set(
    [...segment.days].filter((day) => day >= 0).map((day) => new Date(day * 864e5).getUTCFullYear()),
  );
  return [...years];
};

/** The ranking of one chat or query as in `searchMemory`, without reading the files again. */
function search(segment: Segment, texts: readonly string[], limit: number, weights?: RankWeights): Ranked[] {
  const { ranked, isAnswered } = candidates(segment, texts, limit, weights);
  return isAnswered ? ranked : [];
}

/**
 * The ranking before the decision whether it is an answer, and what that decision is based on. `covered` is
 * undefined for a query without information.
 */
export function candidates(
  segment: Segment,
  texts: readonly string[],
  limit: number,
  weights?: RankWeights,
): { ranked: Ranked[]; isAnswered: boolean; covered: number | undefined } {
  const collection = new Collection([{ segment }]);
  const { terms, focus } = formulate(texts, (term) => collection.idf(term), texts.length === 1);
  const now = Date.now();
  const spans = spansOf(focus, now, () => yearsOf(segment));
  const ranked = rank(collection, { terms, spans, now, ...wantsOf(focus) }, limit, weights);
  const about = [ranked, terms, collection, spans.length > 0, texts.length === 1] as const;
  const wanted = wantedOf(terms, collection, spans.length > 0, texts.length === 1);
  const shareOf = ({ why }: Ranked): number =>
    coveredBy(why, wanted?.words ?? 0) / (wanted?.information ?? 1);
  const covered = wanted && Math.max(0, ...ranked.map(shareOf));
  return { ranked, isAnswered: isAnswer(...about), covered };
}

/** Recall and nDCG (binary gains) of a ranked list of names. */
export function scoresOf(found: readonly string[], wanted: readonly string[]): Scores {
  const hit = (at: number): number => (wanted.includes(found[at] ?? '') ? 1 : 0);
  let [r5, r10, gain, ideal] = [0, 0, 0, 0];
  for (let at = 0; at < 10; at++) {
    if (at < 5) r5 += hit(at);
    r10 += hit(at);
    gain += hit(at) / Math.log2(at + 2);
    if (at < wanted.length) ideal += 1 / Math.log2(at + 2);
  }
  return { r5: r5 / wanted.length, r10: r10 / wanted.length, ndcg: gain / ideal };
}

/** A file of the collection; some of its files have Windows line ends. */
const textOf = (path: string): string => readFileSync(path, 'utf8').replaceAll('\r', '');

export const placeOf = ({ view, file, passage }: Ranked): string =>
  `${view.segment.file(file).path}:${view.segment.place(passage).line}`;

/** The questions of one conversation's workspace. */
export function queriesOf(workspace: string): LocomoQuery[] {
  const lines = readFileSync(join(workspace, 'queries.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as LocomoQuery);
}

/** The scores of the search for a chat or query whose evidence is at these places. */
export function scoreOf(
  segment: Segment,
  texts: readonly string[],
  evidence: readonly string[],
  weights?: RankWeights,
): Scores {
  return scoresOf([...new Set(search(segment, texts, 20, weights).map(placeOf))], evidence);
}

export async function locomo(data: string): Promise<Map<string, Scores[]>> {
  const out = new Map<string, Scores[]>([
    ['clean', []],
    ['drift', []],
    ['elliptical', []],
  ]);
  const root = join(data, 'locomo-dev');
  for (const id of readdirSync(root)) {
    const workspace = join(root, id);
    const { segment } = await scan({ workspace });
    for (const { query, drift, elliptical, evidence } of queriesOf(workspace)) {
      out.get('clean')?.push(scoreOf(segment, [query], evidence));
      out.get('drift')?.push(scoreOf(segment, drift, evidence));
      out.get('elliptical')?.push(scoreOf(segment, elliptical, evidence));
    }
  }
  return out;
}

/** One file per document, with its title as heading; nDCG over documents in the order of their best passages. */
export async function cranfield(data: string): Promise<number[]> {
  const folder = join(data, 'cranfield');
  const workspace = mkdtempSync(join(tmpdir(), 'scratchpad-cranfield-'));
  try {
    mkdirSync(join(workspace, 'memory'));
    for (const part of textOf(join(folder, 'cran.all.1400')).split(/^\.I /m).slice(1)) {
      const id = Number.parseInt(part, 10);
      const title = /\.T\n([\s\S]*?)\n\.A/.exec(part)?.[1]?.replaceAll('\n', ' ') ?? '';
      const text = /\.W\n([\s\S]*)$/.exec(part)?.[1] ?? '';
      writeFileSync(join(workspace, 'memory', `${id}.md`), `# ${title}\n\n${text}`);
    }
    const relevant = new Map<number, Set<string>>();
    for (const line of textOf(join(folder, 'cranqrel')).trim().split('\n')) {
      const [query = 0, doc = 0] = line.trim().split(/\s+/).map(Number);
      relevant.set(query, (relevant.get(query) ?? new Set()).add(`memory/${doc}.md`));
    }
    const { segment } = await scan({ workspace });
    const queries = textOf(join(folder, 'cran.qry')).split(/^\.I /m).slice(1);
    return queries.map((part, i) => {
      const text = /\.W\n([\s\S]*)$/.exec(part)?.[1] ?? '';
      const files = search(segment, [text], 60).map(({ file }) => segment.file(file).path);
      return scoresOf([...new Set(files)], [...(relevant.get(i + 1) ?? [])]).ndcg;
    });
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

export const percent = ({ value, low, high }: Interval): string =>
  `${(100 * value).toFixed(1)} (${(100 * low).toFixed(1)}-${(100 * high).toFixed(1)})`;

async function main(data: string): Promise<void> {
  const found = await locomo(data);
  const clean = found.get('clean') ?? [];
  const over = (values: number[]): Interval =>
    bootstrap(values.length, (sample) => mean(pick(values, sample)));
  console.log(`| set | n | R@5 | R@10 | nDCG@10 |\n|---|---|---|---|---|`);
  for (const [name, scores] of found) {
    const cells = (['r5', 'r10', 'ndcg'] as const).map((key) =>
      percent(over(scores.map((each) => each[key]))),
    );
    console.log(`| LoCoMo dev ${name} | ${scores.length} | ${cells.join(' | ')} |`);
  }
  for (const name of ['drift', 'elliptical']) {
    const loss = (found.get(name) ?? []).map((each, i) => (clean[i]?.r5 ?? 0) - each.r5);
    console.log(`| loss in R@5, ${name} | ${loss.length} | ${percent(over(loss))} | | |`);
  }
  const documents = await cranfield(data);
  console.log(`| Cranfield | ${documents.length} | | | ${percent(over(documents))} |`);
}

const data = process.argv[2];
if (process.argv[1]?.endsWith('memory.ts') !== true) {
  // Imported for its measures.
} else if (data === undefined) {
  console.error('usage: tsx scripts/evaluate/memory.ts DATA');
  process.exitCode = 2;
} else await main(data);
