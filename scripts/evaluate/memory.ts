/**
 * Quality of memory search: LoCoMo's questions, bare and in chats that drift or end in an ellipsis, and Cranfield.
 *
 *   npx tsx scripts/evaluate/memory.ts DATA [--wordings dev|unseen]
 *
 * DATA holds `memory/locomo-dev/<id>/` (workspaces with `queries.jsonl`) and `memory/cranfield/`. With `--wordings`:
 * the recall where the last message only continues the one before, and where the question follows an opening remark,
 * in wordings of real messages from `agent-chat` and `resume`.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { searchMemory } from '../../src/memory/search.ts';
import { updateIndex } from '../../src/memory/update.ts';
import { readArguments, withFolder } from '../script.ts';
import { openMemory } from './memory-set.ts';
import { type Interval, mean, pick, runBootstrap } from './stats.ts';
import { readWordings } from './wordings.ts';

interface Question {
  query: string;
  /** Where the answer is, as path:line. */
  evidence: string[];
  /** Chats whose last message asks, or asked one message earlier. */
  drift: string[];
  elliptical: string[];
}

/** The scores of one query: recall at 5 and 10, nDCG at 10. */
interface Scores {
  r5: number;
  r10: number;
  ndcg: number;
}

/** Wordings tried on each question. */
const EACH = 6;

const [[data = ''], { wordings }] = readArguments('DATA [--wordings dev|unseen]', 1, { wordings: '' });
await withFolder('memory', (home) =>
  wordings === '' ? measureQuality(data, home) : measureContinued(data, wordings, home),
);

async function measureQuality(from: string, home: string): Promise<void> {
  const found = { clean: [] as Scores[], drift: [] as Scores[], elliptical: [] as Scores[] };
  for (const { workspace, questions } of await readConversations(from, home)) {
    for (const { query, drift, elliptical, evidence } of questions) {
      found.clean.push(await computeScore(workspace, [query], evidence));
      found.drift.push(await computeScore(workspace, drift, evidence));
      found.elliptical.push(await computeScore(workspace, elliptical, evidence));
    }
  }
  console.log('| set | n | R@5 | R@10 | nDCG@10 |\n|---|---|---|---|---|');
  for (const [name, scores] of Object.entries(found)) {
    const cells = (['r5', 'r10', 'ndcg'] as const).map((key) =>
      formatPercent(scores.map((each) => each[key])),
    );
    console.log(`| LoCoMo dev ${name} | ${scores.length} | ${cells.join(' | ')} |`);
  }
  for (const name of ['drift', 'elliptical'] as const) {
    const loss = found[name].map(({ r5 }, i) => (found.clean[i]?.r5 ?? 0) - r5);
    console.log(`| loss in R@5, ${name} | ${loss.length} | ${formatPercent(loss)} | | |`);
  }
  const documents = await evaluateCranfield(join(from, 'memory/cranfield'), join(home, 'cranfield'));
  console.log(`| Cranfield | ${documents.length} | | | ${formatPercent(documents)} |`);
}

async function measureContinued(from: string, of: string, home: string): Promise<void> {
  const wordings = readWordings(from, of);
  type Row = { wording: string; clean: number; chat: number };
  const rows = { followUps: [] as Row[], leadIns: [] as Row[] };
  let turn = 0;
  for (const { workspace, questions } of await readConversations(from, home)) {
    for (const { query, elliptical, drift, evidence } of questions) {
      const clean = (await computeScore(workspace, [query], evidence)).r5;
      for (let i = 0; i < EACH; i++, turn++) {
        const followUp = wordings.followUps[turn % wordings.followUps.length] ?? '';
        const leadIn = wordings.leadIns[turn % wordings.leadIns.length] ?? '';
        const chats = {
          followUps: [...elliptical.slice(0, -1), followUp],
          leadIns: [...drift.slice(0, -1), `${leadIn} ${query}`],
        };
        for (const kind of ['followUps', 'leadIns'] as const) {
          const chat = (await computeScore(workspace, chats[kind], evidence)).r5;
          rows[kind].push({ wording: kind === 'followUps' ? followUp : leadIn, clean, chat });
        }
      }
    }
  }
  console.log('| wordings | n | R@5 alone | R@5 in the chat | lost |\n|---|---|---|---|---|');
  for (const [kind, all] of Object.entries(rows)) {
    const cells = [
      all.map(({ clean }) => clean),
      all.map(({ chat }) => chat),
      all.map(({ clean, chat }) => clean - chat),
    ].map((each) => formatPercent(each, 300));
    const { size } = new Set(all.map(({ wording }) => wording));
    console.log(`| ${kind}, ${of} (${size}) | ${all.length} | ${cells.join(' | ')} |`);
  }
}

