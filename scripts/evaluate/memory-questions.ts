/**
 * Questions in a person's own words to real memories, and ordinary work prompts that memory should not answer.
 *
 *   npx tsx scripts/evaluate/memory-questions.ts FOLDER [--lines]
 *
 * FOLDER holds memories (a folder each: MEMORY.md, USER.md, memory/), `questions.jsonl` with `{memory, lang, query,
 * answers: ["path:line"]}` and `prompts.jsonl` with `{lang, prompt}`, asked of every memory. A hit is right if its block
 * holds an answering line. Beside the engine stands plain BM25 over lines. `--lines` prints what was found instead.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findAnswers } from '../../src/memory/answers.ts';
import { searchMemory } from '../../src/memory/search.ts';
import { readArguments, withFolder } from '../script.ts';
import { type Block, isRight, openMemory, type Question, readQuestions, readRows } from './memory-set.ts';
import { mean, pick, runBootstrap } from './stats.ts';

/** Place of the first right hit of a search; what a prompt is told. */
interface Outcome {
  lang: string;
  engine: number;
  plain: number;
  told: 'right' | 'wrong' | 'silent';
}

const LIMIT = 5;
/** Robertson's parameters, as most libraries set them. */
const PLAIN = { k1: 1.2, b: 0.75 };

const [[folder = ''], options] = readArguments('FOLDER [--lines]', 1, { lines: false });

/** Every line that is not blank as a document, its words as they are. */
function readPlain(workspace: string): { block: Block; words: string[] }[] {
  const paths = readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name));
  return paths
    .filter((path) => !path.includes('/.'))
    .sort()
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .map((text, at) => ({
          block: { path: relative(workspace, path), startLine: at + 1, endLine: at + 1, text },
          words: splitWords(text),
        }))
        .filter(({ words }) => words.length > 0),
    );
}

const splitWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function searchPlain(lines: ReturnType<typeof readPlain>, query: string): Block[] {
  const length = mean(lines.map(({ words }) => words.length));
  const scores = lines.map(() => 0);
  for (const word of new Set(splitWords(query))) {
    const counts = lines.map(({ words }) => words.filter((each) => each === word).length);
    const holders = counts.filter((count) => count > 0).length;
    const rarity = Math.log(1 + (lines.length - holders + 0.5) / (holders + 0.5));
    for (const [at, count] of counts.entries()) {
      const norm = 1 - PLAIN.b + (PLAIN.b * (lines[at]?.words.length ?? 0)) / length;
      scores[at] = (scores[at] ?? 0) + (rarity * count * (PLAIN.k1 + 1)) / (count + PLAIN.k1 * norm);
    }
  }
  const order = [...scores.keys()].filter((at) => (scores[at] ?? 0) > 0);
  order.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  return order.slice(0, LIMIT).flatMap((at) => lines[at]?.block ?? []);
}

async function tellAtPrompt(workspace: string, content: string): Promise<Block[]> {
  const messages = [{ id: '1', role: 'user' as const, content, session: 's' }];
  return (await findAnswers(messages, { workspace })).hits;
}

function print(name: string, outcomes: readonly Outcome[]): void {
  const share = (test: (outcome: Outcome) => boolean): string => {
    const hits: number[] = outcomes.map((outcome) => (test(outcome) ? 1 : 0));
    const { value, low, high } = runBootstrap(hits.length, (sample) => mean(pick(hits, sample)));
    return [value, low, high]
      .map((part) => (100 * part).toFixed(0))
      .join(' ')
      .replace(/ (\d+) (\d+)$/, ' ($1-$2)');
  };
  const cells = [
    share(({ engine }) => engine === 0),
    share(({ engine }) => engine >= 0),
    share(({ plain }) => plain === 0),
    share(({ plain }) => plain >= 0),
    share(({ told }) => told === 'right'),
    share(({ told }) => told === 'wrong'),
  ];
  console.log(`| ${name} | ${outcomes.length} | ${cells.join(' | ')} |`);
}

function show(title: string, blocks: readonly Block[], question?: Question): void {
  if (!options.lines) return;
  console.log(`\n${title}${question ? `\n      wanted: ${question.answers.join(', ')}` : ''}`);
  for (const block of blocks) {
    const mark = question && isRight(block, question) ? '+' : ' ';
    console.log(`    ${mark} ${block.path}:${block.startLine} ${block.text.slice(0, 150)}`);
  }
}

async function askAll(home: string): Promise<void> {
  const questions = readQuestions(folder);
  const memories = [...new Set(questions.map(({ memory }) => memory))];
  const outcomes: Outcome[] = [];
  for (const memory of memories) {
    const workspace = await openMemory(folder, home, memory);
    const lines = readPlain(workspace);
    for (const question of questions.filter((each) => each.memory === memory)) {
      const { lang, query } = question;
      const { hits } = await searchMemory({ text: query }, { workspace, limit: LIMIT });
      const told = await tellAtPrompt(workspace, query);
      const engine = hits.findIndex((hit) => isRight(hit, question));
      const plain = searchPlain(lines, query).findIndex((hit) => isRight(hit, question));
      const [first] = told;
      const kind = first && (isRight(first, question) ? 'right' : 'wrong');
      outcomes.push({ lang, engine, plain, told: kind ?? 'silent' });
      show(
        `[${memory}] ${query} → ${engine < 0 ? 'not found' : engine + 1}, told ${kind ?? 'nothing'}`,
        hits,
        question,
      );
    }
  }
  console.log('| questions | n | first | in five | plain: first | in five | told: right | wrong |');
  console.log('|---|---|---|---|---|---|---|---|');
  for (const lang of [...new Set(outcomes.map((outcome) => outcome.lang))].sort())
    print(
      lang,
      outcomes.filter((outcome) => outcome.lang === lang),
    );
  print('all', outcomes);

  const prompts = readRows<{ prompt: string }>(folder, 'prompts.jsonl');
  let noise = 0;
  for (const memory of memories)
    for (const { prompt } of prompts) {
      const told = await tellAtPrompt(join(home, memory), prompt);
      if (told.length > 0) noise++;
      if (told.length > 0) show(`NOISE [${memory}] ${prompt}`, told);
    }
  const asked = memories.length * prompts.length;
  console.log(
    `\nwork prompts that were told a line: ${noise} of ${asked} (${((100 * noise) / asked).toFixed(1)} %)`,
  );
}

await withFolder('memory-questions', askAll);
