/**
 * The lines that a model is shown without asking (`answersFor`): how often there are any, and how often one of them
 * is the evidence.
 * `tsx scripts/evaluate/memory-answers.ts DATA`, DATA as for `memory-follow-ups.ts`. LoCoMo's questions in chats of
 * six messages, searched in their own memory and in those of other people; and messages of developers to agents,
 * searched in both.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { answersFor } from '../../src/memory/answers.ts';
import type { Message } from '../../src/transcript/types.ts';
import { queriesOf } from './memory.ts';
import { rowsOf, type Typed } from './wordings.ts';

/** Only every n-th question or message is used. */
const EVERY = 5;

const chat = (texts: readonly string[]): Message[] =>
  texts.map((content, i) => ({ id: String(i), role: 'user', content, session: 's' }));

async function main(data: string): Promise<void> {
  const root = join(data, 'memory/locomo-dev');
  const ids = readdirSync(root);
  const typed = (rowsOf(join(data, 'agent-chat/dev.jsonl.gz')) as Typed[]).map(({ text }) => text);
  const counts = new Map<
    string,
    { asked: number; shown: number; right: number; lines: number; linesRight: number }
  >();
  const ask = async (
    kind: string,
    workspace: string,
    texts: readonly string[],
    evidence: readonly string[],
  ) => {
    const { hits } = await answersFor(chat(texts), { workspace, index: 'off' });
    const right = hits.filter(({ path, line }) => evidence.includes(`${path}:${line}`)).length;
    const sum = counts.get(kind) ?? { asked: 0, shown: 0, right: 0, lines: 0, linesRight: 0 };
    sum.asked++;
    sum.shown += hits.length > 0 ? 1 : 0;
    sum.right += right > 0 ? 1 : 0;
    sum.lines += hits.length;
    sum.linesRight += right;
    counts.set(kind, sum);
  };
  for (const [k, id] of ids.entries()) {
    const workspace = join(root, id);
    const other = join(root, ids[(k + 1) % ids.length] ?? id);
    for (const [i, { query, drift, elliptical, evidence }] of queriesOf(workspace).entries()) {
      if (i % EVERY !== 0) continue;
      await ask('its own memory, bare', workspace, [query], evidence);
      await ask('its own memory, drift', workspace, drift, evidence);
      await ask('its own memory, elliptical', workspace, elliptical, evidence);
      await ask("other people's memory", other, [query], []);
    }
    for (let i = k; i < typed.length; i += EVERY * ids.length)
      await ask('what developers type to agents', workspace, [typed[i] ?? ''], []);
  }
  console.log(
    '| asked of | n | lines shown at | of these with the evidence | lines | evidence |\n|---|---|---|---|---|---|',
  );
  const share = (part: number, of: number): string => (of === 0 ? '' : `${((100 * part) / of).toFixed(0)} %`);
  for (const [kind, { asked, shown, right, lines, linesRight }] of counts)
    console.log(
      `| ${kind} | ${asked} | ${share(shown, asked)} | ${share(right, shown)} | ${lines} | ${share(linesRight, lines)} |`,
    );
}

const data = process.argv[2];
if (data === undefined) {
  console.error('usage: tsx scripts/evaluate/memory-answers.ts DATA');
  process.exitCode = 2;
} else await main(data);
