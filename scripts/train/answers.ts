/**
 * Fits `models/answers.json`: which line of a memory answers a question at a prompt.
 *
 *   npx tsx scripts/train/answers.ts FOLDER... [--check]
 *
 * Each FOLDER is one of `scripts/evaluate/memory-questions.ts`. A question asks its own memory, where its answers are
 * known, and the others of the folder, where no line answers; so do the work prompts. A folder without prompts, such as
 * `test/fixtures/questions`, is only trained on. No chance is involved: the same
 * folders give the same weights. Prints what is told by weights that were fitted without the memory in question, at the
 * threshold that tells most right lines within the limits. `--check` compares the weights with the file instead of
 * writing it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import RULE from '../../models/answers.json' with { type: 'json' };
import { type JudgedPassage, judgePassages } from '../../src/memory/answers.ts';
import { type Evidence, findQuestions } from '../../src/memory/questions.ts';
import { searchWith } from '../../src/memory/search.ts';
import { isRight, openMemory, readQuestions, readRows } from '../evaluate/memory-set.ts';
import { roundTo } from '../evaluate/stats.ts';
import { readArguments, withFolder } from '../script.ts';
import { type Fitted, fitLogistic } from './logistic.ts';

/** Shares of questions that may be answered wrongly, and of work prompts that may be told a line: the goals are 5 and 1 %. */
const MOST_WRONG = 0.045;
const MOST_NOISE = 0.01;
const PENALTY = 10;
/** Weight of a question to a memory that it was not written for: there are many of them, and some are answered there. */
const WEIGHT_ELSEWHERE = 0.05;

interface Row {
  inputs: number[];
  isRight: boolean;
}

/** A question or prompt in a memory, with the lines that could be told. */
interface Trial {
  memory: string;
  isMeasured: boolean;
  kind: 'question' | 'elsewhere' | 'prompt';
  rows: Row[];
}

const FEATURES = Object.keys(RULE.weights) as (keyof Evidence)[];
const [paths, options] = readArguments('FOLDER... [--check]', 1, { check: false });

await withFolder('answers', async (home) => {
  const trials: Trial[] = [];
  for (const [number, folder] of paths.entries())
    trials.push(...(await readTrials(folder, join(home, String(number)))));

  const threshold = crossValidate(trials);
  const { start, weights } = fitRule(trials);
  const named = FEATURES.map((name, at) => [name, roundTo(weights[at] ?? 0, 2)] as const);
  const rule = { bias: roundTo(start - threshold, 2), weights: Object.fromEntries(named) };
  const file = join(import.meta.dirname, '../../models/answers.json');

  if (options.check) compareWithFile(rule);
  else writeFileSync(file, `${JSON.stringify(rule, null, 2)}\n`);
});

function compareWithFile(rule: { bias: number; weights: Record<string, number> }): void {
  const fitted: Record<string, number> = { bias: rule.bias, ...rule.weights };
  const stored: Record<string, number> = { bias: RULE.bias, ...RULE.weights };
  const changed = Object.keys(fitted).filter((name) => fitted[name] !== stored[name]);
  for (const name of changed) console.log(`${name}: ${stored[name]} in the file, ${fitted[name]} fitted`);
  if (changed.length === 0) console.log('the weights are those in models/answers.json');
  else process.exitCode = 1;
}

/** What could be told at each question and prompt of a folder, in each of its memories. */
async function readTrials(folder: string, home: string): Promise<Trial[]> {
  const questions = readQuestions(folder);
  const prompts = readRows<{ prompt: string }>(folder, 'prompts.jsonl');
  const isMeasured = prompts.length > 0;
  const trials: Trial[] = [];

  for (const memory of new Set(questions.map((question) => question.memory))) {
    const workspace = await openMemory(folder, home, memory);

    for (const question of questions) {
      const isOwn = question.memory === memory;
      const lines = await listLines(workspace, question.query);
      const rows = lines.map((line) => makeRow(line, isOwn && isRight(line.passage, question)));
      trials.push({ memory: workspace, isMeasured, kind: isOwn ? 'question' : 'elsewhere', rows });
    }

    for (const { prompt } of prompts) {
      const lines = await listLines(workspace, prompt);
      trials.push({
        memory: workspace,
        isMeasured,
        kind: 'prompt',
        rows: lines.map((line) => makeRow(line, false)),
      });
    }
  }

  return trials;
}

async function listLines(workspace: string, content: string): Promise<JudgedPassage[]> {
  const [question] = findQuestions([{ id: '1', role: 'user', content, session: 's' }]);
  const options = { workspace };
  const { lines } = await searchWith(
    (collection, reader) => ({
      hits: [],
      asked: '',
      lines: question ? judgePassages(question, collection, reader, options) : [],
    }),
    options,
  );

  return lines;
}

function makeRow({ evidence }: JudgedPassage, isAnswer: boolean): Row {
  return { inputs: FEATURES.map((name) => evidence[name]), isRight: isAnswer };
}

function fitRule(trials: readonly Trial[]): Fitted {
  const rows = trials.flatMap((trial) => trial.rows.map((row) => ({ ...row, kind: trial.kind })));
  return fitLogistic(
    rows.map(({ inputs }) => inputs),
    rows.map((row) => (row.isRight ? 1 : 0)),
    rows.map(({ kind }) => (kind === 'elsewhere' ? WEIGHT_ELSEWHERE : 1)),
    FEATURES.map(() => PENALTY),
  );
}

/** Prints what weights of the other memories tell, and returns the log-odds from which a line is told. */
function crossValidate(trials: readonly Trial[]): number {
  const measured = trials.filter(({ isMeasured }) => isMeasured);
  const told = [...new Set(measured.map(({ memory }) => memory))].flatMap((memory) => {
    const { start, weights } = fitRule(trials.filter((trial) => trial.memory !== memory));
    const computeOdds = ({ inputs }: Row): number =>
      inputs.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), start);

    return measured
      .filter((trial) => trial.memory === memory)
      .map(({ kind, rows }) => {
        const lines = rows.map((row) => ({ odds: computeOdds(row), isRight: row.isRight }));
        const [best] = lines.sort((one, other) => other.odds - one.odds);
        return { kind, odds: best?.odds ?? Number.NEGATIVE_INFINITY, isRight: best?.isRight ?? false };
      });
  });

  const measure = (threshold: number) => {
    const share = (kind: Trial['kind'], wanted: boolean): number => {
      const all = told.filter((each) => each.kind === kind);
      return all.filter((each) => each.odds > threshold && each.isRight === wanted).length / all.length;
    };
    return {
      threshold,
      right: share('question', true),
      wrong: share('question', false),
      noise: share('prompt', false),
      elsewhere: share('elsewhere', false),
    };
  };

  const tried = told.map(({ odds }) => measure(roundTo(odds, 2))).filter(({ threshold }) => threshold > -20);
  const fair = tried.filter(({ wrong, noise }) => wrong <= MOST_WRONG && noise <= MOST_NOISE);
  const [best] = fair.sort((one, other) => other.right - one.right || other.threshold - one.threshold);
  if (best === undefined) throw new Error('no threshold keeps to the limits');

  const cells = [best.right, best.wrong, best.noise, best.elsewhere].map((each) => (100 * each).toFixed(1));
  console.log('| cross-validated by memory | right | wrong | noise at prompts | told by other memories |');
  console.log(`|---|---|---|---|---|\n| ${told.length} trials | ${cells.join(' | ')} |`);

  return best.threshold;
}