/** The conversations as workspaces of their own, indexed, with their questions. */
async function readConversations(
  from: string,
  home: string,
): Promise<{ workspace: string; questions: Question[] }[]> {
  const root = join(from, 'memory/locomo-dev');
  return Promise.all(
    readdirSync(root).map(async (id) => {
      const workspace = await openMemory(root, home, id);
      const lines = readFileSync(join(workspace, 'queries.jsonl'), 'utf8').trim().split('\n');
      return { workspace, questions: lines.map((line) => JSON.parse(line) as Question) };
    }),
  );
}

/** The places that the search finds for a question, or for a chat. */
async function search(workspace: string, texts: readonly string[], limit: number) {
  const messages = texts.map((content, k) => ({ id: `${k}`, role: 'user' as const, content, session: 's' }));
  const [text = ''] = texts;
  const { hits } = await searchMemory(texts.length === 1 ? { text } : { messages }, { workspace, limit });
  return hits;
}

async function computeScore(
  workspace: string,
  texts: readonly string[],
  evidence: readonly string[],
): Promise<Scores> {
  const hits = await search(workspace, texts, 20);
  return computeScores(
    hits.map(({ path, line }) => `${path}:${line}`),
    evidence,
  );
}

/** Recall and nDCG (binary gains) of a ranked list of names. */
function computeScores(names: readonly string[], wanted: readonly string[]): Scores {
  const found = [...new Set(names)];
  const findHit = (at: number): number => (wanted.includes(found[at] ?? '') ? 1 : 0);
  let [r5, r10, gain, ideal] = [0, 0, 0, 0];
  for (let at = 0; at < 10; at++) {
    if (at < 5) r5 += findHit(at);
    r10 += findHit(at);
    gain += findHit(at) / Math.log2(at + 2);
    if (at < wanted.length) ideal += 1 / Math.log2(at + 2);
  }
  return { r5: r5 / wanted.length, r10: r10 / wanted.length, ndcg: gain / ideal };
}

/** One file per document, with its title as heading; nDCG over documents in the order of their best passages. */
async function evaluateCranfield(folder: string, workspace: string): Promise<number[]> {
  const listParts = (name: string): string[] =>
    readFileSync(join(folder, name), 'utf8').replaceAll('\r', '').split(/^\.I /m).slice(1);
  const extractBody = (part: string): string => /\.W\n([\s\S]*)$/.exec(part)?.[1] ?? '';
  for (const name of ['memory', '.scratchpad']) mkdirSync(join(workspace, name), { recursive: true });
  for (const part of listParts('cran.all.1400')) {
    const title = /\.T\n([\s\S]*?)\n\.A/.exec(part)?.[1]?.replaceAll('\n', ' ') ?? '';
    const path = join(workspace, 'memory', `${Number.parseInt(part, 10)}.md`);
    writeFileSync(path, `# ${title}\n\n${extractBody(part)}`);
  }
  const relevant = new Map<number, string[]>();
  for (const line of readFileSync(join(folder, 'cranqrel'), 'utf8').trim().split(/\r?\n/)) {
    const [query = 0, document = 0] = line.trim().split(/\s+/).map(Number);
    relevant.set(query, [...new Set([...(relevant.get(query) ?? []), `memory/${document}.md`])]);
  }
  await updateIndex({ workspace });
  const scores: number[] = [];
  for (const [i, part] of listParts('cran.qry').entries()) {
    const hits = await search(workspace, [extractBody(part)], 60);
    scores.push(
      computeScores(
        hits.map(({ path }) => path),
        relevant.get(i + 1) ?? [],
      ).ndcg,
    );
  }
  return scores;
}

function formatPercent(all: readonly number[], rounds?: number): string {
  const options = rounds === undefined ? {} : { rounds };
  const { value, low, high }: Interval = runBootstrap(
    all.length,
    (sample) => mean(pick(all, sample)),
    options,
  );
  return `${(100 * value).toFixed(1)} (${(100 * low).toFixed(1)}-${(100 * high).toFixed(1)})`;
}
