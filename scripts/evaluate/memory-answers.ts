/**
 * The lines of memory that a prompt brings up: right ones at questions that the memory answers, and noise at others.
 * `tsx scripts/evaluate/memory-answers.ts [DATA] [--unseen] [--lines]`: the questions of `test/fixtures/questions/`
 * (`--unseen`: those that nothing was tuned on), of the example, and of `memory-prompts.json`; with DATA also what
 * developers typed to agents (`agent-chat/`, `resume/`), asked of all these memories, none of which has an answer.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { answersFor } from '../../src/memory/answers.ts';
import { updateIndex } from '../../src/memory/update.ts';

const HERE = import.meta.dirname;
const QUESTIONS = join(HERE, '../../test/fixtures/questions');
/** The day after the newest note. */
const NOW = Date.UTC(2026, 10, 23, 12);

interface Question {
  memory: string;
  query: string;
  path: string;
  line: string;
  unseen?: boolean;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { unseen: { type: 'boolean' }, lines: { type: 'boolean' } },
});
const home = mkdtempSync(join(tmpdir(), 'memory-answers-'));
const memories = new Map<string, string>();

function rowsOf<Row>(path: string): Row[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

async function answer(memory: string, content: string): Promise<{ place: string; text: string }[]> {
  const workspace = memories.get(memory) ?? '';
  const { hits, heldBack } = await answersFor([{ id: '1', role: 'user', content, session: 's' }], {
    workspace,
    now: NOW,
  });
  if (values.lines && heldBack) console.log(`  held back: ${heldBack.hit.text} (${heldBack.reason})`);
  return hits.map(({ path, text }) => ({ place: path, text }));
}

function show(kind: string, memory: string, query: string, found: readonly { text: string }[]): void {
  if (values.lines)
    console.log(
      `${kind} [${memory}] ${query.slice(0, 300)}\n    ${found.map(({ text }) => text).join('\n    ')}`,
    );
}

async function score(name: string, questions: readonly Question[]): Promise<void> {
  let [right, second, another] = [0, 0, 0];
  for (const { memory, query, path, line } of questions) {
    const found = await answer(memory, query);
    const isRight = (hit: { place: string; text: string } | undefined): boolean =>
      hit !== undefined && hit.place === path && lineOf(memory, path, line).includes(hit.text.slice(0, 40));
    if (isRight(found[0])) right++;
    else if (found.some(isRight)) second++;
    else if (found.length > 0) another++;
    if (!isRight(found[0])) show(found.length === 0 ? 'MISSED ' : 'ANOTHER', memory, query, found);
  }
  const part = questions.length === 0 ? 0 : Math.round((100 * right) / questions.length);
  console.log(`| ${name} | ${questions.length} | ${right} (${part} %) | ${second} | ${another} |`);
}

/** The block of a file that holds a text, whitespace folded. */
function lineOf(memory: string, path: string, line: string): string {
  const text = readFileSync(join(memories.get(memory) ?? '', path), 'utf8');
  const blocks = text.split(/\n(?=\s*(?:[-*|#]|\d+\.)|\n)/);
  return (blocks.find((block) => block.includes(line)) ?? '').replace(/\s+/g, ' ');
}

async function noise(name: string, prompts: readonly string[]): Promise<void> {
  let [lines, asked] = [0, 0];
  for (const memory of memories.keys()) {
    for (const prompt of prompts) {
      asked++;
      const found = await answer(memory, prompt);
      lines += found.length;
      if (found.length > 0) show('NOISE  ', memory, prompt, found);
    }
  }
  console.log(`| ${name} | ${asked} | ${lines} (${((100 * lines) / Math.max(1, asked)).toFixed(2)} %) | | |`);
}

interface PromptMemory {
  files: Record<string, string[]>;
  wanted: { prompt: string; lines: string[] }[];
  quiet: string[];
}

try {
  for (const name of readdirSync(QUESTIONS, { withFileTypes: true }))
    if (name.isDirectory()) memories.set(name.name, join(QUESTIONS, name.name));
  memories.set('example', join(HERE, '../../workspace-example'));
  for (const [name, path] of memories) {
    cpSync(path, join(home, name), { recursive: true });
    memories.set(name, join(home, name));
  }
  const own = rowsOf<Question>(join(QUESTIONS, 'questions.jsonl'));
  console.log('| questions | n | right line first | second | another |\n|---|---|---|---|---|');
  const wanted = Object.entries(
    JSON.parse(readFileSync(join(HERE, 'memory-prompts.json'), 'utf8')) as Record<string, PromptMemory>,
  );
  for (const [name, { files }] of wanted) {
    memories.set(name, join(home, name));
    for (const [path, lines] of Object.entries(files)) {
      mkdirSync(dirname(join(home, name, path)), { recursive: true });
      writeFileSync(join(home, name, path), lines.join('\n'));
    }
  }
  for (const workspace of memories.values()) await updateIndex({ workspace });
  for (const name of new Set(own.map(({ memory }) => memory)))
    await score(
      name,
      own.filter(({ memory, unseen }) => memory === name && unseen === (values.unseen === true)),
    );
  if (values.unseen) await score('together', own);
  await score('example', rowsOf<Question>(join(QUESTIONS, 'example.jsonl')));
  const data = positionals[0];
  if (data !== undefined) {
    const chat = rowsOf<{ text: string }>(join(data, 'agent-chat/dev.jsonl.gz')).map(({ text }) => text);
    await noise('agent chat', chat);
    const events = rowsOf<{ prompt?: string }>(join(data, 'resume/events.jsonl.gz'));
    await noise(
      'resume',
      events.flatMap(({ prompt }) => (prompt ? [prompt] : [])),
    );
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
