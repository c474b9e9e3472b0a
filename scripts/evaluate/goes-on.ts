/**
 * Whether a first prompt goes on with the work before it: the answer of the program beside the labels in
 * `goes-on.txt`, which one rater gave by reading.
 *
 *   npx tsx scripts/evaluate/goes-on.ts DATA
 *
 * DATA holds `resume/events.jsonl.gz` with the sessions before the prompts, and `agent-chat/dev.jsonl.gz`. What git says
 * is not known here, so edits that are left open do not count; of the prompts in `agent-chat` nothing before is known.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messagesOf, stateOf, type WorkState } from '../../src/handover/index.ts';
import { relationOf } from '../../src/handover/prompt.ts';
import { gzippedRows, readAgentChat } from '../train/rows.ts';
import { readTranscriptRecord } from './replay.ts';

interface Event {
  id: string;
  kind: string;
  transcript: string;
  line: number;
  cwd: string;
  prompt: string;
}

const [data] = process.argv.slice(2);
if (data === undefined) throw new Error('usage: scripts/evaluate/goes-on.ts DATA');
const labels = readFileSync(join(import.meta.dirname, 'goes-on.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.split(' ') as [id: string, label: string]);
const events = new Map(
  gzippedRows<Event>(join(data, 'resume/events.jsonl.gz'))
    .filter(({ kind }) => kind === 'restart')
    .map((event) => [event.id, event]),
);
const chats = new Map(readAgentChat(data).map((row) => [row.id, row.text]));
const NOTHING: WorkState = { session: '', at: 0, open: [], commits: [], edited: [], others: 0, tasks: [] };
const counts = { open: [0, 0, 0, 0], clean: [0, 0, 0, 0] };
for (const [id, label] of labels) {
  const event = events.get(id);
  let said = NOTHING;
  let relation: string;
  if (event === undefined) relation = relationOf(chats.get(id) ?? '', NOTHING, [], undefined);
  else {
    const record = await readTranscriptRecord(join(data, 'resume', event.transcript), event.line, event.cwd);
    const stored = { session: id, path: '', root: event.cwd, worktree: '', forgotten: [], record };
    const messages = messagesOf(stored);
    said = stateOf(stored, undefined, event.cwd);
    relation = relationOf(event.prompt, said, messages, record.opening ?? messages[0]?.text);
  }
  const at = (label === 'goes-on' ? 0 : 2) + (relation === 'goes on' ? 0 : 1);
  const count = counts[said.open.length > 0 ? 'open' : 'clean'];
  count[at] = (count[at] ?? 0) + 1;
}
for (const [title, [right = 0, missed = 0, wrong = 0, other = 0]] of Object.entries(counts))
  console.log(
    `| work ${title} | n ${right + missed + wrong + other} | goes on, said so ${right} of ${right + missed} | own work, said to go on ${wrong} of ${wrong + other} |`,
  );
