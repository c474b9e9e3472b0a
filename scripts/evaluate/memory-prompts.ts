/**
 * The lines of memory that a prompt brings: the right one at a question that the memory answers, none at others.
 *
 *   npx tsx scripts/evaluate/memory-prompts.ts [DATA] [--unseen] [--lines]
 *
 * Asked are the questions of `test/fixtures/questions/` (`--unseen`: those on which nothing was tuned), those of the
 * example, and prompts to ten memories of `test/fixtures/` at which nothing should be said; with DATA also what
 * developers typed to agents (`agent-chat/`, `resume/`), of which no memory here knows anything. `--lines` prints what
 * was said.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { answersFor } from '../../src/memory/answers.ts';
import { updateIndex } from '../../src/memory/update.ts';

interface Question {
  memory: string;
  query: string;
  path: string;
  line: string;
  unseen?: boolean;
}

interface Row {
  memory: string;
  prompt?: string;
  wanted?: string[];
  file?: string;
  lines?: string[];
}

const FIXTURES = join(import.meta.dirname, '../../test/fixtures');
const QUESTIONS = join(FIXTURES, 'questions');
/** The day after the newest note. */
const NOW = Date.UTC(2026, 10, 23, 12);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { unseen: { type: 'boolean' }, lines: { type: 'boolean' } },
});
const [data] = positionals;
const home = mkdtempSync(join(tmpdir(), 'memory-prompts-'));

function rowsOf<Row>(path: string): Row[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Row);
}

type Said = { path: string; line: number; text: string };

async function saidAt(memory: string, content: string): Promise<Said[]> {
  const messages = [{ id: '1', role: 'user' as const, content, session: 's' }];
  const { hits } = await answersFor(messages, { workspace: join(home, memory), now: NOW });
  return hits;
}

function show(kind: string, memory: string, prompt: string, said: readonly Said[]): void {
  const lines = said.map(({ path, line, text }) => `\n    ${path}:${line} ${text}`).join('');
  if (values.lines) console.log(`${kind} [${memory}] ${prompt.slice(0, 200)}${lines}`);
}

function print(name: string, n: number, count: number, ...others: number[]): void {
  console.log(
    `| ${[name, n, `${count} (${((100 * count) / Math.max(1, n)).toFixed(1)} %)`, ...others].join(' | ')} |`,
  );
}

async function ask(name: string, questions: readonly Question[]): Promise<void> {
  let [first, second, another] = [0, 0, 0];
  for (const { memory, query, path, line } of questions) {
    const at =
      readFileSync(join(home, memory, path), 'utf8')
        .split('\n')
        .findIndex((each) => each.includes(line)) + 1;
    const said = await saidAt(memory, query);
    const place = said.findIndex((hit) => hit.path === path && isAt(hit, at));
    if (place === 0) first++;
    else if (place > 0) second++;
    else if (said.length > 0) another++;
    if (place !== 0) show(said.length === 0 ? 'MISSED' : 'ANOTHER', memory, query, said);
  }
  print(name, questions.length, first, second, another);
}

const isAt = (hit: Said & { startLine?: number; endLine?: number }, line: number): boolean =>
  line >= (hit.startLine ?? hit.line) && line <= (hit.endLine ?? hit.line);

async function quiet(name: string, pairs: Iterable<[memory: string, prompt: string]>): Promise<void> {
  let [n, lines] = [0, 0];
  for (const [memory, prompt] of pairs) {
    const said = await saidAt(memory, prompt);
    n++;
    lines += said.length;
    if (said.length > 0) show('NOISE', memory, prompt, said);
  }
  print(name, n, lines);
}

try {
  const prompts = rowsOf<Row>(join(FIXTURES, 'memory/prompts.jsonl'));
  for (const { memory, file, lines = [] } of prompts) {
    if (file === undefined) continue;
    mkdirSync(dirname(join(home, memory, file)), { recursive: true });
    writeFileSync(join(home, memory, file), lines.join('\n'));
  }
  for (const entry of readdirSync(QUESTIONS, { withFileTypes: true }))
    if (entry.isDirectory()) cpSync(join(QUESTIONS, entry.name), join(home, entry.name), { recursive: true });
  cpSync(join(FIXTURES, '../../workspace-example'), join(home, 'example'), { recursive: true });
  const memories = readdirSync(home);
  for (const memory of memories) await updateIndex({ workspace: join(home, memory) });

  const questions = rowsOf<Question>(join(QUESTIONS, 'questions.jsonl'));
  console.log('| questions | n | right line first | second | another |\n|---|---|---|---|---|');
  for (const name of new Set(questions.map(({ memory }) => memory))) {
    const isAsked = ({ memory, unseen }: Question): boolean =>
      memory === name && unseen === (values.unseen === true);
    await ask(name, questions.filter(isAsked));
  }
  if (values.unseen) await ask('all sixty', questions);
  await ask('example', rowsOf<Question>(join(QUESTIONS, 'example.jsonl')));

  console.log('\n| prompts that ask nothing of the memory | n | lines |\n|---|---|---|');
  const silent = prompts.filter(({ prompt, wanted }) => prompt !== undefined && wanted === undefined);
  await quiet(
    'own memory',
    silent.map(({ memory, prompt = '' }) => [memory, prompt]),
  );
  if (data !== undefined) {
    const chat = rowsOf<{ text: string }>(join(data, 'agent-chat/dev.jsonl.gz')).map(({ text }) => text);
    const events = rowsOf<{ prompt?: string }>(join(data, 'resume/events.jsonl.gz'));
    const typed = events.flatMap(({ prompt }) => prompt ?? []);
    const everywhere = (texts: readonly string[]): [string, string][] =>
      memories.flatMap((memory) => texts.map((text): [string, string] => [memory, text]));
    await quiet('agent chat', everywhere(chat));
    await quiet('resume', everywhere(typed));
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
