/**
 * Whether a first prompt goes on with the work before it: the answer of the program beside the labels in
 * `goes-on.txt`, which one rater gave by reading.
 *
 *   npx tsx scripts/evaluate/goes-on.ts DATA
 *
 * DATA holds `resume/events.jsonl.gz` with the sessions before the prompts, and `agent-chat/dev.jsonl.gz`. What git says
 * is not known here: the last row takes all edits of the session before as open. Of the prompts in `agent-chat` nothing
 * before is known.
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
type Count = [right: number, missed: number, wrong: number, other: number];
const counts: Record<string, Count> = {
  'work open': [0, 0, 0, 0],
  'work clean': [0, 0, 0, 0],
  'all edits still open': [0, 0, 0, 0],
};
const count = (row: string, label: string, relation: string): void => {
  const of = counts[row];
  if (of !== undefined) of[((label === 'goes-on' ? 0 : 2) + (relation === 'goes on' ? 0 : 1)) as 0] += 1;
};
for (const [id, label] of labels) {
  const event = events.get(id);
  if (event === undefined) {
    count('work clean', label, relationOf(chats.get(id) ?? '', NOTHING, [], undefined));
    continue;
  }
  const { prompt, transcript, line, cwd } = event;
  const record = await readTranscriptRecord(join(data, 'resume', transcript), line, cwd);
  const stored = { session: id, path: '', root: cwd, worktree: '', forgotten: [], record };
  const messages = messagesOf(stored);
  const state = stateOf(stored, undefined, cwd);
  const first = record.opening ?? messages[0]?.text;
  count(
    state.open.length > 0 ? 'work open' : 'work clean',
    label,
    relationOf(prompt, state, messages, first),
  );
  if (state.edited.length === 0) continue;
  const open: WorkState = { ...state, open: [...state.open, 'edits'], uncommitted: state.edited };
  count('all edits still open', label, relationOf(prompt, open, messages, first));
}
for (const [title, [right, missed, wrong, other]] of Object.entries(counts))
  console.log(
    `| ${title} | n ${right + missed + wrong + other} | goes on, said so ${right} of ${right + missed} | own work, said to go on ${wrong} of ${wrong + other} |`,
  );
